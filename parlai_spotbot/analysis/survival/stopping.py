"""What is left to say of survival when annotators choose themselves when to stop (paper, appendix B).

Turnbull's estimate and Cox's model take it that those who stopped at k would have gone on like those who did not.
Whoever stops because an entity looks human breaks that, and no data on one annotator can show it (Tsiatis 1975, Proc.
Natl. Acad. Sci. 72). Bounds hold whatever the reasons; a second annotator of the same entity can give them away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.survival.intervals import merge_ends, numbers
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.estimates import Estimates
from parlai_spotbot.analysis.uncertainty.shares import share_interval


def stopping_bounds(rows: pd.DataFrame, lengths: np.ndarray, clusters: Clusters) -> dict[str, np.ndarray]:
    """Between what the share that passes after k exchanges must lie, however annotators chose to stop.

    Parameters
    ----------
    rows : frame (n)
        `left`, `right`, `weight` of one contestant, as `events` makes them; what is of one appearance has one index.
    lengths : array (m,)
        The k.
    clusters : Clusters
        Which rows hang together, for `ci`.

    Returns
    -------
    dict
        `low` (m,): as if all who stopped before k had been about to call it a bot; `high` (m,): as if none of them ever
        had. `ci` (m, 2): from the lower end of the interval of `low` to the upper end of that of `high`.

    References
    ----------
    Peterson 1976, "Bounds for a joint distribution function with fixed sub-distribution functions", Proc. Natl. Acad.
    Sci. 73.
    """
    left, right, lengths = merge_ends(*(numbers(x, "rows") for x in (rows["left"], rows["right"], lengths)))
    left, right, weight = left[:, None], right[:, None], numbers(rows["weight"], "rows")[:, None]
    _, first, appearance = np.unique(rows.index, return_index=True, return_inverse=True)
    passed, spotted = np.zeros((2, len(first), len(lengths)))
    np.add.at(passed, appearance, weight * (left >= lengths))
    np.add.at(spotted, appearance, weight * (right <= lengths))
    own = clusters.take(first)
    return {
        "low": passed.mean(axis=0),
        "high": 1 - spotted.mean(axis=0),
        "ci": np.array(
            [
                (share_interval(below, own)[0], share_interval(1 - above, own)[1])
                for below, above in zip(passed.T, spotted.T, strict=True)
            ]
        ),
    }


@dataclass(frozen=True)
class StoppingTest:
    """By how much less (or more) than expected a second annotator spotted an entity that the first stopped at as human.

    `difference` in spotted entities per appearance, with its interval, t test's `p`, `df`; `n` choices to stop or go
    on, `stopped` of them; `conversations`. NaN where no entity has two annotators, or all of them stop alike.
    """

    difference: float
    low: float
    high: float
    p: float
    df: float
    n: int
    stopped: int
    conversations: int


def stopping_test(rows: pd.DataFrame, level: float = 0.95) -> StoppingTest:
    """Does stopping with "human" foretell what another annotator makes of the same entity?

    Parameters
    ----------
    rows : frame (n)
        One row an annotated entity: `group`, `k` (exchanges open at the decision), `spotted` (called a bot), `whole`
        (exchanges that could be opened), `appearance` (the same for all annotators of that entity there),
        `conversation_id`, `worker_id`.

    Notes
    -----
    After each exchange at which an entity was not called a bot, and which was not the last, its annotator stopped
    ("human") or went on. If stopping is independent, both leave the other annotators' martingale residual of this
    appearance (spotted, less the contestant's cumulative hazard until they decided) the same in the mean. The means
    are compared within contestant and exchange; choices on one conversation, or by one annotator, may depend on each
    other. It sees only what two annotators see alike: reasons of one annotator alone stay unseen.
    """
    k = numbers(rows["k"], "rows", truth=False)
    if not ((k >= 0) & (k == np.rint(k))).all():
        raise ValueError("rows: column 'k' has values that are no whole numbers of exchanges from 0 up")
    rows = rows.reset_index(drop=True)
    residual = _residuals(rows)
    partner = _of_others(rows, residual)
    choices = _choices(rows, partner)
    if choices.empty:
        return StoppingTest(*[np.nan] * 4, 0.0, 0, 0, 0)
    strata = choices.groupby(["group", "step"])
    stop = (choices["stop"] - strata["stop"].transform("mean")).to_numpy()
    told = (choices["partner"] - strata["partner"].transform("mean")).to_numpy()
    size = float((stop**2).sum())
    counted = (len(choices), int(choices["stop"].sum()), choices["conversation_id"].nunique())
    if size <= 0:
        return StoppingTest(*[np.nan] * 4, 0.0, *counted)
    difference = float((stop * told).sum() / size)
    clusters = Clusters.by(choices["conversation_id"], choices["worker_id"])
    spread = clusters.spread(stop * (told - difference * stop) / size, stop**2)
    found = Estimates(np.array([difference]), spread).contrast(np.ones(1), level)
    if not found["se"] > 0:
        return StoppingTest(*[np.nan] * 4, float(found["df"]), *counted)
    return StoppingTest(difference, *found["ci"], found["p"], float(found["df"]), *counted)


def _residuals(rows: pd.DataFrame) -> np.ndarray:
    """Martingale residuals (n,): spotted, less the contestant's cumulative hazard until the decision."""
    result = np.zeros(len(rows))
    for _, own in rows.groupby("group", sort=False):
        k = own["k"].to_numpy(dtype=int)
        spotted = own["spotted"].to_numpy(dtype=float)
        events = np.bincount(k, spotted, k.max() + 1)
        at_risk = np.bincount(k, minlength=k.max() + 1)[::-1].cumsum()[::-1]
        hazard = np.divide(events, at_risk, out=np.zeros(len(events)), where=at_risk > 0).cumsum()
        result[own.index] = spotted - hazard[k]
    return result


def _of_others(rows: pd.DataFrame, residual: np.ndarray) -> np.ndarray:
    """The mean residual of the other annotators of the same appearance (n,); NaN where there are none."""
    own = rows.assign(residual=residual)
    both = own.groupby(["appearance", "worker_id"])["residual"].agg(["sum", "size"])
    every = both.groupby(level="appearance").sum()
    mine = both.reindex(pd.MultiIndex.from_frame(rows[["appearance", "worker_id"]]))
    all_of_it = every.reindex(rows["appearance"])
    size = all_of_it["size"].to_numpy() - mine["size"].to_numpy()
    total = all_of_it["sum"].to_numpy() - mine["sum"].to_numpy()
    return np.divide(total, size, out=np.full(len(rows), np.nan), where=size > 0)


def _choices(rows: pd.DataFrame, partner: np.ndarray) -> pd.DataFrame:
    """One row a choice to stop or go on, of rows with a partner."""
    own = rows.assign(partner=partner)[np.isfinite(partner)]
    last = np.minimum(own["k"] - own["spotted"].astype(int), own["whole"] - 1).clip(lower=0).astype(int)
    place = np.repeat(np.arange(len(own)), last)
    step = np.concatenate([np.arange(1, n + 1) for n in last]) if len(last) else np.zeros(0, dtype=int)
    choices = own.iloc[place][["group", "conversation_id", "worker_id", "partner", "k", "spotted"]].assign(step=step)
    choices["stop"] = ((choices["k"] == choices["step"]) & ~choices["spotted"].astype(bool)).astype(float)
    return choices


def explained(values: np.ndarray, groups: np.ndarray, within: np.ndarray, rng: np.random.Generator) -> dict:
    """How much of the variance of `values` (n,) lies between `groups`, once the means of `within` are taken out.

    Returns
    -------
    dict
        `share` (adjusted for how many groups there are, at least 0) and `p` of a permutation of the values within
        `within`; NaN where there are no two groups, or no variance.
    """
    group, count = np.unique(groups, return_inverse=True)[1], len(np.unique(groups))
    inside = np.unique(within, return_inverse=True)[1]
    values = np.asarray(values, dtype=float)
    values = values - (np.bincount(inside, values) / np.bincount(inside))[inside]
    n, total = len(values), float((values**2).sum())
    if count < 2 or n <= count or total <= 0:
        return {"share": np.nan, "p": np.nan}
    size = np.bincount(group)
    between = float((np.bincount(group, values) ** 2 / size).sum())
    order = np.argsort(inside, kind="stable")
    drawn = np.empty(PERMUTATIONS)
    for i in range(PERMUTATIONS):
        shuffled = np.empty(n)
        shuffled[order] = values[order[np.lexsort((rng.random(n), inside[order]))]]
        drawn[i] = (np.bincount(group, shuffled) ** 2 / size).sum()
    share = 1 - (total - between) / (n - count) * (n - 1) / total
    return {"share": max(share, 0.0), "p": float(((drawn >= between - 1e-9).sum() + 1) / (PERMUTATIONS + 1))}


PERMUTATIONS = 999
