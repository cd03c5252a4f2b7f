"""Habits that defeat a game in which annotators choose when to decide (paper, appendix B).

"Some always decided after just one exchange", "others opened the whole conversation first": who does so far more often
than the others do is listed, by a rule whose false alarms are simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import betaln, expit, gammaln, logit, logsumexp

from parlai_spotbot.analysis.comparisons import adjust

LEAST_SHARE = 0.8
"""A habit is what somebody does this often, at least …"""

ENOUGH_ITEMS = 10
"""… of so many items, at least …"""

ALPHA = 0.05
"""… and more often than chance and the differences between annotators explain at this level (Holm)."""

ENOUGH_OTHERS = 3

CONCENTRATION = (1.0, 1000.0)
"""Bounds of a + b of the others' beta law; below 1 it would itself consist of those who nearly always do, or never."""

RULE = (
    f"does it with at least {LEAST_SHARE:.0%} of {ENOUGH_ITEMS} items or more, and more often (p < {ALPHA:g}, Holm "
    "over annotators) than a beta-binomial law allows that is fitted to the others: those who do it with less than "
    f"{LEAST_SHARE:.0%}, their law cut off there"
)


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
    counts: Sequence[int], items: Sequence[int], *, rng: np.random.Generator, simulations: int = 200
) -> Habit:
    """Who does something with most of their items, while others don't.

    Parameters
    ----------
    counts, items : sequences (n,)
        Of each annotator: with how many items they did it, of how many.
    simulations : int
        Simulated studies of annotators like the others, for the rule's false alarms.
    """
    counts, items = np.asarray(counts, dtype=int), np.asarray(items, dtype=int)
    wrong = np.flatnonzero((counts < 0) | (counts > items))
    if len(wrong):
        raise ValueError(f"counts: row {wrong[0]} is {counts[wrong[0]]}, expected 0 to {items[wrong[0]]} (items)")
    found, law = _apply(counts, items)
    if law is None:
        return found
    tested = items >= ENOUGH_ITEMS
    flags = []
    for _ in range(simulations):
        shares = rng.beta(*law, size=len(items))
        flags.append(_apply(rng.binomial(items, shares), items)[0].flagged)
    flags = np.array(flags).reshape(simulations, len(items))[:, tested]
    alarms = (float(flags.mean()), float(flags.any(axis=1).mean())) if flags.size else (np.nan, np.nan)
    total = sum(law)
    mean = law[0] / total
    spread = float(np.sqrt(mean * (1 - mean) / (total + 1)))
    return Habit(
        found.share, found.p, found.p_adjusted, found.flagged, float(mean), spread, alarms, found.why
    )  # fmt: skip


def _apply(counts: np.ndarray, items: np.ndarray) -> tuple[Habit, tuple[float, float] | None]:
    """The rule, and the law (a, b) of the others; None where there are too few of them."""
    share = np.divide(counts, items, out=np.full(len(items), np.nan), where=items > 0)
    tested = items >= ENOUGH_ITEMS
    others = tested & (share < LEAST_SHARE)
    p, p_adjusted = np.full(len(items), np.nan), np.full(len(items), np.nan)
    nobody = np.zeros(len(items), dtype=bool)
    if others.sum() < ENOUGH_OTHERS:
        why = f"fewer than {ENOUGH_OTHERS} annotators with {ENOUGH_ITEMS} items do it with less than {LEAST_SHARE:.0%}"
        return Habit(share, p, p_adjusted, nobody, why=f"{why}: there is nobody to compare with"), None
    law = _law(counts[others], items[others])
    for i in np.flatnonzero(tested):
        p[i] = min(1.0, float(np.exp(logsumexp(_log_chances(items[i], *law)[counts[i] :]))))
    p_adjusted[tested] = adjust(p[tested])
    return Habit(share, p, p_adjusted, tested & (share >= LEAST_SHARE) & (p_adjusted < ALPHA)), law


def _log_chances(n: int, a: float, b: float) -> np.ndarray:
    """Logarithms of the beta-binomial chances of 0 … n."""
    x = np.arange(n + 1)
    return gammaln(n + 1) - gammaln(x + 1) - gammaln(n - x + 1) + betaln(x + a, n - x + b) - betaln(a, b)


def _law(counts: np.ndarray, items: np.ndarray) -> tuple[float, float]:
    """Maximum likelihood of a beta-binomial law of which only shares below `LEAST_SHARE` are seen."""

    def loss(parameters: np.ndarray) -> float:
        mean, total = expit(parameters[0]), np.exp(parameters[1])
        value = 0.0
        for n in np.unique(items):
            chances = _log_chances(int(n), mean * total, (1 - mean) * total)
            seen = chances[np.arange(n + 1) < LEAST_SHARE * n]
            value -= chances[counts[items == n]].sum() - (items == n).sum() * logsumexp(seen)
        return float(value)

    start = logit(np.clip(counts.sum() / items.sum(), 0.02, 0.98))
    low, high = np.log(CONCENTRATION)
    found = minimize(loss, [start, np.log(6.0)], method="L-BFGS-B", bounds=[(-6.0, 6.0), (low, high)])
    mean, total = expit(found.x[0]), np.exp(found.x[1])
    return float(mean * total), float((1 - mean) * total)
