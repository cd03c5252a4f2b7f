"""One answer out of those of both orders and all samples, and how often the order alone changed it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from parlai_spotbot.judges import identifier
from parlai_spotbot.judges.language_model.answer_journal import RawAnswer
from parlai_spotbot.surveys.survey import Question

NEUTRAL = ("unsure", "no_difference", "neither")
CLOSE = 1e-9
"""Probabilities no further apart than this are a tie."""

RULE = (
    "Probabilities (of a server: 1 for the option it named) are averaged over samples, then over the two orders. A "
    "choice is the most probable option; where several are, the neutral one (unsure, no_difference, neither) if the "
    "question has one, else one drawn by the seed. A scale is the median of the averaged distribution, between two "
    "points the middle one, else drawn by the seed. A box is ticked at more than one half; of a required question the "
    "most probable at least. A ranking goes by the mean rank. A free text is that of the first order. What lacks a "
    "good answer in one of the orders is missing."
)


def combined(question: Question, raws: Sequence[RawAnswer], seed: int, place: Sequence[str]) -> Any:
    """The answer, as it stands in a judgement; None where a box question has none ticked.

    `raws` are good answers, at least one in each order that is asked; `place` names what is answered, for draws.
    """
    if question.kind == "free_text":
        return raws[0].text
    if question.kind == "ranking":
        return _ranked(question, raws, seed, place)
    means = mean_chances(raws)
    values = [option.value for option in question.options]
    if question.kind == "scale":
        return values[_median(means, seed, place)]
    best = np.flatnonzero(means >= means.max() - CLOSE)
    if question.kind == "checkboxes":
        ticked = np.flatnonzero(means > 0.5 + CLOSE)
        ticked = best[:1] if not len(ticked) and question.required else ticked
        return [values[i] for i in ticked] or None
    neutral = [i for i, value in enumerate(values) if value in NEUTRAL]
    if len(best) > 1 and neutral:
        return values[neutral[0]]
    return values[best[_draw(len(best), seed, place)]]


def mean_chances(raws: Sequence[RawAnswer]) -> np.ndarray:
    """The options' mean probabilities, shape (options,): each order counts the same, however many samples it has."""
    orders = sorted({raw.order for raw in raws})
    return np.mean([np.mean([raw.chances for raw in raws if raw.order == order], axis=0) for order in orders], axis=0)


def _median(means: np.ndarray, seed: int, place: Sequence[str]) -> int:
    cumulated = np.cumsum(means) / means.sum()
    low = int(np.argmax(cumulated >= 0.5 - CLOSE))
    high = int(np.argmax(cumulated > 0.5 + CLOSE))
    middle = low + high
    return middle // 2 + (_draw(2, seed, place) if middle % 2 else 0)


def _ranked(question: Question, raws: Sequence[RawAnswer], seed: int, place: Sequence[str]) -> list[str]:
    values = [option.value for option in question.options]
    ranks = {value: np.mean([raw.ranking.index(value) for raw in raws]) for value in values}
    return sorted(values, key=lambda value: (round(ranks[value], 9), identifier(seed, *place, value)))


def _draw(n: int, seed: int, place: Sequence[str]) -> int:
    return int(identifier(seed, "draw", *place), 16) % n


# -- position ----------------------------------------------------------------------------------------------------------
def in_order(question: Question, raws: Sequence[RawAnswer], order: str, seed: int, place: Sequence[str]) -> Any:
    """The answer that one order alone would give; None where it has no good one."""
    own = [raw for raw in raws if raw.order == order]
    return combined(question, own, seed, place) if own else None


def position(rows: Sequence[tuple[str, str, Any, Any]], first: Mapping[str, float]) -> dict:
    """How often exchanging names and sides changes the answer.

    Parameters
    ----------
    rows : list of (question, conversation, answer in the first order, answer in the second)
        One row for each question and target that was answered in both; free texts left out.
    first : mapping
        As `listed` gives it.

    Returns
    -------
    dict
        `n`, `flips`, `rate` and `ci` (95 %, conversations as clusters), the same `by_question`, and `listed`.
    """
    questions = dict.fromkeys(row[0] for row in rows)
    by_question = {name: _flips([row for row in rows if row[0] == name]) for name in questions}
    return {**_flips(rows), "by_question": by_question, "listed": dict(first)}


def _flips(rows: Sequence[tuple[str, str, Any, Any]]) -> dict:
    from parlai_spotbot.analysis.uncertainty.clusters import Clusters
    from parlai_spotbot.analysis.uncertainty.shares import share_interval

    hits = np.array([one != two for _, _, one, two in rows], dtype=float)
    if not len(rows):
        return {"n": 0, "flips": 0, "rate": None, "ci": None}
    ci = share_interval(hits, Clusters.by([cluster for _, cluster, _, _ in rows]))
    return {"n": len(rows), "flips": int(hits.sum()), "rate": float(hits.mean()), "ci": [float(end) for end in ci]}


def listed(questions: Mapping[str, Question], raws: Sequence[RawAnswer]) -> dict:
    """Which place in the list of options single answers pick: `first` and `last`, shares of `n`.

    Over both orders every option stands first as often as last, so without a liking for a place the two are alike.
    """
    n = first = last = 0
    for raw in raws:
        question = questions[raw.question]
        if question.kind not in ("choice", "scale"):
            continue
        values = [option.value for option in question.options]
        chosen = values[int(np.argmax(raw.chances))]
        n += 1
        first += chosen == raw.first_listed
        last += chosen == raw.last_listed
    return {"n": n, "first": first / n if n else None, "last": last / n if n else None}
