"""One row per annotator: correctness, speed, amounts and flags; and rankings without those who are flagged.

Appendix G and Table 9 of the paper. No figure but that ranking leaves anybody out for a flag; only controls do that
(`annotators.controls`).
"""

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.annotators.detection import CALLED, ENDS, detection
from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.ranking.contrasts import contrasts
from parlai_spotbot.analysis.ranking.rate_intervals import win_rate_table
from parlai_spotbot.records import HUMAN

SAME_LABEL = "always the same label"
GUESSING = "worse than guessing"
INCORRECT = "too seldom correct"
TOO_FAST = "too fast"
SAME_ANSWERS = "same answers over and over"
TWICE = "same segment twice"
SEGMENTS = "two segments of one conversation"
UNITS = "too many units"
AMOUNTS = (TWICE, SEGMENTS, UNITS)

ENOUGH_LABELS = 20
ENOUGH_ANNOTATIONS = 10
"""An annotator's answers, or speed, are judged from this many labelled entities, or annotations, on."""

MAX_SPEED = 2.0
"""How many times as fast as usual half of the annotations may be: the relative speed index of Leiner 2019, Surv. Res.
Methods 13."""

WORDS_PER_EXCHANGE = 20
MOST_WORDS_PER_MINUTE = 900
"""Half of the annotations must take as long as reading does at this speed, however fast others are: 1.3 seconds an
exchange. Adults read some 240 words a minute (Brysbaert 2019, J. Mem. Lang. 109)."""

MAX_SAME_ANSWERS = 0.9
"""The share of annotations in which all answers may be the same ones."""


def annotator_table(
    annotations: pd.DataFrame, labels: pd.DataFrame, max_units: int | None = 3, min_correct: float | None = None
) -> pd.DataFrame:
    """Return one row per annotator, index `worker_id`.

    Parameters
    ----------
    annotations : frame
        worker_id, unit_id, conversation_id, k (exchanges shown), seconds, answers (a tuple of all of them).
    labels : frame
        One row per labelled entity: worker_id, nature (the label), name (who it is).
    max_units : int or None
        Units that one annotator may do: the paper's 3. None: amounts, segments and repeats are not flagged.
    min_correct : float, optional
        Flags who is correct less often; the paper tries .75 (appendix G). Correctness rewards always saying "bot".

    Returns
    -------
    frame
        `n` annotations; `units`; `correct`, share of correct labels that are not unsure (the paper's), and
        `correct_people`, the same of people only; `balanced_accuracy`; `sensitivity` d' and `bias` c with intervals
        (see `detection`); `median_seconds`, `hours` (of annotations with a known time); `speed`: in the median, how
        many times as fast as everybody's median at that length; `same_answers`: the share of the most frequent set of
        answers; `flags`, a list. NaN where nothing is known.
    """
    annotations = with_speed(annotations)
    labels_by_worker = dict(iter(labels.groupby("worker_id")))
    rows = {}
    for worker, work in annotations.groupby("worker_id", sort=True):
        given = labels_by_worker.get(worker, labels.iloc[:0])
        row = {**worked(work), **correctness(given)}
        rows[worker] = {**row, "flags": flags_of(row, given, work, min_correct, max_units)}
    columns = [*worked(annotations.iloc[:0]), *correctness(labels.iloc[:0]), "flags"]
    return pd.DataFrame.from_dict(rows, orient="index", columns=columns)


def with_speed(annotations: pd.DataFrame) -> pd.DataFrame:
    """Add `_speed`: how many times as fast as everybody's median at that length; NaN where no time is known.

    And `_unread`: whether it took less time than reading does.
    """
    seconds = annotations["seconds"].astype(float)
    usual = seconds.groupby(annotations["k"]).transform("median")
    reading = annotations["k"].astype(float) * WORDS_PER_EXCHANGE * 60 / MOST_WORDS_PER_MINUTE
    return annotations.assign(seconds=seconds, _speed=(usual / seconds).where(seconds > 0), _unread=seconds < reading)


def worked(rows: pd.DataFrame) -> dict:
    """Return the amounts, times and most frequent answers of an annotator."""
    answers = Counter(given for given in rows["answers"] if all(value == value for value in given))
    return {
        "n": len(rows),
        "units": int(rows["unit_id"].nunique()),
        "median_seconds": float(rows["seconds"].median()),
        "hours": float(rows["seconds"].sum(min_count=1) / 3600),
        "speed": float(rows["_speed"].median()),
        "same_answers": max(answers.values(), default=np.nan) / len(rows) if len(rows) else np.nan,
    }


def correctness(labels: pd.DataFrame) -> dict:
    """Return how often an annotator is correct."""
    called = labels["nature"].map(CALLED).to_numpy(dtype=float)
    is_bot = (labels["name"] != HUMAN).to_numpy()
    sure = called != CALLED["unsure"]
    correct = called == is_bot
    rates = detection(called, is_bot)
    return {
        "correct": float(correct[sure].mean()) if sure.any() else np.nan,
        "correct_people": float(correct[sure & ~is_bot].mean()) if (sure & ~is_bot).any() else np.nan,
        **{name: rates[name] for name in ("balanced_accuracy", "sensitivity", "bias", *ENDS)},
    }


def flags_of(
    row: dict, labels: pd.DataFrame, work: pd.DataFrame, min_correct: float | None, max_units: int | None
) -> list[str]:
    """Return the flags for an annotator's answers and speed, and with `max_units` for amounts: a segment, and a
    conversation, may be shown to an annotator once."""
    many = len(labels) >= ENOUGH_LABELS
    sure = (labels["nature"] != "unsure").sum() >= ENOUGH_LABELS
    timed = work["_speed"].notna().sum() >= ENOUGH_ANNOTATIONS
    segments = work[["conversation_id", "k"]]
    limited = max_units is not None
    broken = {
        SAME_LABEL: many and labels["nature"].nunique() == 1,
        GUESSING: many and row["balanced_accuracy"] < 0.5,
        INCORRECT: min_correct is not None and sure and row["correct"] < min_correct,
        TOO_FAST: timed and (row["speed"] > MAX_SPEED or work["_unread"].mean() > 0.5),
        SAME_ANSWERS: len(work) >= ENOUGH_ANNOTATIONS and row["same_answers"] > MAX_SAME_ANSWERS,
        TWICE: limited and segments.duplicated().any(),
        SEGMENTS: limited and segments.drop_duplicates()["conversation_id"].duplicated().any(),
        UNITS: limited and row["units"] > max_units,
    }
    return [flag for flag, holds in broken.items() if holds]


def summary(table: pd.DataFrame) -> dict:
    """Return how many annotators there are and Table 9's columns: mean correctness, of people only, and the share of
    annotators below one half."""
    correct = table["correct"].dropna()
    return {
        "n": len(table),
        "correct": float(correct.mean()),
        "correct_people": float(table["correct_people"].mean()),
        "share_below_half_correct": float((correct < 0.5).mean()),
    }


def rankings_without(
    annotations: pd.DataFrame, bots: Sequence[str], flagged: Collection[str], crossed: bool
) -> pd.DataFrame:
    """Return a row for each bot with all annotations (`rows` "everybody"), and without those of the `flagged`
    ("without flagged"): bot, win_rate, win_rate_low, win_rate_high, and how many `annotators` gave `n` annotations.
    """
    kept = annotations[~annotations["worker_id"].isin(list(flagged))]
    tables = []
    for name, rows in {"everybody": annotations, "without flagged": kept}.items():
        table = win_rate_table(contrasts(matches_frame(rows), bots, crossed=crossed))
        table.insert(0, "rows", name)
        tables.append(table.assign(annotators=rows["worker_id"].nunique(), n=len(rows)))
    return pd.concat(tables, ignore_index=True)
