"""Three conversations between bots that show what the ranking rests on."""

from __future__ import annotations

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.findings import examples
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.findings.spotting.ranking import ranked


def compute(own: Annotations) -> dict | None:
    """By who is taken for human."""
    matches = matches_frame(own.rows)
    natures = own.rows.loc[matches.index]
    meetings = matches.assign(
        ids=[(name,) for name in matches["conversation_id"]],
        exchanges=matches["k"],
        entity_a=0,
        entity_b=1,
        called_a=natures["nature0"],
        called_b=natures["nature1"],
    )
    return examples.examples(meetings, own.once("ranking", ranked)["order"])


FINDING = examples.finding(FORM, compute)
