"""Cumulative logit models with independent normal random effects: the mode of all effects, and Laplace's likelihood.

With two levels of the outcome this is logistic regression. The last random effect is of small, many groups, each row in
one of them: its block of the information is diagonal and is eliminated first, so cost grows with rows, not with groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array, hstack
from scipy.special import expit

STEPS = 100
FREE = 1e-6
"""Precision of the thresholds: as good as none, and finite where data say nothing of them."""


@dataclass(frozen=True)
class Mixed:
    """Outcomes (n,) coded 0 … levels - 1; the design of fixed and random effects (n, q), sparse; its blocks.

    `sizes`: columns of the fixed effects, then of each random effect. `group`: each row's group of the last one.
    """

    outcome: np.ndarray
    levels: int
    design: csr_array
    sizes: tuple[int, ...]
    group: np.ndarray

    @property
    def thresholds(self) -> int:
        return self.levels - 1

    @cached_property
    def transposed(self) -> csr_array:
        """The design (q, n)."""
        return csr_array(self.design.T)

    @cached_property
    def members(self) -> csr_array:
        """Which rows are of which group of the last random effect, (groups, n)."""
        n = len(self.group)
        return csr_array((np.ones(n), (self.group, np.arange(n))), shape=(self.sizes[-1], n))

    def weighted(self, weight: np.ndarray) -> csr_array:
        """The design, each row times its weight (n,)."""
        return filled(self.design, self.design.data * weight[self._row_of])

    @cached_property
    def _row_of(self) -> np.ndarray:
        return np.repeat(np.arange(self.design.shape[0]), np.diff(self.design.indptr))

    @classmethod
    def of(
        cls, outcome: np.ndarray, levels: int, fixed: np.ndarray, effects: Sequence[tuple[np.ndarray, np.ndarray]]
    ) -> Mixed:
        """`effects`: group (n,) and covariate (n,) of each random effect; the last covariate is 1."""
        if levels not in (2, 3):
            raise ValueError(f"levels is {levels}, expected 2 or 3")
        n = len(outcome)
        blocks = [csr_array(fixed)]
        for group, covariate in effects:
            blocks.append(csr_array((covariate, (np.arange(n), group)), shape=(n, int(group.max()) + 1)))
        return cls(
            np.asarray(outcome, dtype=int),
            levels,
            csr_array(hstack(blocks[:-1])),
            tuple(block.shape[1] for block in blocks),
            np.asarray(effects[-1][0], dtype=int),
        )


def filled(where: csr_array, values: np.ndarray) -> csr_array:
    """`values`, by row and in each by column, at the places that `where` holds."""
    return csr_array((values, where.indices, where.indptr), shape=where.shape)


@dataclass(frozen=True)
class Mode:
    """The mode of all effects, and the information there.

    `small`: thresholds, fixed effects and all random effects but the last; `last`, and the standard deviations `spread`
    of each of its groups given the others. `covariance`: that of `small`, with `last` integrated out; `logdet`: of the
    information; `value`: the penalised log-likelihood.
    """

    small: np.ndarray
    last: np.ndarray
    spread: np.ndarray
    covariance: np.ndarray
    logdet: float
    value: float


def precisions(model: Mixed, sd: np.ndarray, prior: float) -> np.ndarray:
    """Of thresholds (next to free), fixed effects, and all random effects but the last."""
    return np.concatenate(
        [
            np.full(model.thresholds, FREE),
            np.full(model.sizes[0], prior**-2.0),
            *(np.full(size, s**-2.0) for size, s in zip(model.sizes[1:-1], sd[:-1], strict=True)),
        ]
    )


def mode(model: Mixed, sd: np.ndarray, prior: float, start: Mode | None = None) -> Mode:
    """Newton's method on the penalised log-likelihood, which is concave in all effects and thresholds together.

    Parameters
    ----------
    sd : array (number of random effects,)
        Standard deviations of the random effects.
    prior : float
        That of the fixed effects; thresholds are next to free.
    """
    precision = precisions(model, sd, prior)
    state = (start.small, start.last) if start is not None else _start(model, len(precision))
    value, *slopes = _penalised(model, *state, precision, sd[-1])
    for _ in range(STEPS):
        gradient, own, factor, parts = _system(model, slopes, *state, precision, sd[-1])
        cross, diagonal = parts
        step = cho_solve(factor, gradient - cross.T @ (own / diagonal))
        last = (own - cross @ step) / diagonal
        gain = float(gradient @ step + own @ last)
        if gain < 1e-10:
            break
        scale = 1.0
        while True:
            trial = (state[0] + scale * step, state[1] + scale * last)
            new, *slopes_new = _penalised(model, *trial, precision, sd[-1])
            if new >= value or scale < 1e-12:
                break
            scale /= 2
        state, value, slopes = trial, new, slopes_new
    else:
        raise ValueError(f"prior is {prior}, expected a smaller one: Newton's method finds no maximum")
    logdet = float(2 * np.log(np.diag(factor[0])).sum() + np.log(diagonal).sum())
    return Mode(*state, diagonal**-0.5, cho_solve(factor, np.eye(len(state[0]))), logdet, value)


def restricted(model: Mixed, fit: Mode, sd: np.ndarray) -> float:
    """Laplace's approximation of the restricted log-likelihood at standard deviations `sd`, less a constant."""
    return fit.value - 0.5 * fit.logdet - float(np.array(model.sizes[1:]) @ np.log(sd))


def _start(model: Mixed, size: int) -> tuple[np.ndarray, np.ndarray]:
    small = np.zeros(size)
    share = np.cumsum(np.bincount(model.outcome, minlength=model.levels))[:-1] / len(model.outcome)
    small[: model.thresholds] = np.log(share / (1 - share))
    return small, np.zeros(model.sizes[-1])


def _penalised(model: Mixed, small: np.ndarray, last: np.ndarray, precision: np.ndarray, sd: float) -> tuple:
    """The penalised log-likelihood, and the derivatives by row; minus infinity where thresholds are out of order."""
    found = by_row(model, small, last)
    if found is None:
        return -np.inf, None, None
    log_p, first, second = found
    value = float(log_p.sum() - 0.5 * (precision @ small**2) - 0.5 * (last @ last) / sd**2)
    return value, first, second


def by_row(model: Mixed, small: np.ndarray, last: np.ndarray) -> tuple[np.ndarray, tuple, tuple] | None:
    """Log-likelihoods (n,); their first derivatives by the upper and the lower bound of the outcome's interval on the
    latent scale; minus the second ones (upper, lower, both). None where thresholds are out of order.
    """
    eta = model.design @ small[model.thresholds :] + last[model.group]
    cuts = np.concatenate([[-np.inf], small[: model.thresholds], [np.inf]])
    if (np.diff(cuts) <= 0).any():
        return None
    upper, lower = cuts[model.outcome + 1] - eta, cuts[model.outcome] - eta
    above, below, over, under = expit(upper), expit(lower), expit(-upper), expit(-lower)
    # above - below, without cancellation where both are near 1.
    p = np.maximum(np.where(upper + lower > 0, under - over, above - below), 1e-300)
    du, dl = above * over, below * under
    first = du / p, -dl / p
    second = (first[0] ** 2 - du * (over - above) / p, first[1] ** 2 + dl * (under - below) / p, first[0] * first[1])
    return np.log(p), first, second


def _system(
    model: Mixed, slopes: list, small: np.ndarray, last: np.ndarray, precision: np.ndarray, sd: float
) -> tuple[np.ndarray, np.ndarray, tuple, tuple[np.ndarray, np.ndarray]]:
    """Gradients of both parts, the factored information of the small one, and how they hang together."""
    (up, low), (uu, ll, ul) = slopes
    t = model.thresholds
    outcome, group, groups = model.outcome, model.group, model.sizes[-1]
    weight = uu + ll + 2 * ul
    gradient = np.empty(len(small))
    information = np.zeros((len(small), len(small)))
    cross = np.empty((groups, len(small)))
    for cut in range(t):
        upper, lower = outcome == cut, outcome == cut + 1
        gradient[cut] = up[upper].sum() + low[lower].sum()
        information[cut, cut] = uu[upper].sum() + ll[lower].sum()
        by_row = np.where(upper, uu + ul, 0.0) + np.where(lower, ll + ul, 0.0)
        information[cut, t:] = information[t:, cut] = -(model.transposed @ by_row)
        cross[:, cut] = -np.bincount(group, by_row, groups)
    if t == 2:
        information[0, 1] = information[1, 0] = ul[outcome == 1].sum()
    slope = -(up + low)
    gradient[t:] = model.transposed @ slope
    gradient -= precision * small
    weighted = model.weighted(weight)
    information[t:, t:] = (model.transposed @ weighted).toarray()
    information[np.diag_indices(len(small))] += precision
    cross[:, t:] = (model.members @ weighted).toarray()
    own = np.bincount(group, slope, groups) - last / sd**2
    diagonal = np.bincount(group, weight, groups) + sd**-2.0
    schur = information - cross.T @ (cross / diagonal[:, None])
    return gradient, own, cho_factor(schur), (cross, diagonal)
