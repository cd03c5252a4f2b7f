"""The last random effect of a mixed model integrated out by adaptive Gauss–Hermite quadrature.

Laplace's approximation draws effects towards 0 where groups are small: six labels of one appearance say little about
it (Pinheiro & Bates 1995, J. Comput. Graph. Stat. 4). Nodes lie where each group's effect is, as known from the mode.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.sparse import csr_array, hstack, vstack

from parlai_spotbot.analysis.mixed import Mixed, Mode, by_row, filled, precisions

NODES = 9
STEPS = 50
LARGEST_PAIRS = 5_000_000
"""With more pairs of rows in one group than these groups are large, and Laplace's approximation does."""


@dataclass(frozen=True)
class Quadrature:
    """Nodes and log weights (groups, Q); and, prepared once, the rows' bounds and which of them share a group.

    A row with an upper bound has the derivative of its log-likelihood by it, one with a lower bound by that: `bounds`
    (P, small) is their design, `row` and `is_upper` (P,) say whose they are; `together` (P, P): which are of one group.
    """

    nodes: np.ndarray
    log_weights: np.ndarray
    bounds: csr_array
    row: np.ndarray
    is_upper: np.ndarray
    together: csr_array

    @cached_property
    def transposed(self) -> csr_array:
        """The design (small, P)."""
        return csr_array(self.bounds.T)

    @cached_property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """The bounds in one group, each with each and with itself, in the order of `together`."""
        return self.together.tocoo().coords

    @cached_property
    def own(self) -> tuple[np.ndarray, np.ndarray]:
        """Places in `pairs` of each bound with itself, and of a row's two bounds with each other."""
        one, two = self.pairs
        return np.flatnonzero(one == two), np.flatnonzero((self.row[one] == self.row[two]) & (one != two))


def fits(model: Mixed) -> bool:
    """Whether groups are so small that integrating is worth it, and can be done."""
    size = np.bincount(model.group, minlength=model.sizes[-1])
    return bool(4 * (size.astype(float) ** 2).sum() <= LARGEST_PAIRS)


def quadrature(model: Mixed, at: Mode, count: int = NODES) -> Quadrature:
    """Prepare `count` nodes for each group around the mode `at`."""
    x, w = np.polynomial.hermite.hermgauss(count)
    nodes = at.last[:, None] + np.sqrt(2) * at.spread[:, None] * x
    log_weights = np.log(w) + x**2 + np.log(np.sqrt(2) * at.spread)[:, None]
    t = model.thresholds
    has_upper, has_lower = np.flatnonzero(model.outcome < t), np.flatnonzero(model.outcome > 0)
    blocks = []
    for rows, cut in ((has_upper, model.outcome), (has_lower, model.outcome - 1)):
        ones = csr_array((np.ones(len(rows)), (np.arange(len(rows)), cut[rows])), shape=(len(rows), t))
        blocks.append(hstack([ones, -model.design[rows]]))
    row = np.concatenate([has_upper, has_lower])
    is_upper = np.arange(len(row)) < len(has_upper)
    members = model.members[:, row]
    together = csr_array(members.T @ members)
    together.sort_indices()
    return Quadrature(nodes, log_weights, csr_array(vstack(blocks)), row, is_upper, together)


def integrated(model: Mixed, rule: Quadrature, sd: np.ndarray, prior: float, start: np.ndarray) -> Mode:
    """The mode of thresholds, fixed and all random effects but the last, which is integrated out.

    `value` is the penalised log marginal likelihood, `last` and `spread` are posterior means and standard deviations.
    """
    precision = precisions(model, sd, prior)
    small, found = start, _evaluate(model, rule, start, sd[-1])
    if found is None:
        raise ValueError("start: its thresholds are out of order, expected rising ones")
    value = found[0] - 0.5 * float(precision @ small**2)
    for _ in range(STEPS):
        gradient, information, complete = _slopes(model, rule, found)
        gradient = gradient - precision * small
        try:
            factor = cho_factor(information + np.diag(precision))
        except LinAlgError:  # far from the maximum the marginal likelihood needn't be concave
            factor = cho_factor(complete + np.diag(precision))
        step = cho_solve(factor, gradient)
        if gradient @ step < 1e-9:
            break
        scale = 1.0
        while True:
            trial = _evaluate(model, rule, small + scale * step, sd[-1])
            new = -np.inf if trial is None else trial[0] - 0.5 * float(precision @ (small + scale * step) ** 2)
            if new >= value or scale < 1e-10:
                break
            scale /= 2
        if trial is None or new < value:
            break
        small, found, value = small + scale * step, trial, new
    mean = (found[1] * rule.nodes).sum(axis=1)
    spread = np.sqrt(np.maximum((found[1] * rule.nodes**2).sum(axis=1) - mean**2, 0.0))
    logdet = float(2 * np.log(np.diag(factor[0])).sum())
    return Mode(small, mean, spread, cho_solve(factor, np.eye(len(small))), logdet, value)


def restricted(model: Mixed, fit: Mode, sd: np.ndarray) -> float:
    """The restricted log-likelihood at standard deviations `sd`, less a constant: the last effect is integrated out by
    quadrature, all others by Laplace's approximation.
    """
    return fit.value - 0.5 * fit.logdet - float(np.array(model.sizes[1:-1]) @ np.log(sd[:-1]))


def _evaluate(model: Mixed, rule: Quadrature, small: np.ndarray, sd: float) -> tuple | None:
    """The log marginal likelihood, each group's posterior weights of its nodes, and the derivatives at every node."""
    groups, count = rule.nodes.shape
    log_joint = rule.log_weights - 0.5 * (rule.nodes / sd) ** 2 - np.log(sd * np.sqrt(2 * np.pi))
    slopes = []
    for q in range(count):
        found = by_row(model, small, rule.nodes[:, q])
        if found is None:
            return None
        log_joint[:, q] += np.bincount(model.group, found[0], groups)
        slopes.append(found[1:])
    top = log_joint.max(axis=1, keepdims=True)
    posterior = np.exp(log_joint - top)
    total = posterior.sum(axis=1, keepdims=True)
    return float((top + np.log(total)).sum()), posterior / total, slopes


def _slopes(model: Mixed, rule: Quadrature, found: tuple) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gradient and information of the marginal likelihood, and the information of the complete data.

    By Louis (1982, J. R. Stat. Soc. B 44) the former is the latter's mean less the covariance of the scores.
    """
    _, posterior, slopes = found
    weight = posterior[model.group]
    scores = np.stack([np.where(rule.is_upper, up[rule.row], low[rule.row]) for (up, low), _ in slopes], axis=1)
    weights = weight[rule.row]
    mean = (weights * scores).sum(axis=1)
    one, two = rule.pairs
    covariance = np.einsum("pq,pq,pq->p", weights[one], scores[one], scores[two]) - mean[one] * mean[two]
    second = [sum(weight[:, q] * slopes[q][1][i] for q in range(len(slopes))) for i in range(3)]
    diagonal = np.where(rule.is_upper, second[0][rule.row], second[1][rule.row])
    complete, (itself, other) = np.zeros(len(one)), rule.own
    complete[itself], complete[other] = diagonal, second[2][rule.row[one[other]]]
    full = (rule.transposed @ (filled(rule.together, complete) @ rule.bounds)).toarray()
    spread = filled(rule.together, covariance)
    return rule.transposed @ mean, full - (rule.transposed @ (spread @ rule.bounds)).toarray(), full
