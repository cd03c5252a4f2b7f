"""TrueSkill (Herbrich, Minka & Graepel 2006) of matches one against one: one fit, many orders, many replicates.

One fit in the order given is the package `trueskill`'s. For two players the update is a closed form: many orders
have the package's scores, a thousand orders at a time: by stepping over matches with all replicates as one vector.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib.util import find_spec

import numpy as np
import pandas as pd
from scipy.special import ndtr, ndtri

from parlai_spotbot.analysis.ranking.wins import LOSS, TIE, Codes, match_codes
from parlai_spotbot.analysis.uncertainty.product import ProductWeights
from parlai_spotbot.analysis.values import ArrayPair
from parlai_spotbot.errors import packages_named

Replicates = Sequence[np.ndarray] | ProductWeights | np.ndarray
"""Weights of matches (n,) in each of some replicates."""

DENSITY = 1 / np.sqrt(2 * np.pi)

PLACES = 1 << 27
"""Places of matches sorted at a time (512 MiB): a step takes hundreds of replicates as quickly as one."""

SHUFFLES = 100
"""Random orders whose mean is a score."""

STEPS = 64
"""Matches of each replicate that are looked up at a time."""

MANY = 1 << 22
"""Matches of all replicates from which on the steps are compiled, where numba is installed: it takes a second to start.
"""


@dataclass(frozen=True)
class TrueSkill:
    """The constants of the package `trueskill`; `backend` computes the normal distribution function: "scipy" exactly,
    None, the package's default, by a polynomial with an error of up to 6e-8, in single fits."""

    mu: float = 25.0
    sigma: float = 25.0 / 3
    beta: float = 25.0 / 6
    tau: float = 25.0 / 300
    draw_probability: float = 0.10
    backend: str | None = "scipy"

    @property
    def draw_margin(self) -> float:
        return float(ndtri((self.draw_probability + 1) / 2)) * np.sqrt(2) * self.beta


PAPER = TrueSkill(backend=None)
"""The paper's variant: the package's global environment, ties as rare as one in ten, and skills that drift."""


def trueskill_scores(
    matches: pd.DataFrame,
    names: Sequence[str],
    *,
    rng: np.random.Generator | None = None,
    shuffles: int = SHUFFLES,
    model: TrueSkill | None = None,
) -> pd.DataFrame:
    """TrueSkill of every bot: columns `mu` and `sigma`, index `names`.

    The score depends on the order of matches. With `rng` it is the mean over `shuffles` random orders; without, that of
    the matches in the order given, by the package `trueskill`.
    """
    if rng is None:
        mu, sigma = _by_package(match_codes(matches, names), len(names), model or TrueSkill())
    else:
        mu, sigma = trueskill_replicates(matches, names, (), rng=rng, model=model, shuffles=shuffles)
    return pd.DataFrame({"mu": mu.mean(axis=0), "sigma": sigma.mean(axis=0)}, index=list(names))


def trueskill_replicates(
    matches: pd.DataFrame,
    names: Sequence[str],
    weights: Replicates,
    *,
    rng: np.random.Generator,
    model: TrueSkill | None = None,
    shuffles: int = 0,
) -> ArrayPair:
    """Return `mu` and `sigma` (replicates, K): match m counts ``weights[r][m]`` times, in a random order of each.

    So many `shuffles` come first: replicates in which each match counts once.
    """
    codes = match_codes(matches, names)
    model = model or TrueSkill()
    count = len(matches)
    compiled = count * (shuffles + len(weights)) >= MANY and find_spec("numba") is not None
    parts = []
    for replicates in np.array_split(np.arange(len(weights)), max(1, -(-len(weights) * count // PLACES))):
        orders = RandomOrders(weights, replicates, shuffles, rng)
        if compiled:
            parts.append(_play_compiled(codes, len(names), orders, model))
        else:
            parts.append(_play(codes, len(names), orders.table(count), model))
        shuffles = 0
    return np.concatenate([mu for mu, _ in parts]), np.concatenate([sigma for _, sigma in parts])


@dataclass(frozen=True)
class RandomOrders:
    """Random orders to play: so many `shuffles` of all matches, then one for each of the `replicates`."""

    weights: Replicates
    replicates: np.ndarray
    shuffles: int
    rng: np.random.Generator

    @property
    def number(self) -> int:
        return self.shuffles + len(self.replicates)

    @cached_property
    def longest(self) -> int:
        """The number of matches in the replicate that has most."""
        return max((int(self.weights[replicate].sum()) for replicate in self.replicates), default=0)

    def drawn(self, matches: np.ndarray) -> Iterator[np.ndarray]:
        """Yield the matches, any numbers (n,), in each order; those of replicates are filled up with -1 to one
        length."""
        for _ in range(self.shuffles):
            yield self.rng.permuted(matches)
        for replicate in self.replicates:
            played = np.repeat(matches, self.weights[replicate])
            filled = np.append(played, np.full(self.longest - len(played), -1, dtype=matches.dtype))
            yield self.rng.permuted(filled)

    def table(self, count: int) -> np.ndarray:
        """Return the places of `count` matches in all orders (steps, orders), filled up with -1."""
        table = np.full((self.number, max(self.longest, count)), -1, dtype=np.int32)
        for row, order in zip(table, self.drawn(np.arange(count, dtype=np.int32)), strict=True):
            row[: len(order)] = order
        return table.T


def _by_package(codes: Codes, size: int, model: TrueSkill) -> ArrayPair:
    """`mu` and `sigma` (1, K) by the package, which plays one match after another."""
    with packages_named():
        import trueskill

    environment = trueskill.TrueSkill(**asdict(model))
    ratings = [environment.create_rating() for _ in range(size)]
    try:
        for first, second, outcome in zip(*(code.tolist() for code in codes), strict=True):
            winner, loser = (first, second) if outcome <= TIE else (second, first)
            ratings[winner], ratings[loser] = trueskill.rate_1vs1(
                ratings[winner], ratings[loser], drawn=outcome == TIE, env=environment
            )
    except FloatingPointError:  # the chance of this outcome is 0 in a float; `_corrections` knows the limit
        return _play(codes, size, np.arange(len(codes[0]))[:, None], model)
    return np.array([[rating.mu for rating in ratings]]), np.array([[rating.sigma for rating in ratings]])


def _play(codes: Codes, size: int, order: np.ndarray, model: TrueSkill | None) -> ArrayPair:
    """Play matches (entity 0, entity 1, outcome) in the orders given (steps, replicates); -1 is no match."""
    model = model or TrueSkill()
    # In place of no match two more players meet, of whom nobody hears.
    places, drawn = _sides(codes)
    winner, loser = np.column_stack([places, [size, size + 1]])
    drawn = np.append(drawn, False)
    mu = np.full((order.shape[1], size + 2), model.mu)
    variance = np.full(mu.shape, model.sigma**2)
    row = np.arange(len(mu)) * (size + 2)
    for start in range(0, len(order), STEPS):
        matches = np.ascontiguousarray(order[start : start + STEPS])
        for winners, losers, ties in zip(winner[matches] + row, loser[matches] + row, drawn[matches], strict=True):
            _update(mu.ravel(), variance.ravel(), winners, losers, np.flatnonzero(ties), model)
    return mu[:, :size], np.sqrt(variance[:, :size])


def _play_compiled(codes: Codes, size: int, orders: RandomOrders, model: TrueSkill) -> ArrayPair:
    """`_play`, one order after the other."""
    from parlai_spotbot.analysis.ranking import compiled_matches  # importing numba takes a second

    (winner, loser), drawn = _sides(codes)
    matches = compiled_matches.packed(winner, loser, drawn)
    mu = np.full((orders.number, size), model.mu)
    variance = np.full(mu.shape, model.sigma**2)
    constants = (2 * model.beta**2, model.tau**2, model.draw_margin)
    for means, variances, order in zip(mu, variance, orders.drawn(matches), strict=True):
        compiled_matches.play(order, means, variances, constants, compiled_matches.MILLS)
    return mu, np.sqrt(variance)


def _sides(codes: Codes) -> ArrayPair:
    """Return winners and losers (2, n) of matches, in a tie entity 0 and entity 1, and which are ties (n,)."""
    first, second, outcome = codes
    lost = outcome == LOSS
    return np.stack([np.where(lost, second, first), np.where(lost, first, second)]), outcome == TIE


def _update(
    mu: np.ndarray, variance: np.ndarray, winner: np.ndarray, loser: np.ndarray, drawn: np.ndarray, model: TrueSkill
) -> None:
    """One match in each of some replicates, in place; players are places in the raveled mu and variance, and `drawn`
    are the replicates in which it is a tie."""
    var_w = variance[winner]
    var_l = variance[loser]
    if model.tau:
        var_w += model.tau**2
        var_l += model.tau**2
    mu_w = mu[winner]
    mu_l = mu[loser]
    total = 2 * model.beta**2 + var_w + var_l
    spread = np.sqrt(total)
    v, w = _corrections((mu_w - mu_l) / spread, model.draw_margin / spread, drawn)
    v /= spread
    w /= total
    mu[winner] = mu_w + var_w * v
    mu[loser] = mu_l - var_l * v
    variance[winner] = var_w * (1 - var_w * w)
    variance[loser] = var_l * (1 - var_l * w)


def _corrections(gap: np.ndarray, margin: np.ndarray, drawn: np.ndarray) -> ArrayPair:
    """The functions V and W: additive correction of the mean, multiplicative one of the variance.

    Both follow from a normal variable known to lie between `low` and `high`; a win has no `low`. Where its mass
    underflows the limit is a result forced onto the nearer margin, of which nothing is left over.
    """
    high = gap - margin
    dense = _density(high)
    v, w = _moments(high, dense, ndtr(high), high * dense)
    if len(drawn):
        gap = gap[drawn]
        margin = margin[drawn]
        size = np.abs(gap)
        high = margin - size
        low = -margin - size
        dense = _density(high)
        dense_low = _density(low)
        moment = high * dense - low * dense_low
        v_tie, w[drawn] = _moments(high, dense - dense_low, ndtr(high) - ndtr(low), moment)
        v[drawn] = np.where(gap >= 0, -v_tie, v_tie)
    return v, w


def _moments(high: np.ndarray, dense: np.ndarray, mass: np.ndarray, moment: np.ndarray) -> ArrayPair:
    """Return V and W from the mass below `high`, or its limit where that is 0."""
    positive = mass > 0
    if positive.all():
        v = dense / mass
        return v, v**2 + moment / mass
    v = np.divide(dense, mass, out=-high, where=positive)
    return v, v**2 + np.divide(moment, mass, out=1 - v**2, where=positive)


def _density(x: np.ndarray) -> np.ndarray:
    return np.exp(-0.5 * x * x) * DENSITY
