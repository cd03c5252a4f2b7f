"""Bootstrap replicates of semi-parametric regression.

On a study's data, current status at a few lengths and a few patterns of covariates, all replicates are solved at once:
each is a binomial regression on the same cells with other counts, by Newton steps on all of them together, with levels
of the baseline merged where their order is violated. Whatever that doesn't settle, and all other data, is solved one by
one. A replicate in which a coefficient runs away has no finite estimate.
"""

import numpy as np

from parlai_spotbot.analysis.survival import links, npmle
from parlai_spotbot.analysis.survival.intervals import Intervals, arrange
from parlai_spotbot.analysis.survival.semiparametric import FitState, Problem
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from parlai_spotbot.analysis.values import ArrayPair, ArrayTriple

SUSPECT = 12.0
"""Nothing but separation moves the linear predictor this far over the range of a covariate: exp(12) is 160,000."""
LEVELS = 12
CELLS = 2000
UNBOUNDED = 1e-6
"""Information of a coefficient whose standard error is a thousand, in units of half of its covariate's range: none."""
FLAT = 1e-13
"""An eigenvalue of scaled information that is rounding alone: other coefficients are as likely, and a solver stops at
any of them."""


def refit(
    data: Intervals, problem: Problem, best: FitState, drawn: ClusterBootstrap, infinite: np.ndarray
) -> np.ndarray:
    """Coefficients (bootstraps · replicates, p); infinite or NaN where a replicate has no finite estimate.

    Where some (p,) are `infinite` in the estimate, too, the others count: all steps at once don't tell whether these
    have a finite estimate.
    """
    counts = drawn.cell_sums(problem.cells, len(problem.weights), data.weights)
    if data.current_status and problem.size - 1 <= LEVELS and len(problem.weights) <= CELLS:
        samples, settled = _Batch(problem).solve(counts, best)
        if infinite.any():
            settled &= np.isfinite(samples).all(axis=1)
    else:
        samples = np.empty((len(counts), problem.X.shape[1]))
        settled = np.zeros(len(counts), dtype=bool)
    for i in np.flatnonzero(~settled):
        samples[i] = _one(problem, counts[i])
    return samples


def _one(problem: Problem, weights: np.ndarray) -> np.ndarray:
    """One replicate: its own innermost intervals, since rows that weren't drawn leave some without a purpose."""
    end = np.where(problem.high == problem.size, np.inf, problem.high)
    data = arrange(problem.low.astype(float), end, weights)
    unknown = np.full(problem.X.shape[1], np.nan)
    if len(data.ends) == 1:
        return unknown
    problem = Problem.build(data, problem.X[weights > 0], problem.model)
    tells = (problem.low > 0) | (problem.high < problem.size)
    if np.linalg.matrix_rank(np.column_stack([np.ones(tells.sum()), problem.X[tells]])) <= len(unknown):
        return unknown
    solution = problem.maximise(npmle.solve(data))
    if not _smallest(solution.information[None])[0] > FLAT:
        return unknown
    return with_infinite(solution, problem.X)


def with_infinite(state: FitState, X: np.ndarray) -> np.ndarray:
    """Return the coefficients (p,) of a maximum, infinite where the likelihood has none.

    With proportional hazards a predictor of 4 makes spotted rows so certain that a solver stops there, far below
    `SUSPECT`: what shows it is a likelihood that is flat along the coefficient.
    """
    coef = runaway(state.beta, X)
    bounded = np.isfinite(coef)
    curvature, directions = np.linalg.eigh(profile_information(state, bounded))
    flat = (np.abs(directions[:, curvature < UNBOUNDED]) > 1e-3).any(axis=1)
    coef[bounded] = np.where(flat, np.copysign(np.inf, coef[bounded]), coef[bounded])
    return coef


def profile_information(state: FitState, chosen: np.ndarray) -> np.ndarray:
    """Return the information of the `chosen` coefficients in the profile likelihood; equal levels of the baseline stay
    equal."""
    information = state.information
    levels = len(information) - len(chosen)
    a = information[:levels, :levels]
    b = information[:levels, levels:][:, chosen]
    c = information[levels:, levels:][np.ix_(chosen, chosen)]
    return c - b.T @ np.linalg.lstsq(a, b, rcond=1e-14)[0]


def runaway(coef: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return `coef` (..., p), infinite where it moves the predictor further than anything but separation does."""
    return np.where(~(np.abs(coef * np.ptp(X, axis=0)) < SUSPECT), np.copysign(np.inf, coef), coef)


def _ridged(information: np.ndarray) -> np.ndarray:
    """Return information (replicates, p, p) that can be inverted where some of it is 0."""
    trace = np.trace(information, axis1=1, axis2=2)
    return information + 1e-12 * trace[:, None, None] * np.eye(information.shape[-1])


def _smallest(information: np.ndarray) -> np.ndarray:
    """The smallest eigenvalue (replicates,) of information (replicates, p, p) scaled to a diagonal of ones.

    It is about 0 where not every parameter is determined: a covariate may be constant among the rows drawn.
    """
    size = np.sqrt(np.einsum("rii->ri", information))
    return np.linalg.eigvalsh(information / np.maximum(size[:, :, None] * size[:, None, :], 1e-300))[:, 0]


class _Batch:
    """Current-status cells: `spotted` (c,) at `level` (c,) 0, 1, … with covariates X (c, p)."""

    def __init__(self, problem: Problem) -> None:
        self.tells = np.flatnonzero((problem.low > 0) | (problem.high < problem.size))
        low, high, self.X = problem.low[self.tells], problem.high[self.tells], problem.X[self.tells]
        self.spotted, self.model, self.levels = low == 0, problem.model, problem.size - 1
        self.level = np.where(self.spotted, high, low) - 1

    def solve(self, counts: np.ndarray, best: FitState) -> ArrayPair:
        """Coefficients (replicates, p), and which replicates are settled."""
        counts, merged, empty = self._inside(counts[:, self.tells])
        origin = np.concatenate([best.alpha, best.beta])
        theta = np.tile(origin, (len(counts), 1))
        settled = empty.copy()
        waiting = ~empty
        for _ in range(2 * self.levels + 2):
            if not waiting.any():
                break
            code = merged @ (1 << np.arange(self.levels - 1))
            for pattern in np.unique(code[waiting]):
                members = np.flatnonzero(waiting & (code == pattern))
                theta[members], merged[members], done, final = self._with_merged_levels(
                    counts[members], theta[members], merged[members]
                )
                wide = ~np.isfinite(runaway(theta[members][:, self.levels :], self.X)).all(axis=1)
                settled[members[final & (done | wide)]] = True
                waiting[members[final]] = False
                theta[members[~final & ~done]] = origin
        coef = runaway(theta[:, self.levels :], self.X)
        coef[empty] = np.nan
        return coef, settled

    def _with_merged_levels(self, counts: np.ndarray, theta: np.ndarray, merged: np.ndarray) -> tuple[np.ndarray, ...]:
        """Solve replicates that merge the same levels.

        Returns theta, the levels that should be merged after this, which replicates have converged, and for which
        nothing is left to merge or to part.
        """
        group = np.concatenate([[0], np.cumsum(~merged[0])])
        theta, done, slope = self._newton(counts, theta, group)
        violated = np.diff(theta[:, : self.levels], axis=1) < 0
        part = self._wants_apart(slope, group)
        final = np.logical_not((violated | part).any(axis=1))
        return theta, (merged | violated) & ~part, done, final

    def _inside(self, counts: np.ndarray) -> ArrayTriple:
        """Counts without the levels before anybody was spotted, and behind the last unspotted: they are certain.

        Also which neighbouring levels (replicates, levels - 1) count as one for that; and which replicates say nothing.
        """
        at_level = self.level[:, None] == np.arange(self.levels)
        begun = np.cumsum(counts @ (at_level & self.spotted[:, None]), axis=1) > 0
        passed = counts @ (at_level & ~self.spotted[:, None])
        inside = begun & (np.cumsum(passed[:, ::-1], axis=1)[:, ::-1] > 0)
        merged = ~(inside[:, 1:] & inside[:, :-1])
        return np.where(inside[:, self.level], counts, 0.0), merged, np.logical_not(inside.any(axis=1))

    def _newton(self, counts: np.ndarray, theta: np.ndarray, group: np.ndarray) -> ArrayTriple:
        """Newton steps on all replicates with the levels of one `group` equal: theta, convergence, slope by level."""
        design, x = self._grouped(theta, group)
        square = (design[:, :, None] * design[:, None, :]).reshape(len(design), -1)
        width = x.shape[1]
        total, slope, curve = self._log_likelihood(counts, x, design)
        done = np.zeros(len(x), dtype=bool)
        information = np.zeros((len(x), width, width))
        for _ in range(30):
            gradient = (counts * slope) @ design
            information = _ridged(((-counts * curve) @ square).reshape(-1, width, width))
            step = np.linalg.solve(information, gradient[..., None])[..., 0]
            promise = (gradient * step).sum(axis=1)
            done = promise < 1e-13 * np.maximum(1.0, np.abs(total))
            x, total, slope, curve = self._line_search(counts, design, x, total, step, promise, done)
            if done.all():
                break
        by_level = (counts * slope) @ np.eye(self.levels)[self.level]
        done &= np.isfinite(total) & (_smallest(information) > 1e-9)
        size = int(group[-1]) + 1
        return np.concatenate([x[:, :size][:, group], x[:, size:]], axis=1), done, by_level

    def _grouped(self, theta: np.ndarray, group: np.ndarray) -> ArrayPair:
        """Design matrix (c, groups + p) of groups of levels, and theta (replicates, groups + p) in its terms."""
        groups = np.arange(int(group[-1]) + 1)
        design = np.concatenate([np.eye(len(groups))[group[self.level]], self.X], axis=1)
        first = np.searchsorted(group, groups)
        levels = np.maximum.accumulate(theta[:, : self.levels][:, first], axis=1)
        return design, np.concatenate([levels, theta[:, self.levels :]], axis=1)

    def _line_search(
        self,
        counts: np.ndarray,
        design: np.ndarray,
        x: np.ndarray,
        total: np.ndarray,
        step: np.ndarray,
        promise: np.ndarray,
        done: np.ndarray,
    ) -> tuple[np.ndarray, ...]:
        """Take the steps, each halved until the log likelihood rises as promised: x, log likelihood, slope, curve."""
        scale = np.minimum(1.0, 4.0 / np.maximum(np.abs(step).max(axis=1), 1e-300))
        trial = x + scale[:, None] * step
        reached, slope, curve = self._log_likelihood(counts, trial, design)
        for _ in range(19):
            bad = ~done & ~(reached >= total + 1e-4 * scale * promise)
            if not bad.any():
                break
            scale[bad] /= 2
            trial = x + scale[:, None] * step
            reached, slope, curve = self._log_likelihood(counts, trial, design)
        return trial, reached, slope, curve

    def _log_likelihood(self, counts: np.ndarray, x: np.ndarray, design: np.ndarray) -> ArrayTriple:
        """Log likelihood (replicates,), and the derivatives of each cell's term by the predictor (replicates, c)."""
        value, slope, curve = self._terms(x @ design.T)
        return (counts * value).sum(axis=1), slope, curve

    def _terms(self, eta: np.ndarray) -> ArrayTriple:
        """log P (replicates, c) and its first and second derivative by the predictor."""
        eta = np.clip(eta, -300.0, 6.5 if self.model == "ph" else 300.0)
        return links.current_status_terms(eta, self.spotted, self.model)

    def _wants_apart(self, by_level: np.ndarray, group: np.ndarray) -> np.ndarray:
        """Return which merged pairs gain when what is behind them, within their group, is raised."""
        behind = np.zeros((len(by_level), self.levels + 1))
        behind[:, :-1] = np.cumsum(by_level[:, ::-1], axis=1)[:, ::-1]
        end = np.searchsorted(group, group, side="right")
        gain = behind[:, :-1] - behind[:, end]
        return (gain[:, 1:] > 1e-9) & (np.diff(group) == 0)
