"""One row an annotator: what they got right, how fast they were, which rules they broke; and all of them together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.annotators import rules as flag
from parlai_spotbot.analysis.annotators.detection import CALLED, detection
from parlai_spotbot.analysis.annotators.rules import ANSWERS, Rules
from parlai_spotbot.records import HUMAN

COLUMNS = (
    "n",
    "units",
    "correct",
    "correct_people",
    "balanced_accuracy",
    "sensitivity",
    "sensitivity_low",
    "sensitivity_high",
    "bias",
    "bias_low",
    "bias_high",
    "median_seconds",
    "hours",
    "speed",
    "same_answers",
    "repeated_segments",
    "repeated_conversations",
    "flags",
)


def annotator_table(
    annotations: pd.DataFrame, entities: pd.DataFrame, limits: bool = True, rules: Rules | None = None
) -> pd.DataFrame:
    """One row an annotator, index `worker_id`.

    Columns: `n` annotations; `units` worked on; `correct`, share right of the labels that are not unsure (the
    paper's), and `correct_people`, the same of people only; `balanced_accuracy`, mean of the shares right on bots and
    on people; `sensitivity` d' and `bias` c of calling an entity a bot, with intervals (see `detection`);
    `median_seconds`, `hours` (of annotations with a known time); `speed`: in the median, how many times as fast as
    everybody's median at that length; `same_answers`: the share of the annotator's most frequent set of answers;
    `repeated_segments`, `repeated_conversations`: annotations of a segment, segments of a conversation beyond the
    first; `flags`, a list of the `rules` that catch the annotator. Unsure counts as half a "bot", so guessing has
    balanced accuracy .5. NaN where nothing is known.

    `limits` says whether the rules on units, segments and repeats hold, as they do for people.
    """
    rules = Rules() if rules is None else rules
    rows = {}
    for worker, annotator in annotators(annotations, entities, rules.answers).items():
        broken = limits_broken(annotator.annotations, rules) if limits else []
        rows[worker] = {**annotator.row, "flags": flags(annotator, rules) + broken}
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(COLUMNS))


@dataclass(frozen=True)
class Annotator:
    """A row of the table without its `flags`, and what it is of: labels of entities, annotations with `_speed`."""

    row: dict
    labels: pd.DataFrame
    annotations: pd.DataFrame


def annotators(
    annotations: pd.DataFrame, entities: pd.DataFrame, answers: Sequence[str] = ANSWERS
) -> dict[str, Annotator]:
    """Everybody who labelled an entity, by `worker_id`; the answers of an annotation are in the columns `answers`."""
    annotations = with_speed(annotations)
    by_worker, result = dict(iter(annotations.groupby("worker_id"))), {}
    for worker, labels in entities.groupby("worker_id", sort=True):
        work = by_worker.get(worker, annotations.iloc[:0])
        result[worker] = Annotator({**worked(work, answers), **right(labels)}, labels, work)
    return result


def with_speed(annotations: pd.DataFrame) -> pd.DataFrame:
    """With `_speed`: how many times as fast as everybody's median at that length; NaN where no time is known."""
    seconds = annotations["seconds"].astype(float)
    usual = seconds.groupby(annotations["k"]).transform("median")
    speed = np.divide(usual, seconds, out=np.full(len(seconds), np.nan), where=(seconds > 0).to_numpy())
    return annotations.assign(_speed=speed)


def worked(rows: pd.DataFrame, columns: Sequence[str] = ANSWERS) -> dict:
    """Describe how an annotator worked: amounts, times, repetitions; `answers` hold all those to an item, else
    `columns` do."""
    column_set = ["answers"] if "answers" in rows else columns
    answers = Counter(
        given for given in zip(*(rows[name] for name in column_set), strict=True) if all(v == v for v in given)
    )
    segments = _segments(rows)
    return {
        "n": len(rows),
        "units": int(rows["unit_id"].nunique()),
        "median_seconds": float(rows["seconds"].median()),
        "hours": float(rows["seconds"].sum() / 3600) if rows["seconds"].notna().any() else np.nan,
        "speed": float(rows["_speed"].median()),
        "same_answers": max(answers.values(), default=np.nan) / len(rows) if len(rows) else np.nan,
        "repeated_segments": len(rows) - len(segments),
        "repeated_conversations": len(segments) - rows["conversation_id"].nunique(),
    }


def _segments(rows: pd.DataFrame) -> Counter[tuple[str, int]]:
    """Compute how often each segment, a conversation cut after `k` exchanges, was annotated."""
    return Counter(zip(rows["conversation_id"], rows["k"], strict=True))


def right(labels: pd.DataFrame) -> dict:
    """Return what an annotator got right."""
    called = labels["nature"].map(CALLED).to_numpy(dtype=float)
    is_bot = (labels["name"] != HUMAN).to_numpy()
    sure = called != CALLED["unsure"]
    good = called == is_bot
    rates = detection(called, is_bot)
    return {
        "correct": float(good[sure].mean()) if sure.any() else np.nan,
        "correct_people": float(good[sure & ~is_bot].mean()) if (sure & ~is_bot).any() else np.nan,
        "balanced_accuracy": rates.balanced_accuracy,
        "sensitivity": rates.sensitivity,
        "sensitivity_low": rates.sensitivity_ci[0],
        "sensitivity_high": rates.sensitivity_ci[1],
        "bias": rates.bias,
        "bias_low": rates.bias_ci[0],
        "bias_high": rates.bias_ci[1],
    }


def flags(annotator: Annotator, rules: Rules) -> list[str]:
    """The rules on what was answered, and how fast, that catch an annotator."""
    row, labels, work, broken = annotator.row, annotator.labels, annotator.annotations, []
    if len(labels) >= rules.enough_labels:
        sure = int((labels["nature"] != "unsure").sum())
        if rules.same_label and labels["nature"].nunique() == 1:
            broken.append(flag.SAME_LABEL)
        if rules.min_balanced_accuracy is not None and row["balanced_accuracy"] < rules.min_balanced_accuracy:
            broken.append(flag.GUESSING)
        if rules.min_correct is not None and sure >= rules.enough_labels and row["correct"] < rules.min_correct:
            broken.append(flag.INCORRECT)
    timed = work["_speed"].notna().sum() >= rules.enough_annotations
    hasty = row["speed"] > (rules.max_speed or np.inf) or row["median_seconds"] < rules.min_seconds
    if rules.max_speed is not None and timed and hasty:
        broken.append(flag.TOO_FAST)
    enough = len(work) >= rules.enough_annotations
    if rules.max_same_answers is not None and enough and row["same_answers"] > rules.max_same_answers:
        broken.append(flag.SAME_ANSWERS)
    return broken


def limits_broken(rows: pd.DataFrame, rules: Rules) -> list[str]:
    """The rules on amounts that the annotations of one annotator break."""
    broken, segments = [], _segments(rows)
    if rules.max_repeats is not None and max(segments.values(), default=0) > rules.max_repeats:
        broken.append(flag.TWICE)
    of_one = Counter(conversation for conversation, _ in segments)
    if rules.max_segments is not None and max(of_one.values(), default=0) > rules.max_segments:
        broken.append(flag.SEGMENTS)
    if rules.max_units is not None and rows["unit_id"].nunique() > rules.max_units:
        broken.append(flag.UNITS)
    return broken


def summary(table: pd.DataFrame, rules: Rules | None = None, marked: Iterable[str] = ()) -> dict:
    """Over annotators: how many, the means of Table 9's columns, the share that does worse than guessing, the flags.

    `marked` names flags of other origin. `flags` is {flag: {"n": how many annotators, "annotations": how many of
    theirs}}.
    """
    rules = Rules() if rules is None else rules
    finite = table["balanced_accuracy"].dropna()
    flags = {}
    for name in (*rules.in_force(), *marked):
        caught = table["flags"].map(lambda flags, name=name: name in flags).astype(bool)
        flags[name] = {"n": int(caught.sum()), "annotations": int(table["n"][caught].sum())}
    return {
        "n": len(table),
        "correct": float(table["correct"].mean()),
        "correct_people": float(table["correct_people"].mean()),
        "balanced_accuracy": float(finite.mean()) if len(finite) else np.nan,
        "share_worse_than_guessing": float((finite < 0.5).mean()) if len(finite) else np.nan,
        "share_below_half_correct": float((table["correct"].dropna() < 0.5).mean()) if len(table) else np.nan,
        "flagged": int((table["flags"].map(len) > 0).sum()),
        "flags": flags,
    }
