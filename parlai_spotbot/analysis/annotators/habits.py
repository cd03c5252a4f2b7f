"""Habits that defeat a game in which annotators choose when to decide (paper, appendix B).

"Some always decided after just one exchange", "others opened the whole conversation first": who does so far more often
than the others do is listed, by a rule whose false alarms are simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betaln, expit, gammaln, logsumexp

from parlai_spotbot.analysis.uncertainty.corrections import adjust

LEAST_SHARE = 0.8
"""A habit is what somebody does this often, at least …"""

ENOUGH_ITEMS = 10
"""… of so many items, at least …"""

ALPHA = 0.05
"""… and more often than chance and the differences between annotators explain at this level (Holm)."""

ENOUGH_OTHERS = 3

MEANS = expit(np.linspace(-5, 5, 61))
TOTALS = np.exp(np.linspace(np.log(1.0), np.log(1000.0), 25))
"""The beta laws of the others' shares that are thought of, by mean and a + b, all alike before the data; with a + b
below 1 a law would itself consist of those who nearly always do it, or never.
"""


@dataclass(frozen=True)
class Habit:
    """What was found, one entry an annotator in the arrays (n,).

    `share` of items; `p` and `p_adjusted` of doing it that often if one were like the others, NaN where not tested;
    `flagged`. `typical`: the others' mean share, `spread` the standard deviation of their shares. `false_alarms`: of
    simulated annotators like the others, the share that the rule flags, and of studies of them with a flag. `why`:
    why nobody could be tested, or "".
    """

    share: np.ndarray
    p: np.ndarray
    p_adjusted: np.ndarray
    flagged: np.ndarray
    typical: float = np.nan
    spread: float = np.nan
    false_alarms: tuple[float, float] = (np.nan, np.nan)
    why: str = ""


def find_habit(
    counts: Sequence[int],
    items: Sequence[int],
    *,
    rng: np.random.Generator,
    simulations: int = 400,
    apart: Sequence[bool] | None = None,
) -> Habit:
    """Who does something with most of their items, while others don't.

    Parameters
    ----------
    counts, items : sequences (n,)
        Of each annotator: with how many items they did it, of how many.
    simulations : int
        Simulated studies of annotators like the others, for the rule's false alarms.
    apart : sequence of bool (n,), optional
        Annotators who are not to be among the others, since they have another habit.

    Notes
    -----
    An annotator's p is the chance of their count or more under the beta-binomial laws of the others, each weighted by
    its likelihood. The others are those below `LEAST_SHARE`; of those who are not, any number may be like them: a law
    may put as much beyond the limit as they are, and is the less likely the more it puts there beyond that.
    """
    counts, items = np.asarray(counts, dtype=int), np.asarray(items, dtype=int)
    wrong = np.flatnonzero((counts < 0) | (counts > items))
    if len(wrong):
        raise ValueError(f"counts: row {wrong[0]} is {counts[wrong[0]]}, expected 0 to {items[wrong[0]]} (items)")
    rule = _Rule(items, np.zeros(len(items), dtype=bool) if apart is None else np.asarray(apart, dtype=bool))
    found, weights = rule.apply(counts)
    if weights is None:
        return found
    # Laws drawn by how likely they are, so that what isn't known of the others counts too.
    drawn = rng.choice(len(weights), size=simulations, p=weights)
    shares = rng.beta(LAWS[drawn, :1], LAWS[drawn, 1:], size=(simulations, len(items)))
    flags = np.array([rule.apply(rng.binomial(items, own))[0].flagged for own in shares])[:, rule.tested]
    mean = LAWS[:, 0] / LAWS.sum(axis=1)
    typical = float(weights @ mean)
    variance = weights @ (mean * (1 - mean) / (LAWS.sum(axis=1) + 1) + mean**2) - typical**2
    return replace(
        found,
        typical=typical,
        spread=float(np.sqrt(max(variance, 0.0))),
        false_alarms=(float(flags.mean()), float(flags.any(axis=1).mean())),
    )


LAWS = np.array([(mean * total, (1 - mean) * total) for mean in MEANS for total in TOTALS])


class _Rule:
    """The rule for annotators of so many `items`, (n,): what depends on the laws only is worked out once."""

    def __init__(self, items: np.ndarray, apart: np.ndarray) -> None:
        self.items, self.apart = items, apart
        self.tested = items >= ENOUGH_ITEMS
        self.chances = {n: _log_chances(int(n)) for n in np.unique(items[self.tested])}
        self.tails = {n: np.flip(np.flip(np.exp(own), 1).cumsum(1), 1) for n, own in self.chances.items()}
        self.below = {n: own[:, np.arange(n + 1) < LEAST_SHARE * n] for n, own in self.chances.items()}
        self.below = {n: logsumexp(own, axis=1) for n, own in self.below.items()}

    def apply(self, counts: np.ndarray) -> tuple[Habit, np.ndarray | None]:
        """What is found, and the weight of each of `LAWS`; None where there are too few others."""
        items = self.items
        share = np.divide(counts, items, out=np.full(len(items), np.nan), where=items > 0)
        others = self.tested & (share < LEAST_SHARE) & ~self.apart
        p, p_adjusted = np.full(len(items), np.nan), np.full(len(items), np.nan)
        if others.sum() < ENOUGH_OTHERS:
            why = f"fewer than {ENOUGH_OTHERS} annotators with {ENOUGH_ITEMS} items or more have no such habit"
            return Habit(share, p, p_adjusted, np.zeros(len(items), dtype=bool), why=why), None
        above = int((self.tested & (share >= LEAST_SHARE) & ~self.apart).sum())
        weights = self._weights(counts[others], items[others], above)
        for i in np.flatnonzero(self.tested):
            p[i] = min(1.0, float(weights @ self.tails[items[i]][:, counts[i]]))
        p_adjusted[self.tested] = adjust(p[self.tested])
        flagged = self.tested & (share >= LEAST_SHARE) & (p_adjusted < ALPHA)
        return Habit(share, p, p_adjusted, flagged), weights

    def _weights(self, counts: np.ndarray, items: np.ndarray, above: int) -> np.ndarray:
        """How likely each of `LAWS` is from the counts of the others, and from how many are `above` the limit."""
        loglik, below = np.zeros(len(LAWS)), np.zeros(len(LAWS))
        for n, x in zip(items, counts, strict=True):
            loglik += self.chances[n][:, x] - self.below[n]
            below += np.exp(self.below[n]) / len(items)
        share = np.clip(np.minimum(below, len(items) / (len(items) + above)), 1e-12, 1 - 1e-12)
        loglik += len(items) * np.log(share) + above * np.log1p(-share)
        return np.exp(loglik - logsumexp(loglik))


def _log_chances(n: int) -> np.ndarray:
    """Logarithms of the beta-binomial chances (laws, n + 1) of 0 … n under each of `LAWS`."""
    x, (a, b) = np.arange(n + 1), LAWS.T[:, :, None]
    return gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1) + betaln(x + a, n - x + b) - betaln(a, b)
