"""Confidence intervals of the nonparametric estimate, by a bootstrap of rows or of clusters (`ClusterBootstrap`).

They hold at the few fixed lengths of a study, where the estimate converges as a share does. Where inspection times are
continuous the bootstrap of the NPMLE is inconsistent (Sen & Xu 2015, Stat. Sin. 25): then a warning says so.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.survival import npmle
from parlai_spotbot.analysis.survival.curves import current_status_survival
from parlai_spotbot.analysis.survival.intervals import Intervals, arrange, check, merge_ends, numbers
from parlai_spotbot.analysis.survival.resample import bootstrap, cell_counts, clusterings
from parlai_spotbot.analysis.survival.results import BootstrapWarning
from parlai_spotbot.analysis.survival.steps import StepDistribution
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap

# With fewer observations per distinct time than this, times count as continuous.
CROWD = 10


def survival_intervals(
    left: ArrayLike,
    right: ArrayLike,
    at: ArrayLike | None = None,
    *,
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    closed: tuple[bool, bool] | None = None,
    replicates: int = 1000,
    level: float = 0.95,
    seed: int | np.random.Generator = 0,
) -> pd.DataFrame:
    """Intervals of P(T > t) at the times `at`, by default all at which anyone looked.

    Parameters
    ----------
    left, right, weights, closed
        As for `turnbull`.
    at : sequence, optional
        Times; one that differs from an end by rounding is that end.
    clusters : sequence (n,), or several in a list, optional
        What is drawn again, such as conversations; of two, such as conversations and workers, each and their cells. By
        default rows, which takes them as independent.

    Returns
    -------
    DataFrame
        ``t``, ``survival``, ``low``, ``high``, a row for each time. The interval is symmetric on the logit's scale, by
        Student's t; where all clusters agree, Clopper & Pearson's. NaN with fewer than two effective clusters.

    Warns
    -----
    BootstrapWarning
        Where such intervals are not valid, or there are too few clusters.

    Examples
    --------
    >>> survival_intervals([0, 0, 0, 3], [3, 3, 3, float("inf")], replicates=100)["survival"].tolist()
    [0.25]
    """
    if replicates < 2:
        raise ValueError(f"replicates is {replicates}, expected at least 2")
    if not 0 < level < 1:
        raise ValueError(f"level is {level}, expected a number between 0 and 1")
    left, right, weights = check(left, right, weights)
    if at is not None:
        left, right, at = merge_ends(left, right, np.atleast_1d(numbers(at, "at")))
    data = arrange(left, right, weights, closed)
    looked = np.unique(np.concatenate([data.left[data.left > 0], data.right[np.isfinite(data.right)]]))
    at = looked if at is None else at
    _warn(data, looked, at)
    rng = np.random.default_rng(seed)
    drawn = bootstrap(clusterings(clusters, len(left), weights > 0), len(data.left), replicates, rng)
    if drawn.why:
        warnings.warn(f"survival_intervals: {drawn.why}", BootstrapWarning, stacklevel=2)
    samples = _samples(data, closed, at, drawn, rng)
    estimate = StepDistribution(data.ends, data.closed, npmle.solve(data)).survival(at)
    low, high = drawn.interval(estimate, samples, level, (0, 1)).T
    return pd.DataFrame({"t": at, "survival": estimate, "low": low, "high": high})


def _warn(data: Intervals, looked: np.ndarray, at: np.ndarray) -> None:
    if (data.left == data.right).all():  # nothing but exact times: ordinary shares, for which the bootstrap holds
        return
    if len(looked) * CROWD > data.weights.sum():
        warnings.warn(
            "survival_intervals: the times at which anyone looked are nearly continuous "
            f"({len(looked)} of them), where the bootstrap of this estimate does not hold (Sen & Xu 2015); "
            "round the times to a few, or fit a parametric model",
            BootstrapWarning,
            stacklevel=3,
        )
    elif len(other := np.setdiff1d(at, looked)):
        warnings.warn(
            f"survival_intervals: at {', '.join(f'{t:g}' for t in other[:5])}, where nobody looked, the estimate is "
            f"that of a neighbouring time; expected times among {', '.join(f'{t:g}' for t in looked[:10])}",
            BootstrapWarning,
            stacklevel=3,
        )


def _samples(
    data: Intervals, closed: tuple[bool, bool] | None, at: np.ndarray, drawn: ClusterBootstrap, rng: np.random.Generator
) -> np.ndarray:
    """P(T > t) in every replicate (bootstraps · replicates, times)."""
    size = len(data.ends)
    if data.current_status and size > 1:
        spotted, passed = data.first == 0, data.last == size - 1
        tells = spotted != passed
        level = np.where(spotted, data.last, data.first - 1)
        cells = np.where(tells, 2 * level + spotted, 2 * size)
        counts = cell_counts(drawn, cells, 2 * size + 1, data.weights, rng)[:, : 2 * (size - 1)]
        counts = counts.reshape(len(counts), -1, 2)
        steps = current_status_survival(counts[..., 1], counts.sum(axis=-1))
        full = np.concatenate([np.ones((len(counts), 1)), steps, np.zeros((len(counts), 1))], axis=1)
        return full[:, StepDistribution(data.ends, data.closed, np.zeros(size)).passed(at)]

    def survival(times: np.ndarray) -> np.ndarray:
        weights = times * data.weights
        kept = weights > 0
        part = arrange(data.left[kept], data.right[kept], weights[kept], closed)
        return StepDistribution(part.ends, part.closed, npmle.solve(part)).survival(at)

    return drawn.samples(lambda block: np.array([survival(times) for times in block]))
