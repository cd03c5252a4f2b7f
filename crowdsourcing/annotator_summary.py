"""Who to look at before approving and paying: one row an annotator, with what is unusual about how they worked.

The thresholds are those of the analysis, which leaves out of its main figures who missed more controls than the launch
allows, and flags the others. Here they are applied to whatever the survey asks, and nobody is removed: whom to approve
is for a person to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from parlai_spotbot.analysis.annotators.rules import SAME_ANSWERS, SAME_LABEL, TOO_FAST, Rules
from parlai_spotbot.crowdsourcing.ledger_entries import Annotator
from parlai_spotbot.crowdsourcing.questionnaire import TARGET
from parlai_spotbot.records import Judgement
from parlai_spotbot.surveys.controls.exclusion import failed_people
from parlai_spotbot.surveys.survey import Survey

MISSED = "missed controls"
LEFT_OUT = "left out of the main figures: "
STOPPED = "stopped"
RULES = Rules()


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
    grades: Iterable[tuple[str, str, int, bool]],
    names: Mapping[str, str],
    survey: Survey | None = None,
) -> list[AnnotatorSummary]:
    """One row for each of `annotators`, those with flags first.

    `rows` are the judgements of finished units under the names that `names` gives the workers; `grades` says of every
    control (worker, hand-out, place, missed); `survey` how many may be missed.
    """
    failed, frame = failed_people(rows, survey), _annotations(rows)
    graded: dict[str, list[bool]] = {}
    for worker, _, _, missed in grades:
        graded.setdefault(worker, []).append(missed)
    by_name = dict(iter(frame.groupby("worker")))
    table = []
    for annotator in annotators:
        name = names[annotator.worker]
        mine = by_name.get(name, frame.iloc[:0])
        table.append(_row(annotator, name, mine, graded.get(annotator.worker, []), failed.get(name, "")))
    return sorted(table, key=lambda row: (-len(row.flags), row.name))


def _annotations(rows: Sequence[Judgement]) -> pd.DataFrame:
    """One row an annotation: worker, unit, k, seconds, speed, answers (all), label (of "nature"). Without controls and
    what annotators say of themselves."""
    answers: dict[str, list[tuple[str, str, str]]] = {}
    first: dict[str, Judgement] = {}
    for row in rows:
        if row.control is None and row.target != TARGET:
            first.setdefault(row.annotation_id, row)
            answers.setdefault(row.annotation_id, []).append((row.target, row.question, repr(row.answer)))
    found = [
        {
            "worker": row.worker_id,
            "unit": row.unit_id,
            "k": row.exchanges,
            "seconds": row.seconds,
            "answers": tuple(sorted(answers[name])),
            "labels": tuple(answer for _, question, answer in answers[name] if question == "nature"),
        }
        for name, row in first.items()
    ]
    frame = pd.DataFrame(found, columns=["worker", "unit", "k", "seconds", "answers", "labels"])
    frame["seconds"] = frame["seconds"].astype(float)
    usual = frame.groupby("k")["seconds"].transform("median")
    frame["speed"] = (usual / frame["seconds"]).where(frame["seconds"] > 0)
    return frame


def _row(annotator: Annotator, name: str, mine: pd.DataFrame, graded: list[bool], failed: str) -> AnnotatorSummary:
    same = float(mine.groupby("answers").size().max() / len(mine)) if len(mine) else float("nan")
    labels = [label for own in mine["labels"] for label in own]
    speed = float(mine["speed"].median())
    flags = []
    if annotator.standing == "stopped":
        flags.append(f"{STOPPED} ({annotator.why})" if annotator.why else STOPPED)
    if failed:
        flags.append(LEFT_OUT + failed)
    elif any(graded):
        flags.append(MISSED)
    if mine["speed"].notna().sum() >= RULES.enough_annotations and speed > RULES.max_speed:
        flags.append(TOO_FAST)
    if len(labels) >= RULES.enough_labels and len(set(labels)) == 1:
        flags.append(SAME_LABEL)
    if len(mine) >= RULES.enough_annotations and same > RULES.max_same_answers:
        flags.append(SAME_ANSWERS)
    return AnnotatorSummary(
        name=name,
        units=int(mine["unit"].nunique()),
        annotations=len(mine),
        missed=sum(graded),
        controls=len(graded),
        seconds=float(mine["seconds"].median()),
        speed=speed,
        same_answers=same,
        flags=tuple(flags),
    )


def table(rows: Sequence[AnnotatorSummary], most: int = 30) -> str:
    """The rows as text: all who have flags, and so many others that there are `most` at most."""
    from tabulate import tabulate

    flagged = [row for row in rows if row.flags]
    shown = flagged + [row for row in rows if not row.flags][: max(0, most - len(flagged))]
    header = ("annotator", "units", "annotations", "controls missed", "seconds", "speed", "same answers", "look at")
    lines = [
        (r.name, r.units, r.annotations, f"{r.missed} of {r.controls}", *_known(r), "; ".join(r.flags)) for r in shown
    ]
    text = tabulate(lines, headers=header, disable_numparse=True)
    return text + (f"\n… and {len(rows) - len(shown)} more, unflagged" if len(shown) < len(rows) else "")


def _known(row: AnnotatorSummary) -> tuple[str, str, str]:
    forms = ((row.seconds, "{:.0f}"), (row.speed, "{:.1f}"), (row.same_answers, "{:.2f}"))
    return tuple("" if value != value else form.format(value) for value, form in forms)
