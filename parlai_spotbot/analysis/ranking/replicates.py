"""Davidson's model in all bootstrap replicates at once: a few steps of Newton's method from the maximum of all data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components

from parlai_spotbot.analysis.ranking.davidson import LARGEST, DavidsonFit, davidson
from parlai_spotbot.analysis.ranking.davidson_algebra import Sums, derivatives, with_prior
from parlai_spotbot.analysis.ranking.wins import LOSS, TIE, WIN, WinMatrix, match_cells, pair_bootstrap, win_matrix
from parlai_spotbot.analysis.uncertainty.bootstrap import percentile_interval

CACHED = 1 << 17
"""Numbers of an array that a processor's cache holds besides some more of them."""


@dataclass(frozen=True)
class DavidsonReplicates:
    """Log strengths (replicates, K) that sum to 0, log ν and log γ (replicates,).

    NaN throughout where a replicate has no finite maximum (a bot that won or lost everything in it); log ν alone is NaN
    where it has no tie, log γ where no order effect is fitted.
    """

    names: tuple[str, ...]
    strength: np.ndarray
    tie: np.ndarray
    order: np.ndarray


def davidson_replicates(
    matrix: WinMatrix,
    *,
    start: DavidsonFit | None = None,
    order: bool = True,
    prior: float = 0.0,
    block: int | None = None,
) -> DavidsonReplicates:
    """Fit the model to each replicate, ``matrix.counts`` (replicates, K, K, 3).

    Parameters
    ----------
    start : DavidsonFit, optional
        The fit of all data, by which `order` and `prior` are as in it; by default that of the replicates' sum.
    order, prior
        See `davidson`.
    block : int, optional
        Replicates solved at once; by default as many as fit a processor's cache.
    """
    if matrix.counts.ndim != 4:
        raise ValueError(f"matrix: counts of shape {matrix.counts.shape}, expected (replicates, K, K, 3)")
    if start is None:
        start = davidson(WinMatrix(matrix.names, matrix.counts.sum(axis=0)), order=order, prior=prior)
    return davidson_blocks([matrix.counts], start, block)


def davidson_blocks(blocks: Iterable[np.ndarray], start: DavidsonFit, block: int | None = None) -> DavidsonReplicates:
    """As `davidson_replicates`, of counts (any, K, K, 3) that come a block at a time, so that they never all exist."""
    size = len(start.names)
    block = block or max(1, CACHED // size**2)
    found = [
        _solve(np.asarray(counts[first : first + block], dtype=float), start)
        for counts in blocks
        for first in range(0, len(counts), block)
    ]
    theta = np.concatenate(found) if found else np.empty((0, size + 2))
    return DavidsonReplicates(start.names, theta[:, :size], theta[:, size], theta[:, size + 1])


def _solve(counts: np.ndarray, start: DavidsonFit) -> np.ndarray:
    """Parameters (replicates, K + 2): strengths, log ν, log γ; NaN where there is no finite maximum."""
    size = counts.shape[1]
    counts = with_prior(counts, start.prior)
    sums = Sums.of(counts)
    theta = np.tile(np.nan_to_num(np.concatenate([start.strength, [start.tie, start.order]])), (len(counts), 1))
    free = np.ones(theta.shape, dtype=bool)
    free[:, size] = sums.observed[:, size] > 0
    free[:, size + 1] = np.isfinite(start.order)
    result = np.full(theta.shape, np.nan)
    todo = np.flatnonzero(_linked(counts))
    for _ in range(40):
        if not len(todo):
            break
        gradient, information = derivatives(sums[todo], theta[todo], free[todo])
        step, apart = _step(gradient, information)
        # The log-likelihood is concave, so short steps in Newton's direction can't lead astray.
        longest = np.abs(step).max(axis=1, keepdims=True)
        theta[todo] += step * np.minimum(1.0, 1.5 / np.maximum(longest, 1e-300))
        # Twice what the step gains in log-likelihood; the next one would gain its square.
        done = np.einsum("rp,rp->r", gradient, step) < 1e-7
        lost = ~apart | (np.abs(theta[todo]).max(axis=1) > LARGEST)
        settled = todo[done & ~lost]
        result[settled] = np.where(free[settled], theta[settled], np.nan)
        todo = todo[~(done | lost)]
    return result


def _step(gradient: np.ndarray, information: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Newton's step, and whether the order effect can be told apart from the strengths."""
    places = np.arange(gradient.shape[1])
    diagonal = information[:, places, places]
    # A trace of a ridge, so that the solver doesn't fail on a singular matrix; it slows convergence by as little.
    information[:, places, places] += 1e-9 * diagonal.mean(axis=1, keepdims=True)
    unit = np.broadcast_to(np.eye(gradient.shape[1])[-1], gradient.shape)
    solved = np.linalg.solve(information, np.stack([gradient, unit], axis=-1))
    # How much larger the variance of log γ is than with strengths known: without limit where each pair was drawn in
    # one order only.
    return solved[..., 0], solved[:, -1, 1] * diagonal[:, -1] < 1e6


def _linked(counts: np.ndarray) -> np.ndarray:
    """Whether each replicate has a finite maximum: every bot reaches every other over wins and ties (Ford 1957)."""
    ties = counts[..., TIE]
    beats = counts[..., WIN] + counts[..., LOSS].transpose(0, 2, 1) + ties + ties.transpose(0, 2, 1) > 0
    beats |= np.eye(counts.shape[1], dtype=bool)
    steps = beats.astype(np.float32)
    # With two steps most replicates are linked already; the others are looked at one by one.
    linked = (steps @ steps > 0).all(axis=(1, 2))
    for place in np.flatnonzero(~linked):
        linked[place] = connected_components(beats[place], directed=True, connection="strong")[0] == 1
    decided = counts[..., WIN].sum(axis=(1, 2)) + counts[..., LOSS].sum(axis=(1, 2)) > 0
    return linked & decided


def davidson_bootstrap(
    matches: pd.DataFrame,
    names: Sequence[str] | None = None,
    *,
    rng: np.random.Generator,
    replicates: int = 1000,
    resample: str = "conversations_workers",
    order: bool = True,
    prior: float = 0.0,
    level: float = 0.95,
) -> DavidsonFit:
    """Fit the model to `matches` (a, b, outcome, conversation_id, worker_id), with intervals by bootstrap.

    A block of replicates is drawn, counted and fitted at a time, so memory grows with neither their number nor that of
    matches times it. Options and errors: see `davidson` and `Bootstrap`.
    """
    matrix = win_matrix(matches, names)
    fit = davidson(matrix, order=order, prior=prior, level=level)
    cells, shape = match_cells(matches, matrix.names)
    bootstrap = pair_bootstrap(matches, rng=rng, replicates=replicates, resample=resample)
    sums = bootstrap.cell_sums_by_block(cells, int(np.prod(shape)))
    found = davidson_blocks((block.reshape(-1, *shape) for block in sums), fit)
    return with_bootstrap(fit, found, level)


def with_bootstrap(fit: DavidsonFit, replicates: DavidsonReplicates, level: float = 0.95) -> DavidsonFit:
    """The fit with percentile intervals of the replicates; NaN where more than (1 - level) / 2 of them have no maximum.

    A replicate without one lies at infinity, so with more of them an end of an interval would too.
    """
    share = 1 - np.isfinite(replicates.strength).all(axis=1).mean()
    allowed = share <= (1 - level) / 2

    def interval(samples: np.ndarray) -> np.ndarray:
        ends = percentile_interval(samples, level)
        return ends if allowed else np.full_like(ends, np.nan)

    return replace(
        fit,
        ci=interval(replicates.strength),
        tie_ci=tuple(interval(replicates.tie).tolist()),
        order_ci=tuple(interval(replicates.order).tolist()),
        intervals="bootstrap",
    )
