"""Several methods on the same contestants: agreement of their orders, from what the analyses store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from parlai_spotbot.analysis.study_comparison import Correlation, Scores, adjusted, rank_correlation
from parlai_spotbot.records import HUMAN

LEAST = 3
"""Fewer contestants have no order worth comparing."""


@dataclass(frozen=True)
class MethodRanking:
    """One method's ranking by one criterion ("" for the main one): `scores` gives those of some of `names`."""

    method: str
    criterion: str
    names: tuple[str, ...]
    scores: Callable[[Sequence[str]], Scores]


@dataclass(frozen=True)
class OrderAgreement:
    """How far two methods' orders of `names` by `criterion` agree; `p_adjusted`: Holm's, over all that are compared."""

    criterion: str
    first: str
    second: str
    names: tuple[str, ...]
    found: Correlation
    p_adjusted: float


def agreements(
    rankings: Sequence[MethodRanking], *, rng: np.random.Generator, replicates: int = 2000
) -> list[OrderAgreement]:
    """Every two methods by every criterion that both have, the main ones first; people are no contestants here.

    Errors of two methods are taken as independent. Over the same conversations they go together a little, so the
    intervals are rather too wide than too narrow.
    """
    found = []
    for criterion in dict.fromkeys(ranking.criterion for ranking in rankings):
        own = [ranking for ranking in rankings if ranking.criterion == criterion]
        for i, first in enumerate(own):
            for second in own[i + 1 :]:
                names = tuple(sorted((set(first.names) & set(second.names)) - {HUMAN}))
                if first.method == second.method or len(names) < LEAST:
                    continue
                a, b = (ranking.scores(names).of(names) for ranking in (first, second))
                correlation = rank_correlation(a, b, rng=rng, replicates=replicates)
                found.append((criterion, first.method, second.method, names, correlation))
    ps = [np.nan if row[-1].p is None else row[-1].p for row in found]
    return [OrderAgreement(*row, float(p)) for row, p in zip(found, adjusted(ps), strict=True)]
