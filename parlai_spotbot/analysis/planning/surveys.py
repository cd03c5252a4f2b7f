"""How much do surveys of whole conversations need: choices between two, and ratings on a scale?

A pair's choices are tested by the exact binomial test of the decided ones, ratings by a t-test of the conversations'
means; so the power is a formula (the binomial distribution; the non-central t). After a pilot its shares, ties,
variances and times take the place of assumptions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np
from scipy.stats import nct, norm
from scipy.stats import t as student

from parlai_spotbot.analysis.planning.cost_curve import binomial_power
from parlai_spotbot.analysis.planning.design import MOST, PairTests, fewest

CHOICES = ("acute_eval", "comparative")
RATINGS = ("dialogue_likert", "turn_likert")
EXACT = 2000
"""From so many choices on the normal distribution is near enough."""

SETTLED, MORE, CLOSE, UNREACHABLE = "settled", "needs more", "close", "out of reach"


@dataclass(frozen=True)
class Wish(PairTests):
    """What is to be found: chance to find a difference, 1 less the chance of any false alarm, over all pairs.

    `looks`: how often the pairs will be tested. `questions`: how many are asked each by annotations of their own.
    """

    bots: int
    power: float = 0.8
    level: float = 0.95
    correction: str = "bonferroni"
    looks: int = 1
    questions: int = 1

    def __post_init__(self):
        for name, least in (("bots", 2), ("looks", 1), ("questions", 1)):
            if getattr(self, name) < least:
                raise ValueError(f"{name} is {getattr(self, name)}, expected a number from {least} up")
        for name in ("power", "level"):
            if not 0 < getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}, expected a number between 0 and 1")
        if self.correction not in ("bonferroni", "none"):
            raise ValueError(f"correction is {self.correction!r}, expected bonferroni or none")


@dataclass(frozen=True)
class Choosing:
    """What choices are like: the share for neither, and how many choices tell as much as one independent one."""

    ties: float = 0.0
    design_effect: float = 1.0

    def __post_init__(self):
        if not 0 <= self.ties < 1:
            raise ValueError(f"ties is {self.ties}, expected a number from 0 up, below 1")
        if not self.design_effect >= 1:
            raise ValueError(f"design_effect is {self.design_effect}, expected a number from 1 up")

    def power(self, difference: float, n: int, alpha: float) -> float:
        """Chance that n choices of a pair find a difference of so much between the shares of the decided."""
        return binomial_power(int(n / self.design_effect), 0.5 + difference / 2, 1 - self.ties, alpha)

    def needed(self, difference: float, wish: Wish) -> int | None:
        """Fewest choices of a pair from which on the power never falls below the wished; None beyond a million."""
        share = 0.5 + _above_zero(difference, 1.0) / 2
        spread = norm.isf(wish.alpha / 2) * 0.5 + norm.ppf(wish.power) * math.sqrt(share * (1 - share))
        rough = max(0.0, spread / (share - 0.5)) ** 2 / (1 - self.ties)
        if rough * self.design_effect > MOST:
            return None
        if rough > EXACT:
            return math.ceil(rough * self.design_effect)
        # The exact test's power goes up in a saw: come down from where it is surely enough.
        n = math.ceil(1.5 * rough + 4 * math.log(2 / wish.alpha) / (1 - self.ties)) + 10
        while n > 1 and binomial_power(n - 1, share, 1 - self.ties, wish.alpha) >= wish.power:
            n -= 1
        return math.ceil(n * self.design_effect)


@dataclass(frozen=True)
class Rating:
    """What ratings are like: standard deviations, in points, of conversations of one contestant, of annotators'
    leniency and of the rest of one annotation; and how many annotators rate a conversation.

    Annotators are taken to come to conversations by chance, so that leniency doesn't cancel out.
    """

    conversations: float = 0.5
    annotators: float = 0.5
    rest: float = 0.7
    per_conversation: float = 1.0

    def __post_init__(self):
        for entry in fields(self):
            value = getattr(self, entry.name)
            least = 1 if entry.name == "per_conversation" else 0
            if not value >= least:
                raise ValueError(f"{entry.name} is {value}, expected a number from {least} up")
        if not self.variance > 0:
            raise ValueError("all standard deviations are 0, expected one above it")

    @property
    def variance(self) -> float:
        """Of a conversation's mean rating."""
        return self.conversations**2 + (self.annotators**2 + self.rest**2) / self.per_conversation

    def power(self, difference: float, n: int, alpha: float) -> float:
        """Chance that a two-sided t-test of n conversations of each of two bots finds a difference of means."""
        if n < 2:
            return 0.0
        df, shift = 2 * (n - 1), abs(difference) / math.sqrt(2 * self.variance / n)
        limit = student.isf(alpha / 2, df)
        if shift > limit + 8:  # where the distribution function underflows
            return 1.0
        return float(nct.sf(limit, df, shift) + nct.cdf(-limit, df, shift))

    def needed(self, difference: float, wish: Wish) -> int | None:
        """Fewest conversations of each bot that reach the wished power; None beyond a million."""
        _above_zero(difference, 4.0)
        return fewest(lambda conversations: self.power(difference, conversations, wish.alpha) >= wish.power)


def _above_zero(difference: float, most: float) -> float:
    if not 0 < difference <= most:
        raise ValueError(f"difference is {difference}, expected a number above 0, up to {most:g}")
    return difference


def plan_survey(
    wish: Wish, like: Choosing | Rating, difference: float, seconds: float, wage: float | None = None
) -> dict:
    """What finds every pair that differs by `difference` (of shares of the decided, or points) or more.

    Returns
    -------
    dict
        difference, needed (choices a pair, or conversations a bot), power, items (pairs of conversations, or
        conversations, of all), annotations, hours, cost; None but for the first where the power is out of reach.
    """
    if not seconds > 0:
        raise ValueError(f"seconds is {seconds}, expected a time per annotation above 0")
    if wage is not None and not wage > 0:
        raise ValueError(f"wage is {wage}, expected pay per hour above 0")
    needed = like.needed(difference, wish)
    if needed is None:
        return {"difference": difference, **dict.fromkeys(("needed", "power", "items", "annotations", "hours", "cost"))}
    power = like.power(difference, needed, wish.alpha)
    if isinstance(like, Choosing):
        items, annotations = wish.pairs * needed, wish.pairs * needed
    else:
        items = wish.bots * needed
        annotations = math.ceil(items * like.per_conversation)
    annotations *= wish.questions
    hours = annotations * seconds / 3600
    cost = None if wage is None else hours * wage
    return {"difference": difference, "needed": needed, "power": power, "items": items, "annotations": annotations,
            "hours": hours, "cost": cost}  # fmt: skip


def pilot_choices(ranking: Mapping, wish: Wish, difference: float) -> list[dict]:
    """What each pair of a pilot's ranking.json (its main question) still needs: one row a pair.

    A row has a, b, estimate, p_adjusted, had (choices), difference (that is planned for), status, power (of as many as
    there are), needed, more (None where out of reach).
    """
    rows = []
    for pair in ranking["pairs"]:
        decided = pair["wins_a"] + pair["wins_b"]
        effect = decided / pair["effective"] if pair.get("effective") else 1.0
        like = Choosing(min(pair["ties"] / pair["n"], 0.99), max(effect, 1.0))
        # Half a win and half a loss more, so that a few choices that all went one way promise no certainty.
        expected = abs(2 * (pair["wins_a"] + 0.5) / (decided + 1) - 1)
        rows.append(_row(pair, pair["n"], expected, like, wish, difference))
    return rows


def pilot_ratings(ranking: Mapping, like: Rating, wish: Wish, difference: float) -> list[dict]:
    """As `pilot_choices`, in conversations of each bot; `like` is what the pilot says of variances."""
    rows = []
    for pair in ranking["pairs"]:
        had = int(min(ranking["annotations"][pair[end]] for end in ("a", "b")) // like.per_conversation)
        rows.append(_row(pair, had, abs(pair["estimate"] or 0.0), like, wish, difference))
    return rows


def _row(pair: Mapping, had: int, expected: float, like: Choosing | Rating, wish: Wish, difference: float) -> dict:
    planned = max(expected, difference)
    p = pair["p_adjusted"]
    looks = wish.looks if wish.correction == "bonferroni" else 1
    settled = p is not None and p * looks < 1 - wish.level
    needed = like.needed(planned, wish)
    status = SETTLED if settled else UNREACHABLE if needed is None else CLOSE if expected < difference else MORE
    more = 0 if settled else None if needed is None else max(0, needed - had)
    return {"a": pair["a"], "b": pair["b"], "estimate": pair["estimate"], "p_adjusted": p, "had": had,
            "difference": planned, "status": status, "power": like.power(planned, had, wish.alpha), "needed": needed,
            "more": more}  # fmt: skip


def rating_of(ranking: Mapping, per_conversation: float, otherwise: Rating) -> Rating:
    """What a pilot's ranking.json says of ratings: the variance behind the standard errors of its differences.

    It holds whatever the pilot's design did to leniency, and turns of one annotation. `otherwise` where no pair has a
    standard error.
    """
    found = []
    for pair in ranking["pairs"]:
        talks = [ranking["annotations"][pair[end]] / per_conversation for end in ("a", "b")]
        if pair.get("se") and min(talks) >= 2:
            found.append(pair["se"] ** 2 / (1 / talks[0] + 1 / talks[1]))
    if not found:
        return Rating(otherwise.conversations, otherwise.annotators, otherwise.rest, per_conversation)
    return Rating(float(np.sqrt(np.mean(found))), 0.0, 0.0, per_conversation)
