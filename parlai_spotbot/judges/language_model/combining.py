"""Combine the answers of both orders to one, and count how often the order alone changed it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from parlai_spotbot.judges import identifier
from parlai_spotbot.judges.language_model.answer_journal import RawAnswer
from parlai_spotbot.surveys.survey import Question

NEUTRAL = ("unsure", "no_difference", "neither")
CLOSE = 1e-9
"""Probabilities that differ by less are a tie."""

RULE = (
    "Probabilities (1 for the option it named) are averaged over the two orders. A "
    "choice is the most probable option; where several are, the neutral one (unsure, no_difference, neither) if the "
    "question has one, else one drawn by the seed. A scale is the median of the averaged distribution, between two "
    "points the middle one, else drawn by the seed. A box is ticked at more than one half; of a required question the "
    "most probable at least. A ranking goes by the mean rank. A free text is that of the first order. An "
    "answer is missing if one of the orders has no good one."
)


def fits(question: Question, raw: RawAnswer) -> bool:
    """Return True if a kept answer can be one to the question."""
    if question.kind == "free_text":
        return bool(raw.text)
    values = sorted(option.value for option in question.options)
    if question.kind == "ranking":
        return sorted(raw.ranking) == values
    return len(raw.chances) == len(values) and all(0 <= chance <= 1 for chance in raw.chances)


def combined(question: Question, raws: Sequence[RawAnswer], seed: int, place: Sequence[str]) -> Any:
    """The answer of a judgement; None where a box question has none ticked.

    `raws` are good answers, one in each order that is asked; `place` names what is answered, for draws.
    """
    if question.kind == "free_text":
        return raws[0].text
    values = [option.value for option in question.options]
    if question.kind == "ranking":

        def mean_rank(value: str) -> tuple[float, str]:
            mean = float(np.mean([raw.ranking.index(value) for raw in raws]))
            return round(mean, 9), identifier(seed, *place, value)

        return sorted(values, key=mean_rank)
    means = np.mean([raw.chances for raw in raws], axis=0)
    if question.kind == "scale":
        point, between = divmod(sum(_medians(means)), 2)
        if between:
            point += _draw(2, seed, place)
        return values[point]
    best = np.flatnonzero(means >= means.max() - CLOSE)
    if question.kind == "checkboxes":
        ticked = np.flatnonzero(means > 0.5 + CLOSE)
        if question.required and not len(ticked):
            ticked = best[:1]
        return [values[i] for i in ticked] or None
    neutral = [i for i, value in enumerate(values) if value in NEUTRAL]
    if len(best) > 1 and neutral:
        return values[neutral[0]]
    return values[best[_draw(len(best), seed, place)]]


def _medians(means: np.ndarray) -> tuple[int, int]:
    """Return the lower and the upper median of a distribution; they are the same but for a tie."""
    cumulated = np.cumsum(means) / means.sum()
    return int(np.argmax(cumulated >= 0.5 - CLOSE)), int(np.argmax(cumulated > 0.5 + CLOSE))


def _draw(n: int, seed: int, place: Sequence[str]) -> int:
    return int(identifier(seed, "draw", *place), 16) % n


# -- position ----------------------------------------------------------------------------------------------------------
def position(rows: Sequence[tuple[str, Any, Any]]) -> dict:
    """Count how often the order alone changes the answer.

    Parameters
    ----------
    rows : list of (conversation, answer in the first order, answer in the second)
        One row for each question and target that was answered in both; free texts left out.

    Returns
    -------
    dict
        `n`, `flips`, `rate` and `ci` (95 %, conversations as clusters).
    """
    from parlai_spotbot.analysis.uncertainty.clusters import Clusters
    from parlai_spotbot.analysis.uncertainty.shares import share_interval

    if not rows:
        return {"n": 0, "flips": 0, "rate": None, "ci": None}
    hits = np.array([one != two for _, one, two in rows], dtype=float)
    ci = share_interval(hits, Clusters.by([cluster for cluster, _, _ in rows]))
    return {"n": len(rows), "flips": int(hits.sum()), "rate": float(hits.mean()), "ci": [float(end) for end in ci]}
