"""Accuracy against the number of candidates, from one ranking of many candidates.

A question with n candidates has n - 1 distractors drawn from the N - 1 that were ranked. The mean Recall@1 over all
such draws follows from the rank among N by the hypergeometric distribution, so nothing is drawn.
"""

from collections.abc import Sequence

import numpy as np

from parlai_spotbot.analysis.nuc.estimates import share
from parlai_spotbot.analysis.nuc.ranks import Ranks


def recall_at(ranks: Ranks, n: int) -> np.ndarray:
    """Return the expected Recall@1 (q,) with `n` candidates per question, the distractors drawn without replacement
    from those that were ranked, ties broken at random.

    With g greater, e equal and M distractors in all, g + j are before the true turn, j = 0, …, e with the same
    probability, and it is first where none of these is among the m = n - 1 drawn.

    Raises `ValueError` where n is more than some question's number of candidates.
    """
    from scipy.stats import hypergeom  # slow to load, and most results have no ranks

    if len(ranks) and not 2 <= n <= ranks.n.min():
        raise ValueError(f"n={n}: expected a whole number from 2 to {ranks.n.min()}, the least number of candidates")
    cases, inverse = np.unique(np.stack([ranks.greater, ranks.equal, ranks.n]), axis=1, return_inverse=True)
    greater, equal, total = cases
    recall = hypergeom.pmf(0, total - 1, greater, n - 1)
    for case in np.flatnonzero(equal):
        places = greater[case] + np.arange(equal[case] + 1)
        recall[case] = hypergeom.pmf(0, total[case] - 1, places, n - 1).mean()
    return np.clip(recall, 0.0, 1.0)[inverse.ravel()]


def curve(ranks: Ranks, conversations: Sequence) -> list[dict]:
    """Return the mean Recall@1 over questions at 2, 3, 4, 5, 7, 10, 15, … candidates, up to the largest number.

    Each point has `candidates`, `chance`, and the fields of `Share` (there n is the number of questions).
    """
    return [
        {"candidates": n, "chance": 1 / n, **share(recall_at(ranks, n), conversations)}
        for n in default_sizes(int(ranks.n.min()))
    ]


def default_sizes(most: int) -> list[int]:
    """Return numbers of candidates from 2 to `most`, about as far apart on a scale of logarithms."""
    parts = (1, 1.5, 2, 3, 5, 7)
    steps = {4} | {round(part * 10**digits) for digits in range(len(str(most))) for part in parts}
    return sorted({size for size in steps if 2 <= size < most} | {most})
