"""Agreement of two orders of the same contestants: Kendall's tau-b (1945, Biometrika 33).

Scores that differ by less than rounding errors count as tied.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.values import ratio
from parlai_spotbot.records import HUMAN

DIGITS = 12
"""Decimals to which scores are compared."""

LEAST = 3
"""Fewer contestants have no order worth comparing."""


def order_agreements(rankings: Sequence[tuple[str, str, Mapping[str, float]]]) -> list[dict]:
    """Return Kendall's tau-b of every two methods' scores by each criterion that both have.

    Parameters
    ----------
    rankings : sequence of (method, criterion, scores by contestant)

    Returns
    -------
    list of dict
        criterion, first, second (methods), contestants (bots that both rank, at least `LEAST`), n, tau.
    """
    rows = []
    for criterion in dict.fromkeys(ranking[1] for ranking in rankings):
        same = [(method, scores) for method, other, scores in rankings if other == criterion]
        for (first, scores), (second, others) in combinations(same, 2):
            names = sorted((scores.keys() & others.keys()) - {HUMAN})
            if first != second and len(names) >= LEAST:
                tau = kendall(*([by[name] for name in names] for by in (scores, others)))
                row = {"criterion": criterion, "first": first, "second": second, "contestants": names}
                rows.append(row | {"n": len(names), "tau": float(tau)})
    return rows


def kendall(first: ArrayLike, second: ArrayLike) -> np.ndarray:
    """Tau-b (...) of scores (..., K); NaN where either ranks all alike, or a score isn't known."""
    both = [np.asarray(scores, dtype=float) for scores in (first, second)]
    i, j = np.triu_indices(both[0].shape[-1], 1)
    a, b = (np.sign(np.round(scores[..., i] - scores[..., j], DIGITS)) for scores in both)
    return ratio((a * b).sum(axis=-1), np.sqrt((a * a).sum(axis=-1) * (b * b).sum(axis=-1)))
