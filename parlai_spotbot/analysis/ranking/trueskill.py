"""TrueSkill (Herbrich, Minka & Graepel 2006) of matches one against one, over many orders or replicates at once.

For two players the update is a closed form; stepping over matches with all replicates as one vector gives the scores of
the package `trueskill` (with its scipy backend) a thousand orders at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from parlai_spotbot.analysis.ranking.wins import TIE, WIN, match_codes


@dataclass(frozen=True)
class TrueSkill:
    """The model's constants; the defaults are those of the package."""

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    tau: float = 25.0 / 300
    draw_probability: float = 0.10

    @property
    def draw_margin(self) -> float:
        return float(ndtri((self.draw_probability + 1) / 2)) * np.sqrt(2) * self.beta


def trueskill_scores(
    matches: pd.DataFrame,
    names: Sequence[str],
    *,
    rng: np.random.Generator | None = None,
    shuffles: int = 100,
    model: TrueSkill | None = None,
) -> pd.DataFrame:
    """TrueSkill of every bot: columns `mu` and `sigma`, index `names`.

    The score depends on the order of matches. With `rng` it is the mean over `shuffles` random orders; without, that of
    the matches in the order given (as the package's ``rate_1vs1`` in a loop).
    """
    n = len(matches)
    order = np.arange(n)[None, :]
    if rng is not None:
        order = rng.permuted(np.repeat(order, shuffles, axis=0), axis=1)
    mu, sigma = _play(matches, names, order, model or TrueSkill())
    return pd.DataFrame({"mu": mu.mean(axis=0), "sigma": sigma.mean(axis=0)}, index=list(names))


def trueskill_replicates(
    matches: pd.DataFrame,
    names: Sequence[str],
    weights: np.ndarray,
    *,
    rng: np.random.Generator,
    model: TrueSkill | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """`mu` and `sigma` (replicates, K): match m counts ``weights[r, m]`` times, in a random order of each replicate."""
    weights = np.asarray(weights)
    total = weights.sum(axis=1)
    order = np.full((len(weights), int(total.max(initial=0))), -1)
    replicate, match = np.nonzero(weights)
    times = weights[replicate, match]
    order[np.arange(order.shape[1])[None, :] < total[:, None]] = np.repeat(match, times)
    return _play(matches, names, rng.permuted(order, axis=1), model or TrueSkill())


def _play(
    matches: pd.DataFrame, names: Sequence[str], order: np.ndarray, model: TrueSkill
) -> tuple[np.ndarray, np.ndarray]:
    """Play matches in the orders given (replicates, steps); -1 is no match."""
    first, second, outcome = match_codes(matches, names)
    winner, loser = np.where(outcome <= TIE, first, second), np.where(outcome <= TIE, second, first)
    drawn = outcome == TIE
    assert WIN < TIE  # the line above takes every place up to TIE as "entity 0 did not lose"
    mu = np.full((len(order), len(names)), model.mu)
    variance = np.full((len(order), len(names)), model.sigma**2)
    for step in order.T:
        row = np.flatnonzero(step >= 0)
        match = step[row]
        _update(mu, variance, row, winner[match], loser[match], drawn[match], model)
    return mu, np.sqrt(variance)


def _update(
    mu: np.ndarray,
    variance: np.ndarray,
    row: np.ndarray,
    winner: np.ndarray,
    loser: np.ndarray,
    drawn: np.ndarray,
    model: TrueSkill,
) -> None:
    """One match in each of the rows, in place."""
    var_w, var_l = variance[row, winner] + model.tau**2, variance[row, loser] + model.tau**2
    mu_w, mu_l = mu[row, winner], mu[row, loser]
    total = 2 * model.beta**2 + var_w + var_l
    spread = np.sqrt(total)
    v, w = _corrections((mu_w - mu_l) / spread, model.draw_margin / spread, drawn)
    mu[row, winner] = mu_w + var_w / spread * v
    mu[row, loser] = mu_l - var_l / spread * v
    variance[row, winner] = var_w * (1 - var_w / total * w)
    variance[row, loser] = var_l * (1 - var_l / total * w)


def _corrections(gap: np.ndarray, margin: np.ndarray, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The functions V and W: additive correction of the mean, multiplicative one of the variance."""
    v, w = np.empty_like(gap), np.empty_like(gap)
    won = ~drawn
    x = gap[won] - margin[won]
    density, mass = _density(x), ndtr(x)
    v[won] = np.divide(density, mass, out=-x, where=mass > 0)
    w[won] = v[won] * (v[won] + x)
    size = np.abs(gap[drawn])
    high, low = margin[drawn] - size, -margin[drawn] - size
    mass = ndtr(high) - ndtr(low)
    dense_high, dense_low = _density(high), _density(low)
    # Where the mass underflows the limit is a draw forced onto the nearer margin: v = high, w = 1.
    shift = np.divide(dense_low - dense_high, mass, out=high.copy(), where=mass > 0)
    spare = np.divide(high * dense_high - low * dense_low, mass, out=1 - shift**2, where=mass > 0)
    v[drawn] = np.where(gap[drawn] < 0, -shift, shift)
    w[drawn] = shift**2 + spare
    return v, w


def _density(x: np.ndarray) -> np.ndarray:
    return np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi)
