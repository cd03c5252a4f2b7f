"""Accuracy against the number of candidates, from one ranking among many.

A question with n candidates has n - 1 distractors drawn from the N - 1 that were ranked. What Recall@k is then, on
average over all such draws, follows from the rank among N by the hypergeometric distribution, so nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln
from scipy.stats import hypergeom

from parlai_spotbot.analysis.nuc.estimates import Share, share
from parlai_spotbot.analysis.nuc.ranks import Ranks

PIECE = 1_000_000
"""So many places of ties are computed at once."""


def recall_at(ranks: Ranks, n: int, k: int = 1) -> np.ndarray:
    """Expected Recall@k (q,) with `n` candidates a question, the distractors drawn without replacement from those that
    were ranked, ties broken at random.

    With g greater, e equal and M distractors in all, the true turn beats the fewest of its equals as often as the most:
    g + j are before it, j = 0, …, e with the same probability. It is among the first k where fewer than k of these are
    among the m = n - 1 drawn. For k = 1 the sum over j has a closed form, C(M-g-j, m) over j = 0, …, e being
    C(M-g+1, m+1) - C(M-g-e, m+1).

    Raises `ValueError` where n is more than some question's number of candidates, or k more than n.
    """
    if len(ranks) and not 2 <= n <= ranks.n.min():
        raise ValueError(f"n={n}: expected a whole number from 2 to {ranks.n.min()}, the least number of candidates")
    if not 1 <= k <= n:
        raise ValueError(f"k={k}: expected a whole number from 1 to n={n}")
    cases, inverse = np.unique(np.stack([ranks.greater, ranks.equal, ranks.n]), axis=1, return_inverse=True)
    greater, equal, total = cases
    recall = _first(greater, equal, total - 1, n - 1) if k == 1 else _among(greater, equal, total - 1, n - 1, k)
    return np.clip(recall, 0.0, 1.0)[inverse.ravel()]


def _log_choose(n: np.ndarray, k: int) -> np.ndarray:
    """log C(n, k), -inf where k is more than n."""
    n = np.asarray(n, dtype=float)
    inside = np.maximum(n, k)
    return np.where(n >= k, gammaln(inside + 1) - gammaln(k + 1.0) - gammaln(inside - k + 1), -np.inf)


def _first(greater: np.ndarray, equal: np.ndarray, distractors: np.ndarray, m: int) -> np.ndarray:
    """Recall@1 by the closed form; without ties by a product, which large numbers don't blur."""
    alone = _none_drawn(greater, distractors, m)
    if not equal.any():
        return alone
    all_of = _log_choose(distractors, m)
    first = _log_choose(distractors - greater + 1, m + 1) - all_of
    second = _log_choose(distractors - greater - equal, m + 1) - all_of
    tied = (np.exp(first) - np.exp(second)) / (equal + 1)
    few = (equal > 0) & (equal <= 1000)  # the difference of two large numbers is inexact where it is small
    for case in np.flatnonzero(few):
        places = greater[case] + np.arange(equal[case] + 1)
        tied[case] = _none_drawn(places, np.full(len(places), distractors[case]), m).mean()
    return np.where(equal > 0, tied, alone)


def _none_drawn(before: np.ndarray, distractors: np.ndarray, m: int) -> np.ndarray:
    """The probability that none of `before` is among `m` drawn of `distractors`."""
    return hypergeom.pmf(0, distractors, before, m)


def _among(greater: np.ndarray, equal: np.ndarray, distractors: np.ndarray, m: int, k: int) -> np.ndarray:
    """Recall@k as the mean over the places among ties."""
    empty = np.empty(len(greater))
    for case in range(len(greater)):
        total = 0.0
        for start in range(0, int(equal[case]) + 1, PIECE):
            places = greater[case] + np.arange(start, min(start + PIECE, equal[case] + 1))
            total += hypergeom.cdf(k - 1, distractors[case], places, m).sum()
        empty[case] = total / (equal[case] + 1)
    return empty


@dataclass(frozen=True)
class Curve:
    """Recall@k against the number of candidates: `n` (p,) and for each the mean over questions with its intervals."""

    k: int
    n: tuple[int, ...]
    shares: tuple[Share, ...]

    @classmethod
    def of(cls, ranks: Ranks, conversations: Sequence, k: int = 1, n: Sequence[int] | None = None) -> Curve:
        """The curve at `n` (by default 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, … and the most there are)."""
        chosen = [size for size in (default_sizes(int(ranks.n.min())) if n is None else n) if size >= k]
        return cls(k, tuple(chosen), tuple(share(recall_at(ranks, size, k), conversations) for size in chosen))

    def to_dict(self) -> dict:
        """Ready for JSON: `points` with candidates, chance, and what `Share` says (there n counts questions)."""
        rows = [
            {"candidates": n, "chance": self.k / n, **own.to_dict()} for n, own in zip(self.n, self.shares, strict=True)
        ]
        return {"k": self.k, "points": rows}


def default_sizes(most: int) -> list[int]:
    """Numbers of candidates from 2 to `most`, about as far apart on a scale of logarithms."""
    steps = [2, 3, 4, 5, 7]
    decade = 10
    while decade <= most:
        steps += [round(decade * part) for part in (1, 1.5, 2, 3, 5, 7)]
        decade *= 10
    return sorted({size for size in steps if size < most} | {most})
