"""The share of each conversation's turns that show each behaviour, for the tables; the ranking tells of them."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.analysis.behaviours import dialogue_rates
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.behaviours import FORM
from parlai_spotbot.findings.behaviours.ranking import with_ends
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import Section


def compute(own: Answers) -> dict:
    """Of each dialogue the share of its turns with each label."""
    found = dialogue_rates(own.rows)
    return {
        label: [
            {
                "bot": row.name,
                "conversation_id": row.conversation_id,
                "turns": row.turns,
                "n": row.n,
                "hits": row.hits,
                "share": row.share,
                "wilson": (row.low, row.high),
            }
            for row in found[found["question"] == label].itertuples(index=False)
        ]
        for label in own.questions
    }


def tell(result: Result) -> list[Section]:
    return []


def rows(data: Mapping) -> Rows:
    """Rows of the table dialogues."""
    for label, found in data.items():
        for row in found:
            yield "dialogues", {"label": label, **with_ends(row)}


FINDING = Finding("dialogues", FORM, compute, tell, rows, place=20)
