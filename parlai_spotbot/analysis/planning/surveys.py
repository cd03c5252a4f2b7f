"""How much do surveys of whole conversations need: choices between two, and ratings on a scale?

Choices are tested by the contrasts of all of them (`pool`); ratings by differences of means whose error allows for
conversations and annotators (`uncertainty.estimates`), so their power is that of a t-test with as many degrees of
freedom as there are effective annotators. After a pilot its shares, ties, variances and times take the place of
assumptions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.planning.design import (
    MOST,
    UNEQUAL,
    Design,
    PairTests,
    effective_per_worker,
    fewest,
    shared_annotations,
)
from parlai_spotbot.analysis.planning.pilot import CLOSE, MORE, SETTLED, UNREACHABLE, pilot_needs
from parlai_spotbot.analysis.planning.pool import conversations_needed, pair_power, t_power
from parlai_spotbot.analysis.uncertainty.clusters import known

CLEAREST = 0.99
"""A share of choices that is asked for; all of them has no strength."""


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
class Rating:
    """What ratings are like, and people's activity.

    Attributes
    ----------
    conversations, annotators, tastes, rest : float
        Standard deviations, in points: of conversations of one contestant, of annotators' leniency, of their liking for
        single contestants, and of the rest of one annotation.
    per_conversation : float
        How many annotators rate a conversation. They come to conversations by chance, so that leniency doesn't cancel
        out.
    annotations_per_worker, unequal : float
        Annotations a person, all contestants together; and how unequally much people do, see `design.UNEQUAL`.
    """

    conversations: float = 0.5
    annotators: float = 0.5
    tastes: float = 0.2
    rest: float = 0.7
    per_conversation: float = 1.0
    annotations_per_worker: float = 10.0
    unequal: float = UNEQUAL

    def __post_init__(self):
        for entry in fields(self):
            value = getattr(self, entry.name)
            least = 1 if entry.name in ("per_conversation", "annotations_per_worker", "unequal") else 0
            if not value >= least:
                raise ValueError(f"{entry.name} is {value}, expected a number from {least} up")
        if not self.conversations + self.annotators + self.tastes + self.rest > 0:
            raise ValueError("all standard deviations are 0, expected one above it")

    @property
    def effective_per_worker(self) -> float:
        """Σ m² / Σ m of people's numbers of annotations m."""
        return effective_per_worker(self.annotations_per_worker, self.unequal)

    def _shared(self, n: float, bots: int) -> float:
        """Σ m² / Σ m of people's numbers of annotations m in a study of n conversations of each contestant."""
        talks = n * bots
        mean, effective = self.annotations_per_worker, self.effective_per_worker
        return shared_annotations(mean, effective, talks, talks * self.per_conversation)

    def _variances(self, bots: int, n: float) -> tuple[float, float, float]:
        """Of a contestant's mean rating, times its conversations: by conversations, by annotators, by both at once."""
        row = self.conversations**2 + self.annotators**2 + self.tastes**2 + self.rest**2
        others = (self._shared(n, bots) - 1) / bots  # further ratings of the contestant by the same annotator
        talk = self.conversations**2 + (row - self.conversations**2) / self.per_conversation
        return talk, (row + self.tastes**2 * others) / self.per_conversation, row / self.per_conversation

    def variance(self, bots: int, n: float = MOST) -> float:
        """Of a contestant's mean rating, times its conversations n: that of a difference of two is the sum of
        theirs."""
        talk, person, both = self._variances(bots, n)
        return talk + person - both

    def df(self, n: int, bots: int) -> float:
        """Degrees of freedom of the difference of two contestants with n conversations each."""
        talk, person, both = self._variances(bots, n)
        own = 1 + (self._shared(n, bots) - 1) * min(1.0, 2 / bots)
        effective = [2 * n, 2 * n * self.per_conversation / min(own, 2 * n)]
        found = known(np.array([talk + person - both]), [talk, person], np.reshape(effective, (2, 1)))
        return float(found[1][0])

    def power(self, difference: float, n: int, wish: Wish) -> float:
        """Chance that the test of n conversations of each of two contestants finds a difference of means."""
        if n < 2:
            return 0.0
        return t_power(
            abs(difference) / math.sqrt(2 * self.variance(wish.bots, n) / n), self.df(n, wish.bots), wish.alpha
        )

    def needed(self, difference: float, wish: Wish) -> int | None:
        """Fewest conversations of each bot that reach the wished power; None beyond a million."""
        _above_zero(difference, 4.0)
        return fewest(lambda conversations: self.power(difference, conversations, wish) >= wish.power)


def _above_zero(difference: float, most: float) -> float:
    if not 0 < difference <= most:
        raise ValueError(f"difference is {difference}, expected a number above 0, up to {most:g}")
    return difference


def plan_survey(
    wish: Wish, like: Design | Rating, difference: float, seconds: float, wage: float | None = None
) -> dict:
    """What finds every pair that differs by `difference` (of shares of the decided, or points) or more.

    Returns
    -------
    dict
        difference, needed (choices a pair, or conversations a bot), alone (choices that a pair would need by itself),
        power, items (pairs of conversations, or conversations, of all), annotations, people, hours, cost; None but for
        the first where the power is out of reach.
    """
    if not seconds > 0:
        raise ValueError(f"seconds is {seconds}, expected a time per annotation above 0")
    if wage is not None and not wage > 0:
        raise ValueError(f"wage is {wage}, expected pay per hour above 0")
    need = _choices(like, difference) if isinstance(like, Design) else _ratings(like, difference, wish)
    keys = ("needed", "alone", "power", "items", "annotations", "people", "hours", "cost")
    if need is None:
        return {"difference": difference, **dict.fromkeys(keys)}
    annotations = need["annotations"] * wish.questions
    hours = annotations * seconds / 3600
    people = max(1, math.ceil(annotations / like.annotations_per_worker))
    cost = None if wage is None else hours * wage
    return {
        "difference": difference,
        **need,
        "annotations": annotations,
        "people": people,
        "hours": hours,
        "cost": cost,
    }


def _choices(like: Design, difference: float) -> dict | None:
    rate, each = 0.5 + _above_zero(difference, 1.0) / 2, like.annotations_per_conversation
    rate = min(rate, CLEAREST)
    needed = conversations_needed(rate, like)
    if needed is None:
        return None
    alone, items = conversations_needed(rate, like, alone=True), like.pairs * needed
    return {
        "needed": needed * each,
        "alone": None if alone is None else alone * each,
        "items": items,
        "power": pair_power(rate, needed, like),
        "annotations": items * each,
    }


def _ratings(like: Rating, difference: float, wish: Wish) -> dict | None:
    needed = like.needed(difference, wish)
    if needed is None:
        return None
    items = wish.bots * needed
    return {
        "needed": needed,
        "alone": None,
        "items": items,
        "power": like.power(difference, needed, wish),
        "annotations": math.ceil(items * like.per_conversation),
    }


def pilot_choices(
    choices: pd.DataFrame, names: Sequence[str], like: Design, difference: float, crossed: bool = True
) -> tuple[list[dict], Design]:
    """What each pair of a pilot still needs: rows, and the design with what the pilot says of it; see `pilot_needs`.

    A row has a, b, estimate (share of the decided), p_adjusted, had (choices), difference (that is planned for),
    status, power (of as many as there are), needed, more, alone (all in choices; None where out of reach).
    """
    found, design = pilot_needs(choices, names, like, difference=difference, crossed=crossed)
    each, rows = design.annotations_per_conversation, []
    for row in found.astype(object).where(found.notna(), None).to_dict(orient="records"):
        more, alone = row["more_annotations"], row["alone"]
        rows.append(
            {
                **{name: row[name] for name in ("a", "b", "p_adjusted", "difference", "status", "power")},
                "estimate": row["rate"],
                "had": row["annotations"],
                "more": more,
                "needed": None if more is None else row["annotations"] + more,
                "alone": None if alone is None else alone * each,
            }
        )
    return rows, design


def pilot_ratings(ranking: Mapping, like: Rating, wish: Wish, difference: float) -> list[dict]:
    """As `pilot_choices`, in conversations of each bot, from a ranking.json; `like` is what the pilot says of
    variances."""
    rows, looks = [], wish.looks if wish.correction == "bonferroni" else 1
    for pair in ranking["pairs"]:
        had = int(min(ranking["annotations"][pair[end]] for end in ("a", "b")) // like.per_conversation)
        expected, p = abs(pair["estimate"] or 0.0), pair["p_adjusted"]
        planned = max(expected, difference)
        settled, needed = p is not None and p * looks < 1 - wish.level, like.needed(planned, wish)
        status = SETTLED if settled else UNREACHABLE if needed is None else CLOSE if expected < difference else MORE
        more = 0 if settled else None if needed is None else max(0, needed - had)
        rows.append(
            {
                "a": pair["a"],
                "b": pair["b"],
                "estimate": pair["estimate"],
                "p_adjusted": p,
                "had": had,
                "difference": planned,
                "status": status,
                "power": like.power(planned, had, wish),
                "needed": needed,
                "more": more,
            }
        )
    return rows


def rating_of(ranking: Mapping, per_conversation: float, by_worker: Sequence[int], otherwise: Rating) -> Rating:
    """What a pilot says of ratings: the variance behind the standard errors of its differences, and people's activity.

    `by_worker` are people's numbers of annotations. The variance holds whatever the pilot's design did to leniency and
    tastes, and turns of one annotation. `otherwise` where no pair has a standard error.
    """
    number = np.asarray(by_worker, dtype=float)
    mean = max(1.0, float(number.mean()))
    unequal = max(1.0, ((number**2).sum() / number.sum() - 1) / (mean - 1)) if mean > 1 else otherwise.unequal
    found = []
    for pair in ranking["pairs"]:
        talks = [ranking["annotations"][pair[end]] / per_conversation for end in ("a", "b")]
        if pair.get("se") and min(talks) >= 2:
            found.append(pair["se"] ** 2 / (1 / talks[0] + 1 / talks[1]))
    known = replace(otherwise, per_conversation=per_conversation, annotations_per_worker=mean, unequal=float(unequal))
    if not found:
        return known
    return replace(known, conversations=float(np.sqrt(np.mean(found))), annotators=0.0, tastes=0.0, rest=0.0)
