"""Survival curves of current-status and of followed-up data for many bootstrap replicates at once.

The NPMLE at the few fixed lengths k is a weighted isotonic regression, here by its max-min formula, so that all
replicates are solved together. Bootstrap intervals hold at fixed k, not for continuous times (Sen & Xu 2015). Where
annotators went from exchange to exchange, it is the product-limit estimate (Kaplan & Meier 1958, JASA 53).
"""

import numpy as np

from parlai_spotbot.analysis.survival.intervals import numbers
from parlai_spotbot.analysis.values import ArrayPair, ratio


def current_status_survival(spotted: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Survival (..., m) at m increasing lengths, from how many were spotted and how many there were (..., m).

    NaN where nothing was observed at any length. A length without observations takes a value that its neighbours allow.
    """
    spotted, total = _counts(spotted, total, "total")
    zero = np.zeros((*spotted.shape[:-1], 1))
    events, count = (np.concatenate([zero, np.cumsum(x, axis=-1)], axis=-1) for x in (spotted, total))
    # The share spotted from each length to each later one (..., first, last); inf where nothing was observed.
    observed = count[..., None, 1:] - count[..., :-1, None]
    share = ratio(events[..., None, 1:] - events[..., :-1, None], observed, np.inf)
    least = np.minimum.accumulate(share[..., ::-1], axis=-1)[..., ::-1]
    before = np.tri(spotted.shape[-1], k=-1, dtype=bool)
    highest = np.where(before | np.isinf(least), -np.inf, least).max(axis=-2, initial=-np.inf)
    return np.where(np.isfinite(highest), 1 - highest, np.nan)


def followed_survival(spotted: np.ndarray, at_risk: np.ndarray) -> np.ndarray:
    """Survival (..., m) after m steps, from how many were spotted in each, of how many still at risk (..., m).

    It is the NPMLE where each interval of a spotted one is one step. NaN after a step with nobody at risk, unless all
    were spotted.
    """
    spotted, at_risk = _counts(spotted, at_risk, "at_risk")
    survival = np.cumprod(ratio(at_risk - spotted, at_risk, 1.0), axis=-1)
    return np.where((at_risk > 0) | (survival == 0), survival, np.nan)


def _counts(spotted: np.ndarray, total: np.ndarray, name: str) -> ArrayPair:
    """Return both as arrays of floats (..., m), checked: 0 <= spotted <= total."""
    spotted = numbers(spotted, "spotted")
    total = numbers(total, name)
    if not spotted.ndim or spotted.shape != total.shape:
        raise ValueError(
            f"{name}: shape {total.shape}, expected that of spotted, {spotted.shape}, and a number a length"
        )
    for argument, values, right, expected in (
        (name, total, np.isfinite(total), "finite numbers"),
        ("spotted", spotted, (spotted >= 0) & (spotted <= total), f"numbers from 0 to {name}"),
    ):
        if not right.all():
            raise ValueError(f"{argument}: a value is {values[~right][0]}, expected {expected}")
    return spotted, total
