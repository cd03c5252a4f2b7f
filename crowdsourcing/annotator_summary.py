"""Summary of annotators to check before approving and paying: one row each, with what is unusual in their work.

The flags are the analysis's (`surveys.controls.flags`), which leaves out of its main figures who missed more controls
than the launch allows. Here nobody is removed: a person decides whom to approve.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parlai_spotbot import terminal
from parlai_spotbot.crowdsourcing.ledger.entries import LedgerContents
from parlai_spotbot.crowdsourcing.platforms.participant_lists import UNKNOWN
from parlai_spotbot.records import Conversation, Judgement
from parlai_spotbot.surveys.controls.exclusion import failed_people
from parlai_spotbot.surveys.controls.flags import MISSED, flagged_people
from parlai_spotbot.surveys.survey import Survey

LEFT_OUT = "left out of the main figures: "
STOPPED = "stopped"
HEADER = ("annotator", "units", "annotations", "controls missed", "seconds", "look at")


@dataclass(frozen=True)
class AnnotatorSummary:
    """One annotator: finished units, annotations (controls apart), controls missed and met, seconds per annotation."""

    name: str
    units: int
    annotations: int
    missed: int
    controls: int
    seconds: float
    flags: tuple[str, ...]


def summarise(
    part: LedgerContents, names: Mapping[str, str], survey: Survey, conversations: Mapping[str, Conversation]
) -> list[AnnotatorSummary]:
    """Return a row for each annotator of a collection, those with flags first; `names` replaces worker ids."""
    rows: Sequence[Judgement] = [row for unit in part.units for row in unit]
    failed, work = failed_people(rows, survey), flagged_people(rows, conversations, survey)
    strangers = {part.done[handle].worker for handle in part.unknown}
    none = {"units": 0, "n": 0, "median_seconds": math.nan, "flags": []}
    summaries = []
    for annotator in part.annotators:
        name = names[annotator.worker]
        own = work.loc[name] if name in work.index else none
        graded = [missed for worker, _, _, missed in part.grades if worker == annotator.worker]
        flags = [UNKNOWN] if annotator.worker in strangers else []
        if annotator.standing == "stopped":
            flags.append(f"{STOPPED} ({annotator.why})" if annotator.why else STOPPED)
        if name in failed:
            flags.append(LEFT_OUT + failed[name])
        elif any(graded):
            flags.append(MISSED)
        flags = tuple(dict.fromkeys([*flags, *own["flags"]]))
        counts = int(own["units"]), int(own["n"]), sum(graded), len(graded)
        summaries.append(AnnotatorSummary(name, *counts, float(own["median_seconds"]), flags))
    return sorted(summaries, key=lambda row: (-len(row.flags), row.name))


def table(rows: Sequence[AnnotatorSummary], most: int = 30) -> str:
    """Return the rows as text: all who have flags, and others up to `most` rows."""
    shown = [row for place, row in enumerate(rows) if row.flags or place < most]
    cells = [
        (
            r.name,
            r.units,
            r.annotations,
            f"{r.missed} of {r.controls}",
            f"{r.seconds:.0f}".strip("na"),
            "; ".join(r.flags),
        )
        for r in shown
    ]
    text = terminal.table(cells, HEADER)
    return text + (f"\n… and {len(rows) - len(shown)} more, unflagged" if len(shown) < len(rows) else "")
