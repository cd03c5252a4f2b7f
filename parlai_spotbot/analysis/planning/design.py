"""How many conversations, annotations, hours and dollars does a study need to tell two bots apart?

A match between two bots is +1, 0 (a tie) or -1. Its mean is tested against 0, with a variance that allows for what
annotations of one conversation, and those of one annotator, have in common (`ranking.pairs.clustered_test`). The power
of that test is a formula, which `simulated_power` checks by simulation (Card et al. 2020, EMNLP).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from scipy.optimize import least_squares
from scipy.special import expit
from scipy.stats import binom, norm
from scipy.stats import t as student

MOST = 1_000_000
"""Conversations per pair beyond which a design is said not to reach its power."""


class PairTests:
    """The tests of every pair that a plan wishes for: it has `bots`, `level`, `looks` and `correction`."""

    bots: int
    level: float
    looks: int
    correction: str

    @property
    def pairs(self) -> int:
        return self.bots * (self.bots - 1) // 2

    @property
    def alpha(self) -> float:
        """The level of a single two-sided test."""
        return (1 - self.level) / (self.pairs * self.looks if self.correction == "bonferroni" else 1)


@dataclass(frozen=True)
class Design(PairTests):
    """What a study is like; the defaults for ties and correlations are those of the paper's released data.

    Attributes
    ----------
    bots : int
        In the pool; every pair meets.
    annotations_per_conversation : int
        Segments shown times annotators each.
    ties : float
        Share of matches without a winner (.66 to .77 in the released data).
    conversation_correlation, worker_correlation : float
        Correlation of two matches of a pair that share the conversation, or the annotator (.04 to .12, and .05 to .08,
        in the released data by `match_correlations`).
    annotations_per_worker : float
        How many annotations of bots one person gives, all pairs together.
    power : float
        Wished chance that the test of a pair finds a difference that is there.
    level : float
        1 less the chance of a false alarm, over all tests together.
    correction : str
        "bonferroni" (over pairs and looks; a lower limit to the power under Holm) or "none".
    looks : int
        How often the pairs will be tested: 2 where a pilot is tested, and again with the data added to it.
    people : float
        Annotations of people's conversations for each one of bots'.
    """

    bots: int
    annotations_per_conversation: int = 6
    ties: float = 0.7
    conversation_correlation: float = 0.1
    worker_correlation: float = 0.07
    annotations_per_worker: float = 60
    power: float = 0.8
    level: float = 0.95
    correction: str = "bonferroni"
    looks: int = 1
    people: float = 1 / 3

    def __post_init__(self):
        ranges = {
            "bots": (2, math.inf), "annotations_per_conversation": (1, math.inf), "looks": (1, math.inf),
            "annotations_per_worker": (1, math.inf), "people": (0, math.inf),
        }  # fmt: skip
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name in ranges:
                low, high = ranges[entry.name]
                if not low <= value < high:
                    raise ValueError(f"{entry.name} is {value}, expected a number from {low} up")
            elif entry.name in ("power", "level"):
                if not 0 < value < 1:
                    raise ValueError(f"{entry.name} is {value}, expected a number between 0 and 1")
            elif entry.name != "correction" and not 0 <= value < 1:
                raise ValueError(f"{entry.name} is {value}, expected a number from 0 up, below 1")
        if self.correction not in ("bonferroni", "none"):
            raise ValueError(f"correction is {self.correction!r}, expected bonferroni or none")

    @property
    def design_effect(self) -> float:
        """By how much clustering multiplies the variance of a pair's mean."""
        same_conversation = (self.annotations_per_conversation - 1) * self.conversation_correlation
        same_worker = (self.annotations_per_worker - 1) / self.pairs * self.worker_correlation
        return 1 + same_conversation + same_worker

    def workers(self, conversations: int) -> int:
        """How many people are needed for `conversations` per pair."""
        annotations = self.pairs * conversations * self.annotations_per_conversation
        return max(self.annotations_per_conversation, math.ceil(annotations / self.annotations_per_worker))


def pair_power(rate: float, conversations: int, design: Design) -> float:
    """Chance that the test of a pair finds its difference.

    Parameters
    ----------
    rate : float
        Share of its decided matches that the better bot wins (the paper's pairwise win rate).
    conversations : int
        Of the pair.
    """
    _check_rate(rate)
    n = conversations * design.annotations_per_conversation
    decided = 1 - design.ties
    mean = decided * abs(2 * rate - 1)
    without, with_difference = (design.design_effect * v for v in (decided, decided - mean**2))
    df = min(conversations, design.workers(conversations)) - 1
    if df < 1:
        return 0.0
    needed = student.isf(design.alpha / 2, df) * math.sqrt(without)
    if with_difference <= 0:
        return float(mean * math.sqrt(n) > needed)
    return float(norm.cdf((mean * math.sqrt(n) - needed) / math.sqrt(with_difference)))


def conversations_needed(rate: float, design: Design) -> int | None:
    """Fewest conversations of a pair that reach the design's power; None where no number up to a million does."""
    _check_rate(rate)
    return fewest(lambda conversations: pair_power(rate, conversations, design) >= design.power)


def fewest(enough: Callable[[int], bool]) -> int | None:
    """The smallest number from 2 up that is `enough`, as are all larger ones; None beyond a million."""
    high = 2
    while not enough(high):
        high *= 2
        if high > MOST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def sign_test_power(decided: int, rate: float, alpha: float = 0.05) -> float:
    """Exact power of the two-sided sign test of `decided` independent matches, each won with probability `rate`."""
    _check_rate(rate)
    # Fewest wins that the test rejects with, each side at alpha / 2.
    critical = int(binom.isf(alpha / 2, decided, 0.5)) + 1
    while critical > 0 and binom.sf(critical - 2, decided, 0.5) <= alpha / 2:
        critical -= 1
    return float(binom.sf(critical - 1, decided, rate) + binom.cdf(decided - critical, decided, rate))


def _check_rate(rate: float) -> None:
    if not 0 <= rate <= 1:
        raise ValueError(f"rate is {rate}, expected a share of decided matches from 0 to 1")


def pairwise_rates(win_rates: np.ndarray) -> np.ndarray:
    """Pairwise win rates (K, K), diagonal .5, of bots whose mean over opponents is `win_rates` (K,), by Bradley–Terry.

    Raises
    ------
    ValueError
        Where the rates' mean is not .5, or no strengths give them.
    """
    win_rates = np.asarray(win_rates, dtype=float)
    size = len(win_rates)
    if size < 2 or ((win_rates <= 0) | (win_rates >= 1)).any():
        raise ValueError(f"win_rates is {win_rates.tolist()}, expected at least two numbers between 0 and 1")
    if abs(win_rates.mean() - 0.5) > 0.02:
        raise ValueError(
            f"win_rates has the mean {win_rates.mean():.3f}, expected .5: what one bot wins another one loses"
        )
    target = win_rates - win_rates.mean() + 0.5

    def gaps(strength: np.ndarray) -> np.ndarray:
        rates = expit(strength[:, None] - strength[None, :])
        return np.append((rates.sum(axis=1) - 0.5) / (size - 1) - target, strength.mean())

    fit = least_squares(gaps, np.log(target / (1 - target)))
    if np.abs(fit.fun).max() > 1e-4:
        raise ValueError(f"win_rates is {win_rates.tolist()}, which no strengths give: the outer ones are too extreme")
    return expit(fit.x[:, None] - fit.x[None, :])


def total(conversations: int, design: Design, seconds: float, wage: float | None = None) -> dict:
    """What a study of `conversations` per pair comes to.

    Parameters
    ----------
    seconds : float
        Per annotation; the mean, not the median, for that is what is paid.
    wage : float, optional
        Pay per hour.

    Returns
    -------
    dict
        conversations_per_pair, conversations, annotations_per_pair, annotations (with those of people's conversations),
        workers, hours, cost (None without a wage).
    """
    if not seconds > 0:
        raise ValueError(f"seconds is {seconds}, expected a time per annotation above 0")
    if wage is not None and not wage > 0:
        raise ValueError(f"wage is {wage}, expected pay per hour above 0")
    per_pair = conversations * design.annotations_per_conversation
    annotations = math.ceil(round(design.pairs * per_pair * (1 + design.people), 6))
    hours = annotations * seconds / 3600
    return {
        "conversations_per_pair": conversations,
        "conversations": design.pairs * conversations,
        "annotations_per_pair": per_pair,
        "annotations": annotations,
        "workers": design.workers(conversations),
        "hours": hours,
        "cost": None if wage is None else hours * wage,
    }


def plan(
    design: Design,
    *,
    difference: float = 0.2,
    win_rates: np.ndarray | None = None,
    seconds: float = 50.0,
    wage: float | None = None,
) -> dict:
    """What has to be collected so that every pair that differs by `difference` or more is found with the wished power.

    Parameters
    ----------
    difference : float
        Between the shares of decided matches that the two bots of a pair win: .1 is 55 : 45.
    win_rates : array (K,), optional
        What each bot's win rate is expected to be (mean over opponents, as in Table 1): then each pair has its own
        expected rate and need, and pairs nearer than `difference` are left out of the need.

    Returns
    -------
    dict
        As `total`, with ``rate`` (the pair that needs most), ``power`` (that pair's), ``pairs`` (with `win_rates`: a, b
        as places, rate, conversations, power); everything None where the power is out of reach.
    """
    if not 0 < difference <= 1:
        raise ValueError(f"difference is {difference}, expected a number above 0, up to 1")
    rows = []
    if win_rates is None:
        need, rate = conversations_needed(0.5 + difference / 2, design), 0.5 + difference / 2
    else:
        if len(win_rates) != design.bots:
            raise ValueError(f"win_rates has {len(win_rates)} entries, expected one for each of {design.bots} bots")
        rates = pairwise_rates(win_rates)
        for a, b in zip(*np.triu_indices(design.bots, 1), strict=True):
            asked = abs(2 * rates[a, b] - 1) >= difference
            needs = conversations_needed(rates[a, b], design) if asked else None
            rows.append(
                {"a": int(a), "b": int(b), "rate": float(rates[a, b]), "asked": bool(asked), "conversations": needs}
            )
        asked = [row for row in rows if row["asked"]]
        if not asked:
            raise ValueError(f"win_rates: no two bots differ by {difference}; expected a smaller difference")
        worst = min(asked, key=lambda row: abs(2 * row["rate"] - 1))
        need, rate = worst["conversations"], max(worst["rate"], 1 - worst["rate"])
    if need is None:
        return {"rate": rate, "power": None, "pairs": rows, "conversations_per_pair": None}
    for row in rows:
        row["power"] = pair_power(row["rate"], need, design)
    found = total(need, design, seconds, wage)
    return {"rate": rate, "power": pair_power(rate, need, design), "pairs": rows, **found}
