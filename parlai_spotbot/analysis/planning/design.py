"""What a planned study is like: bots and annotations, ties, how annotations hang together, and what is wished for.

Correlations are those of matches' residuals as the test sees them (`pilot.match_correlations`); the defaults come from
the released data of Spot The Bot. People do unequally much: what counts is how many annotations share an annotator,
Σ m² / Σ m, not the mean of m (Kish 1965, "Survey Sampling", section 5.4).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields

MOST = 1_000_000
"""Conversations per pair beyond which a design is said not to reach its power."""

UNEQUAL = 1.75
"""By how many times more often two annotations are one person's than if all people gave as many: 1.6 (DD), 1.7 (ED) and
2.1 (PC) in the released data."""


def effective_per_worker(mean: float, unequal: float) -> float:
    """Σ m² / Σ m, where people give `mean` annotations each."""
    return 1 + unequal * (mean - 1)


def shared_annotations(mean: float, effective: float, talks: float, annotations: float) -> float:
    """Return the expected Σ m² / Σ m of a study with so many conversations (`talks`) and annotations.

    It is below `effective`, that of very many people: nobody annotates a conversation twice, and of few people, whose
    activity is taken to be lognormal, none does far more than all others.
    """
    over, mean = max(0.0, effective / mean - 1), min(mean, talks)
    people = annotations / mean
    return max(1.0, mean * (1 + over * (1 - mean / talks) ** 2 * people / (people + (1 + over) ** 2)))


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
        return self.alpha_after(0)

    def alpha_after(self, found: int) -> float:
        """The same, where so many pairs are found to differ before (Holm)."""
        return (1 - self.level) / ((self.pairs - found) * self.looks if self.correction == "bonferroni" else 1)


@dataclass(frozen=True)
class Design(PairTests):
    """What a study is like; the defaults for ties, correlations and activity are those of the paper's released data.

    Attributes
    ----------
    bots : int
        In the pool; every pair meets.
    annotations_per_conversation : int
        Segments shown times annotators each.
    ties : float
        Share of matches without a winner (.66 to .77 in the released data).
    conversation_correlation, worker_correlation : float
        Correlation of two matches of a pair that share the conversation, or the annotator (.02 to .09, and .01 to .04,
        in the released data by `match_correlations`).
    taste : float
        What share of the latter comes from annotators' liking for single bots, which every pair with such a bot shows
        (0, .9 and 1 in the released data); the rest is of that pair alone.
    annotations_per_worker : float
        How many annotations of bots one person gives, all pairs together; the mean (49 to 100).
    unequal : float
        How unequally much people do, see `UNEQUAL`; 1 where all give as many.
    power : float
        Wished chance that the test of a pair finds a difference that is there.
    level : float
        1 less the chance of a false alarm, over all tests together.
    correction : str
        "bonferroni" (over pairs and looks; a lower limit to the power under Holm, and Holm's where all win rates are
        given) or "none".
    looks : int
        How often the pairs will be tested: 2 where a pilot is tested, and again with the data added to it.
    people : float
        Annotations of people's conversations for each one of bots'.
    calibration : float
        By how much simulated studies raise the standard error of the closed form, see `simulation.calibrated`.
    """

    bots: int
    annotations_per_conversation: int = 6
    ties: float = 0.7
    conversation_correlation: float = 0.06
    worker_correlation: float = 0.03
    taste: float = 0.5
    annotations_per_worker: float = 60
    unequal: float = UNEQUAL
    power: float = 0.8
    level: float = 0.95
    correction: str = "bonferroni"
    looks: int = 1
    people: float = 1 / 3
    calibration: float = 1.0

    def __post_init__(self):
        ranges = {
            "bots": (2, math.inf),
            "annotations_per_conversation": (1, math.inf),
            "looks": (1, math.inf),
            "annotations_per_worker": (1, math.inf),
            "unequal": (1, math.inf),
            "people": (0, math.inf),
        }
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name in ranges:
                low, high = ranges[entry.name]
                if not low <= value < high:
                    raise ValueError(f"{entry.name} is {value}, expected a number from {low} up")
            elif entry.name in ("power", "level"):
                if not 0 < value < 1:
                    raise ValueError(f"{entry.name} is {value}, expected a number between 0 and 1")
            elif entry.name == "taste":
                if not 0 <= value <= 1:
                    raise ValueError(f"taste is {value}, expected a share from 0 to 1")
            elif entry.name == "calibration":
                if not value > 0:
                    raise ValueError(f"calibration is {value}, expected a number above 0")
            elif entry.name != "correction" and not 0 <= value < 1:
                raise ValueError(f"{entry.name} is {value}, expected a number from 0 up, below 1")
        if self.correction not in ("bonferroni", "none"):
            raise ValueError(f"correction is {self.correction!r}, expected bonferroni or none")

    @property
    def effective_per_worker(self) -> float:
        """Σ m² / Σ m of people's numbers of annotations m."""
        return effective_per_worker(self.annotations_per_worker, self.unequal)

    @property
    def design_effect(self) -> float:
        """By how much clustering multiplies the variance of what a pair's own matches tell."""
        same_conversation = (self.annotations_per_conversation - 1) * self.conversation_correlation
        same_worker = (self.effective_per_worker - 1) / self.pairs * self.worker_correlation
        return 1 + same_conversation + same_worker

    def workers(self, conversations: int) -> int:
        """How many people are needed for `conversations` per pair."""
        annotations = self.pairs * conversations * self.annotations_per_conversation
        return max(self.annotations_per_conversation, math.ceil(annotations / self.annotations_per_worker))


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
