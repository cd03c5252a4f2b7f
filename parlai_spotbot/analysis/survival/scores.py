"""Scores of interval-censored observations under the pooled NPMLE.

Sun's (1996, Stat. Med. 15), whose sum is the statistic of Zhao & Sun (2004, Stat. Med. 23), and Finkelstein's (1986,
Biometrics 42), the score test of proportional hazards. A score depends on the interval only, so rows are counted first.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.survival import icenreg
from parlai_spotbot.analysis.survival.intervals import arrange
from parlai_spotbot.analysis.survival.turnbull import estimate
from parlai_spotbot.analysis.values import ArrayTriple, ratio

SCORES = ("sun", "finkelstein")


def collapse(left: np.ndarray, right: np.ndarray) -> ArrayTriple:
    """Return the distinct intervals (c,) of checked rows, left and right ends, and the place (n,) of each row among
    them."""
    lefts, rights = (pd.factorize(values) for values in (left, right))
    codes, keys = pd.factorize(lefts[0] * len(rights[1]) + rights[0])
    return lefts[1][keys // len(rights[1])], rights[1][keys % len(rights[1])], codes


def pooled_scores(
    left: np.ndarray, right: np.ndarray, weights: np.ndarray, score: str, backend: str
) -> tuple[np.ndarray, str]:
    """Return the score of every cell (c,) under the NPMLE of checked cells of positive weight, and its backend.

    A score is positive where the cell is spotted earlier than the pooled estimate expects. With h(S) = S log S it is
    the derivative of log(S(left) - S(right)) by the log hazard ratio, Finkelstein's score. Sun's has minus the
    cumulated hazard Σ mass / S in place of log S; for exact or right-censored times it is the log-rank test's observed
    less expected.
    """
    data = arrange(left, right, weights)
    fit = estimate(data, None, icenreg.choose(backend))
    # S before the first innermost interval and after each, falling from 1 to 0.
    levels = np.append(1.0, np.clip(1.0 - np.cumsum(fit.mass), 0.0, 1.0))
    levels[-1] = 0.0
    if score == "sun":
        risk = ratio(fit.mass, levels[:-1], 0.0)
        log_survival = -np.append(0.0, np.cumsum(risk))
    else:
        log_survival = np.log(levels, out=np.zeros(len(levels)), where=levels > 0)
    product = np.where(levels > 0, levels * log_survival, 0.0)
    low, high = data.first, data.last + 1
    return (product[low] - product[high]) / (levels[low] - levels[high]), fit.backend
