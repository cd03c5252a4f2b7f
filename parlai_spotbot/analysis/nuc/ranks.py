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

    def __len__(self) -> int:
        return len(self.n)

    def take(self, chosen: np.ndarray) -> Ranks:
        """Return those of the questions `chosen` (a mask or places)."""
        return Ranks(self.greater[chosen], self.equal[chosen], self.n[chosen])

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
    """Return the ranks of the true turns from all scores.

    Parameters
    ----------
    scores : float array (q, n), or q float arrays (n_i,)
        Higher is better; -inf is allowed, NaN is a `ValueError` that names the question.
    true : sequence of int (q,)
        The place of the true turn among each question's candidates.
    """
    counts = []
    for row, (row_scores, place) in enumerate(zip(scores, true, strict=True)):
        row_scores = np.asarray(row_scores, dtype=float)
        if (missing := np.flatnonzero(np.isnan(row_scores))).size:
            raise ValueError(f"question {row}: the score of candidate {missing[0]} is NaN")
        counts.append(
            ((row_scores > row_scores[place]).sum(), (row_scores == row_scores[place]).sum() - 1, len(row_scores))
        )
    return Ranks(*np.array(counts, dtype=np.int64).reshape(-1, 3).T)


def chance(n: np.ndarray | Sequence[int], k: int = 1) -> float:
    """Return the mean Recall@k of guessing, with `n` (q,) candidates a question: that of min(k / n, 1)."""
    return float(np.minimum(k / np.asarray(n, dtype=float), 1.0).mean())
