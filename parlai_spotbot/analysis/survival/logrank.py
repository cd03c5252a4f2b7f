"""Generalized log-rank tests for interval-censored data (section 3.3 of the paper).

Every observation gets a score under the pooled NPMLE (`scores`); the statistic is the sum of a group's scores. Its
covariance is that of a random relabelling of rows or clusters (`permutation`), or robust (`robust`); its p-value is
asymptotic, exact, or by Monte Carlo.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.survival.grouped import GroupedRows, LogrankOptions, checked_rows
from parlai_spotbot.analysis.survival.permutation import ClusterRelabelling, RowRelabelling, cluster_relabelling
from parlai_spotbot.analysis.survival.pvalues import chi2_of, choose_method, rank, resampled
from parlai_spotbot.analysis.survival.results import chi_square_test
from parlai_spotbot.analysis.survival.robust import clusters_effective, crossed, hotelling
from parlai_spotbot.analysis.survival.scores import SCORES, PooledFit, pooled


@dataclass(frozen=True)
class LogrankTest:
    """The test that all groups `names` have the same distribution.

    `statistic` (G,) is the sum of each group's scores, positive where it is spotted more than expected; `expected`
    (G,) what that sum would be on average (0 but with strata or clusters), `covariance` (G, G) its covariance under
    the null hypothesis. `chi2` is the quadratic form of statistic - expected, `df` its rank, in general G - 1.
    `df_error` is the second number of degrees of freedom where the reference is an F distribution, else inf.
    `method` is the way the p-value was found, `covariance_type` the way of the covariance; `pvalue_se` is the standard
    error of a Monte Carlo p-value, else 0. `log_pvalue`, the natural logarithm, stays exact where `pvalue` is too
    small for a float.
    """

    names: tuple
    statistic: np.ndarray
    expected: np.ndarray
    covariance: np.ndarray
    chi2: float
    df: int
    df_error: float
    pvalue: float
    log_pvalue: float
    pvalue_se: float
    score: str
    method: str
    covariance_type: str
    backend: str

    def __str__(self) -> str:
        rows = pd.DataFrame({"statistic": self.statistic, "expected": self.expected}, index=list(self.names))
        rows["se"] = np.sqrt(np.diag(self.covariance))
        head = (
            f"Log-rank test ({self.score} score), covariance: {self.covariance_type}, {self.method}: "
            f"chi2 = {self.chi2:.4g}, df = {self.df}, p = {self.pvalue:.3g} (log p {self.log_pvalue:.2f})"
        )
        return f"{head}\n{rows.to_string(float_format=lambda v: f'{v:.4g}')}"


def logrank(
    left: ArrayLike,
    right: ArrayLike,
    group: ArrayLike,
    score: str = "sun",
    *,
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    covariance: str = "permutation",
    method: str = "asymptotic",
    replicates: int = 10_000,
    imputations: None = None,
    seed: int | np.random.Generator = 0,
    closed: tuple[bool, bool] | None = None,
    backend: str = "auto",
) -> LogrankTest:
    """Test whether groups are spotted alike; groups in the order in which they occur.

    Parameters
    ----------
    left, right, group : sequences (n,)
        Intervals (left, right] and the group of each. Ends that differ by rounding are one end, see
        `intervals.merge_ends`.
    score : str
        "sun" (Zhao & Sun 2004) or "finkelstein" (1986).
    weights : sequence (n,), optional
        How many rows each stands for.
    clusters : sequence (n,) or a pair of them, optional
        Rows of one cluster may depend on each other (annotations of one conversation). Two crossed clusterings
        (conversations and workers) are for the robust covariance only.
    strata : sequence (n,), optional
        Groups are compared within strata (segment lengths): scores are taken from the stratum's mean, and labels are
        exchanged only between rows of one stratum, or clusters that have rows in the same strata.
    covariance : str
        "permutation": that of the statistic over all relabellings. It assumes that rows, or else whole clusters, are
        exchangeable under the null hypothesis: a cluster of one group might as well have been another's, and in one
        that holds several groups the labels might as well have been exchanged. Clusters of differing sizes are not.
        "robust": the jackknife over clusters, for two clusterings by Cameron, Gelbach & Miller (2011); see `robust`.
        It assumes only that clusters are independent; the reference is an F distribution with the effective number of
        clusters. A group with a single cluster gives p = 1, for nothing is known then of how its clusters differ.
    method : str
        "asymptotic"; "exact" (all relabellings are listed, at most 200,000 distinct ones); "montecarlo" (p = (1 + b) /
        (1 + replicates)); "auto": exact where possible, else Monte Carlo where a group has fewer than 50 rows or
        clusters, else asymptotic. With the robust covariance the chi-squared statistic is computed anew in every
        relabelling, which makes it right in large samples even where labels aren't exchangeable (Janssen 1997, Stat.
        Prob. Lett. 36; Chung & Romano 2013, Ann. Stat. 41).
    imputations
        Removed with the covariance by imputation; "permutation" does its job for independent rows.
    seed : int or Generator
        For Monte Carlo.
    closed, backend
        As `turnbull` has them.

    Raises
    ------
    ValueError
        Names the row, group or option that is wrong, or says that there are too many relabellings to list.

    Notes
    -----
    Annotations of one conversation, and of one annotator, are alike (in the released data .13 and .15). A test that
    takes them as independent rejects a true null hypothesis at .05 in 8 to 17 % of studies like the released one, and
    in a third of them where annotators differ in whom they spot easily. Conversations permuted, or robust, reject in 5
    % of the former and 20 to 26 % of the latter; conversations and annotators crossed, robust, in 3 to 5 % of all. So
    use ``clusters=[conversation, worker], strata=k, covariance="robust"`` where people judge, and
    ``clusters=conversation, strata=k, method="auto"`` where judges are automatic, and so no sample of judges.

    Examples
    --------
    >>> inf = float("inf")
    >>> test = logrank([0, 0, 2, 2], [2, 2, inf, inf], ["a", "a", "b", "b"], method="exact", backend="native")
    >>> test.statistic.tolist(), round(test.pvalue, 4)
    ([1.0, -1.0], 0.3333)
    """
    return logrank_tests(
        left,
        right,
        group,
        (score,),
        weights=weights,
        clusters=clusters,
        strata=strata,
        covariance=covariance,
        method=method,
        replicates=replicates,
        imputations=imputations,
        seed=seed,
        closed=closed,
        backend=backend,
    )[score]


def logrank_tests(
    left: ArrayLike,
    right: ArrayLike,
    group: ArrayLike,
    scores: Sequence[str] = SCORES,
    *,
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    seed: int | np.random.Generator = 0,
    closed: tuple[bool, bool] | None = None,
    backend: str = "auto",
    **options,
) -> dict[str, LogrankTest]:
    """`logrank` with several scores, whose pooled NPMLE is estimated only once; the arguments are the same."""
    for score in scores:
        if score not in SCORES:
            raise ValueError(f"score is {score!r}, expected {' or '.join(SCORES)}")
    chosen = LogrankOptions(**options)
    rows = checked_rows(left, right, group, weights, clusters, strata, chosen)
    return run(rows, scores, chosen, np.random.default_rng(seed), closed, backend)


def run(
    rows: GroupedRows,
    scores: Sequence[str],
    options: LogrankOptions,
    rng: np.random.Generator,
    closed: tuple[bool, bool] | None,
    backend: str,
) -> dict[str, LogrankTest]:
    """The tests of checked rows."""
    estimate = pooled(rows.left, rows.right, np.bincount(rows.cell, rows.weights), closed, backend)
    cells, strata, groups = len(rows.left), int(rows.stratum.max()) + 1, len(rows.names)
    place = (rows.cell * strata + rows.stratum) * groups + rows.group
    counts = np.bincount(place, rows.weights, cells * strata * groups).reshape(cells, strata, groups)
    return {score: _one(rows, counts, estimate, score, options, rng) for score in scores}


@dataclass(frozen=True)
class Sums:
    """The sums of scores of one test: `values` (c, B) are scores by cell and stratum, of mean 0 in every stratum.

    `away` (G,) are the observed sums, `expected` (G,) what was taken from them; `scale`, the sum of squared scores,
    tells rounding from variance.
    """

    values: np.ndarray
    away: np.ndarray
    expected: np.ndarray
    scale: float
    by_rows: RowRelabelling
    plan: RowRelabelling | ClusterRelabelling


def _sums(rows: GroupedRows, counts: np.ndarray, raw: np.ndarray, options: LogrankOptions) -> Sums:
    by_stratum, sizes = counts.sum(axis=2), counts.sum(axis=0)
    middle = raw @ by_stratum / by_stratum.sum(axis=0)
    values = raw[:, None] - middle
    expected = middle @ sizes if len(middle) > 1 else np.zeros(len(rows.names))  # but for rounding it is 0 overall
    by_rows = RowRelabelling(counts, values)
    plan: RowRelabelling | ClusterRelabelling = by_rows
    if len(rows.clusters) == 1:
        own = values[rows.cell, rows.stratum]
        groups, strata = len(rows.names), len(middle)
        plan = cluster_relabelling(own, rows.weights, rows.group, groups, rows.clusters[0], rows.stratum, strata)
    away = np.einsum("cbg,cb->g", counts, values)
    if options.covariance == "permutation":
        away, expected = away - plan.mean(), expected + plan.mean()
    return Sums(values, away, expected, float((by_stratum * values**2).sum()), by_rows, plan)


def _one(
    rows: GroupedRows,
    counts: np.ndarray,
    estimate: PooledFit,
    score: str,
    options: LogrankOptions,
    rng: np.random.Generator,
) -> LogrankTest:
    sums = _sums(rows, counts, estimate.scores(score), options)
    method, listed = choose_method(options.method, sums.plan, _smallest(rows))
    covariance = _robust(rows, sums, method) if options.covariance == "robust" else sums.plan.covariance()
    df = rank(covariance, sums.scale, options.covariance == "robust")
    chi2 = float(chi2_of(sums.away[None], covariance, sums.scale)[0]) if df else 0.0
    test = LogrankTest(
        rows.names,
        sums.away + sums.expected,
        sums.expected,
        covariance,
        chi2,
        df or len(rows.names) - 1,
        np.inf,
        1.0,
        0.0,
        0.0,
        score,
        method,
        options.covariance,
        estimate.backend,
    )
    if not df:  # nobody was spotted, or no two labels could be exchanged: the data say nothing
        return test
    if method == "asymptotic":
        return _asymptotic(test, rows)
    fixed = None if options.covariance == "robust" else covariance
    pvalue, se = resampled(chi2, sums.plan, fixed, sums.scale, listed, options.replicates, rng)
    return replace(test, pvalue=pvalue, log_pvalue=float(np.log(pvalue)), pvalue_se=se)


def _robust(rows: GroupedRows, sums: Sums, method: str) -> np.ndarray:
    """The robust covariance; for the asymptotic test no smaller than if rows were independent.

    Robust covariances can be too small by chance, and are 0 where groups are told apart perfectly; of the candidates
    the one that says least is taken (Angrist & Pischke 2009, Mostly Harmless Econometrics, section 8.2).
    """
    if len(rows.clusters) < 2:
        found = sums.plan.robust(sums.plan.observed)[0]
    else:
        own = sums.values[rows.cell, rows.stratum]
        found = crossed(own, rows.weights, rows.group, rows.stratum, rows.clusters)
    if method != "asymptotic" or not rows.clusters:
        return found
    return min(
        found, sums.by_rows.covariance(), key=lambda covariance: chi2_of(sums.away[None], covariance, sums.scale)[0]
    )


def _asymptotic(test: LogrankTest, rows: GroupedRows) -> LogrankTest:
    if test.covariance_type != "robust":
        known = chi_square_test(test.chi2, test.df)
        return replace(test, pvalue=known.pvalue, log_pvalue=known.log_pvalue)
    by = (rows.weights, rows.group, rows.stratum)
    number = min((clusters_effective(*by, codes) for codes in rows.clusters), default=float(rows.weights.sum()))
    pvalue, log_pvalue = hotelling(test.chi2, test.df, number - 1)
    return replace(test, df_error=max(number - test.df, 1.0), pvalue=pvalue, log_pvalue=log_pvalue)


def _smallest(rows: GroupedRows) -> float:
    """How many rows, or clusters, the smallest group has."""
    if not rows.clusters:
        return float(np.bincount(rows.group, rows.weights).min())
    groups = len(rows.names)
    return float(np.bincount(np.unique(rows.clusters[0] * groups + rows.group) % groups).min())
