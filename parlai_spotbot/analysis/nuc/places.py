"""Is it the place? How often each place among candidates is chosen, beside how often the true turn stood there.

Candidates are shown in an order that is drawn for every annotator, so whatever they know, each place is as likely to be
right as to be chosen: a place that is chosen more often than the true turn stood there is favoured as a place.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.estimates import mean_of


def place_bias(chosen: Sequence[int], true: Sequence[int], n: int, clusters: Clusters) -> list[dict]:
    """One entry a place, from the first: `chosen` and `true`, the shares of answers that chose it, and of those whose
    true turn stood there; `difference`, its `ci` and `p`, and `p_adjusted` (Holm, over places).

    Parameters
    ----------
    chosen, true : sequences (a,)
        The place chosen and the true turn's, from 0, of each answer to a question of `n` candidates.
    clusters : Clusters
        Which answers are correlated.

    Notes
    -----
    With a chance b of choosing the first place whatever stands there, the difference is b (1 - 1 / n) at the first
    place and -b / n at each other one.
    """
    chosen, true = np.asarray(chosen, dtype=int), np.asarray(true, dtype=int)
    for name, places in (("chosen", chosen), ("true", true)):
        if len(places) and not 0 <= places.min() <= places.max() < n:
            raise ValueError(f"{name}: places from {places.min()} to {places.max()}, expected 0 to {n - 1}")
    biases = []
    for place in range(n):
        here, right = (chosen == place).astype(float), (true == place).astype(float)
        mean = mean_of(here - right, clusters, bounds=(-1.0, 1.0))
        shares = {"chosen": float(here.mean()), "true": float(right.mean())} if len(here) else {}
        biases.append(
            {"place": place + 1, **shares, "difference": mean["estimate"], "ci": list(mean["ci"]), "p": mean["p"]}
        )
    holm = adjust_known(np.array([row["p"] for row in biases]))
    return [row | {"p_adjusted": float(p)} for row, p in zip(biases, holm, strict=True)]
