"""The covariance of Sun's log-rank statistic by multiple imputation (Zhao & Sun 2004, Stat. Med. 23)."""

from __future__ import annotations

import numpy as np

from parlai_spotbot.analysis.survival.intervals import Intervals


def imputation_covariance(
    mass: np.ndarray,
    data: Intervals,
    of: np.ndarray,
    group: np.ndarray,
    groups: int,
    *,
    imputations: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """V1 + (1 + 1/M) V2: the log-rank test's covariance within imputed data, and between them.

    Parameters
    ----------
    mass : array (m,)
        The pooled NPMLE on the innermost intervals of `data`, whose observations are the cells.
    of, group : arrays (n,)
        The cell and the group of every row.

    Returns
    -------
    array (groups, groups)
        Every imputation draws the innermost interval of each row from the pooled estimate within the row's interval;
        right-censored rows stay censored at their left end, as is said in the paper for its mixed data.
    """
    m = len(mass)
    upto = np.append(0.0, np.cumsum(mass))
    first, last = data.first[of], data.last[of]
    censored = np.isinf(data.right)[of] & (data.left < data.right)[of]
    leaves = np.bincount(group[censored] * (m + 1) + first[censored], minlength=groups * (m + 1)).reshape(groups, -1)
    event = ~censored
    low, span = upto[first[event]], (upto[last + 1] - upto[first])[event]
    start, stop, mine = first[event], last[event], group[event] * m
    within = np.zeros((groups, groups))
    observed = np.empty((imputations, groups))
    for draw in range(imputations):
        place = np.searchsorted(upto, low + rng.random(len(low)) * span, side="right") - 1
        place = np.clip(place, start, stop)
        events = np.bincount(mine + place, minlength=groups * m).reshape(groups, m)
        observed[draw], covariance = _log_rank(events.astype(float), leaves[:, :m].astype(float))
        within += covariance / imputations
    between = np.cov(observed.T) if imputations > 1 else np.zeros((groups, groups))
    return within + (1 + 1 / imputations) * between


def _log_rank(events: np.ndarray, leaves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Observed less expected (G,) and its hypergeometric covariance (G, G) for right-censored data.

    `events` and `leaves` (G, m) count who has the event in interval j, and who is censored before it.
    """
    ends = events + np.column_stack([leaves[:, 1:], np.zeros(len(leaves))])
    risk = np.cumsum(ends[:, ::-1], axis=1)[:, ::-1]
    d, n = events.sum(axis=0), risk.sum(axis=0)
    use = n > 0
    d, n, risk, events = d[use], n[use], risk[:, use], events[:, use]
    share = risk / n
    factor = d * (n - d) / np.where(n > 1, n - 1, 1.0)
    covariance = np.diag(share @ factor) - (share * factor) @ share.T
    return (events - share * d).sum(axis=1), covariance
