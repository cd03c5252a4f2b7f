"""Rank of the true next turn among the candidates, exact where scores tie.

Ties are broken at random in thought: every figure is the expectation over all orders of candidates with the same score.
So a scorer that gives all n candidates one score has Recall@1 of exactly 1/n, and the order in which candidates come
changes nothing. Only counts are kept, so a million candidates may come in pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import digamma


@dataclass(frozen=True)
class Ranks:
    """For each of q questions how many wrong candidates scored higher than the true one (`greater`), how many the same
    (`equal`), and how many candidates there were in all (`n`); whole numbers (q,)."""

    greater: np.ndarray
    equal: np.ndarray
    n: np.ndarray

    def __post_init__(self):
        for name in ("greater", "equal", "n"):
            values = np.asarray(getattr(self, name))
            if values.ndim != 1 or not np.issubdtype(values.dtype, np.integer):
                raise ValueError(f"{name}: {values.dtype} of shape {values.shape}, expected whole numbers (q,)")
            object.__setattr__(self, name, values.astype(np.int64))
        wrong = (self.greater < 0) | (self.equal < 0) | (self.greater + self.equal >= self.n)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            raise ValueError(
                f"question {row}: {self.greater[row]} greater and {self.equal[row]} equal of {self.n[row]} candidates, "
                "expected fewer than there are"
            )

    def __len__(self) -> int:
        return len(self.n)

    def take(self, chosen: np.ndarray) -> Ranks:
        """Return those of the questions `chosen` (a mask or places)."""
        return Ranks(self.greater[chosen], self.equal[chosen], self.n[chosen])

    @property
    def expected(self) -> np.ndarray:
        """The expected rank (q,), from 1: with e others of the same score it is the middle of their places."""
        return self.greater + 1 + self.equal / 2

    def recall(self, k: int) -> np.ndarray:
        """Recall@k (q,): the probability that the true turn is among the first `k`, ties broken at random.

        With g greater and e equal ones it is (k - g) / (e + 1), from 0 to 1. More candidates wanted than there are is a
        `ValueError`.
        """
        if k < 1 or (len(self) and k > self.n.min()):
            least = int(self.n.min()) if len(self) else 0
            raise ValueError(f"k={k}: expected a whole number from 1 to {least}, the least number of candidates")
        return np.clip((k - self.greater) / (self.equal + 1), 0.0, 1.0)

    def reciprocal(self) -> np.ndarray:
        """The expectation of 1 / rank (q,), ties broken at random; its mean is the MRR.

        The rank is each of g+1, …, g+e+1 with the same probability, so it is the mean of their reciprocals, which the
        digamma function sums.
        """
        ends = digamma(self.greater + self.equal + 2.0) - digamma(self.greater + 1.0)
        return ends / (self.equal + 1)


def ranks_of(scores: np.ndarray | Sequence[np.ndarray], true: Sequence[int]) -> Ranks:
    """The ranks of the true turns from all scores.

    Parameters
    ----------
    scores : float array (q, n), or q float arrays (n_i,)
        Higher is better; -inf is allowed, NaN is a `ValueError` that names the question.
    true : sequence of int (q,)
        The place of the true turn among each question's candidates.
    """
    true = np.asarray(true, dtype=np.int64)
    if len(scores) != len(true):
        raise ValueError(f"true has {len(true)} entries, expected one for each of {len(scores)} questions")
    greater, equal, n = (np.zeros(len(true), dtype=np.int64) for _ in range(3))
    for row, (row_scores, place) in enumerate(zip(scores, true, strict=True)):
        row_scores = np.asarray(row_scores, dtype=float)
        if row_scores.ndim != 1 or len(row_scores) < 2:
            raise ValueError(f"question {row}: scores of shape {row_scores.shape}, expected two candidates or more")
        if not 0 <= place < len(row_scores):
            raise ValueError(
                f"question {row}: true is {place}, expected the place of one of {len(row_scores)} candidates"
            )
        if np.isnan(row_scores).any():
            raise ValueError(
                f"question {row}: the score of candidate {int(np.flatnonzero(np.isnan(row_scores))[0])} is NaN"
            )
        greater[row] = np.count_nonzero(row_scores > row_scores[place])
        equal[row] = np.count_nonzero(row_scores == row_scores[place]) - 1
        n[row] = len(row_scores)
    return Ranks(greater, equal, n)


def chance(n: np.ndarray | Sequence[int], k: int = 1) -> float:
    """The mean Recall@k of guessing, with `n` (q,) candidates a question: that of min(k / n, 1)."""
    return float(np.minimum(k / np.asarray(n, dtype=float), 1.0).mean())
