"""Outcomes of the training, one row each: surveys/NAME/training.jsonl.

A row is a round of the training, or a gold dialogue that was mixed into the work: ``{"task", "annotator", "attempt",
"round", "role", "dialogue", "wrong_turns", "of", "mistakes_by_label", "passed", "at", "seconds", "group"}``. `role` is
"training", "second_chance" or "gold"; a gold dialogue has no attempt, and its `round` counts the annotator's from 1.
`passed` is null where a round doesn't decide; of a gold dialogue it says whether it would have been enough. Who
withdrew is left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from parlai_spotbot.crowdsourcing.desk.grading import answers_of
from parlai_spotbot.crowdsourcing.ledger.entries import LedgerContents, Submission, TrainingRound
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.abc_eval.labels import ALLOWED
from parlai_spotbot.surveys.abc_eval.training import given_labels
from parlai_spotbot.surveys.controls.gold import is_mark, key_of

GOLD = "gold"


def training_path(study: Study, survey: str) -> Path:
    return study.survey_path(survey) / "training.jsonl"


def moment(seconds: float) -> str:
    """A time of the ledger as ISO 8601 in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def training_rows(task: str, part: LedgerContents, names: Mapping[str, str]) -> list[dict]:
    """The rows of a task's collection in the order in which they came in; `names` replaces worker ids."""
    kept = [sitting for sitting in part.sittings if sitting.body]
    teams = {sitting.worker: sitting.team for sitting in kept}
    rows = [(sitting.at, _round(task, sitting, names)) for sitting in kept]
    met: Counter[str] = Counter()
    for submission in part.submissions:
        worker = part.done[submission.handle].worker
        if submission.handle not in part.out:
            for row in golds(task, submission):
                met[worker] += 1
                about = {"annotator": names[worker], "round": met[worker], "group": teams.get(worker, "")}
                rows.append((submission.received_at, {**row, **about}))
    return [row for _, row in sorted(rows, key=lambda pair: pair[0])]


def _round(task: str, sitting: TrainingRound, names: Mapping[str, str]) -> dict:
    result = sitting.result
    about = {"task": task, "annotator": names[sitting.worker]}
    about |= {name: result[name] for name in ("attempt", "round", "role")} | {"dialogue": sitting.dialogue}
    graded = {"wrong_turns": result["wrong_turns"], "of": result["of"], "mistakes_by_label": result["mistakes"]}
    when = {"at": moment(sitting.at), "seconds": result["seconds"], "group": sitting.team}
    return {**about, **graded, "passed": sitting.passed, **when}


def golds(task: str, submission: Submission) -> Iterator[dict]:
    """Yield a row for each gold dialogue in a finished unit, as far as it follows from the unit."""
    for item in submission.record["items"]:
        if is_mark(item["control"]):
            graded = graded_gold(item["control"], answers_of(item))
            about = {"task": task, "annotator": "", "attempt": None, "round": 0, "role": GOLD}
            passed = graded["wrong_turns"] <= ALLOWED[task]
            when = {"at": moment(submission.received_at), "seconds": item["seconds"], "group": ""}
            yield {**about, "dialogue": item["item_id"], **graded, "passed": passed, **when}


def graded_gold(control: str, answers: Mapping[tuple[str, str], Any]) -> dict:
    """Return how a gold dialogue was annotated: ``{"wrong_turns", "of", "mistakes_by_label"}``."""
    task, key = key_of(control)
    given = {turn: given_labels(task, answers, turn) for turn in key}
    mistakes = Counter(label for turn in key for label in (given[turn] or frozenset()) ^ key[turn])
    return {
        "wrong_turns": sum(given[turn] != key[turn] for turn in key),
        "of": len(key),
        "mistakes_by_label": dict(sorted(mistakes.items())),
    }
