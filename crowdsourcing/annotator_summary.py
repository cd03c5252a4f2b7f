"""Summary of annotators to check before approving and paying: one row each, with what is unusual in their work.

The flags are the analysis's (`surveys.controls.flags`), which leaves out of its main figures who missed more controls
than the launch allows. Here nobody is removed: whom to approve is for a person to say.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from parlai_spotbot import terminal
from parlai_spotbot.crowdsourcing.ledger.entries import Annotator
from parlai_spotbot.records import Conversation, Judgement
from parlai_spotbot.surveys.controls.exclusion import failed_people
from parlai_spotbot.surveys.controls.flags import MISSED, flagged_people
from parlai_spotbot.surveys.survey import Survey

LEFT_OUT = "left out of the main figures: "
STOPPED = "stopped"


@dataclass(frozen=True)
class AnnotatorSummary:
    """One annotator: finished units, annotations (controls apart), controls missed and met, seconds per annotation.

    `speed` says how many times as fast as all annotators' median at that length half of the annotations were,
    `same_answers` which share of annotations has the annotator's most frequent answers.
    """

    name: str
    units: int
    annotations: int
    missed: int
    controls: int
    seconds: float
    speed: float
    same_answers: float
    flags: tuple[str, ...]


def summarise(
    rows: Sequence[Judgement],
    annotators: Iterable[Annotator],
    grades: Sequence[tuple[str, str, int, bool]],
    names: Mapping[str, str],
    survey: Survey | None = None,
    conversations: Mapping[str, Conversation] | None = None,
) -> list[AnnotatorSummary]:
    """One row for each of `annotators`, those with flags first.

    `rows` are the judgements of finished units under the names that `names` gives the workers; `grades` says of every
    control (worker, hand-out, place, missed); `survey` how many may be missed. `conversations`, by id, tell who talks
    in them.
    """
    failed, worked = failed_people(rows, survey), flagged_people(rows, conversations or {}, survey)
    unknown = {"units": 0, "n": 0, "median_seconds": math.nan, "speed": math.nan, "same_answers": math.nan, "flags": []}
    summaries = []
    for annotator in annotators:
        name = names[annotator.worker]
        worked_rows = worked.loc[name] if name in worked.index else unknown
        graded = [missed for worker, _, _, missed in grades if worker == annotator.worker]
        flags = list(worked_rows["flags"])
        if any(graded) and name not in failed and MISSED not in flags:  # in a unit that isn't finished
            flags.insert(0, MISSED)
        if name in failed:
            flags.insert(0, LEFT_OUT + failed[name])
        if annotator.standing == "stopped":
            flags.insert(0, f"{STOPPED} ({annotator.why})" if annotator.why else STOPPED)
        work = [float(worked_rows[key]) for key in ("median_seconds", "speed", "same_answers")]
        counts = int(worked_rows["units"]), int(worked_rows["n"]), sum(graded), len(graded)
        summaries.append(AnnotatorSummary(name, *counts, *work, tuple(flags)))
    return sorted(summaries, key=lambda row: (-len(row.flags), row.name))


def table(rows: Sequence[AnnotatorSummary], most: int = 30) -> str:
    """The rows as text: all who have flags, and so many others that there are `most` at most."""
    flagged = [row for row in rows if row.flags]
    shown = flagged + [row for row in rows if not row.flags][: max(0, most - len(flagged))]
    header = ("annotator", "units", "annotations", "controls missed", "seconds", "speed", "same answers", "look at")
    lines = [
        (r.name, r.units, r.annotations, f"{r.missed} of {r.controls}", *_known(r), "; ".join(r.flags)) for r in shown
    ]
    text = terminal.table(lines, header)
    return text + (f"\n… and {len(rows) - len(shown)} more, unflagged" if len(shown) < len(rows) else "")


def _known(row: AnnotatorSummary) -> tuple[str, str, str]:
    forms = ((row.seconds, "{:.0f}"), (row.speed, "{:.1f}"), (row.same_answers, "{:.2f}"))
    return tuple("" if value != value else form.format(value) for value, form in forms)
