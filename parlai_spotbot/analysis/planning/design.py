"""A planned study: contestants and annotations, ties, correlations, and the wished power.

Correlations are those of residuals as the test sees them (`pilot.match_correlations`); the defaults come from the
released data of Spot The Bot. Annotators are unequally active: what counts is how many annotations share an annotator,
Σ m² / Σ m, not the mean of m (Kish 1965, "Survey Sampling", section 5.4).
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass

MOST = 1_000_000
"""Conversations per pair beyond which a design does not reach its power."""

UNEQUAL = 1.75
"""How many times more often two annotations are one person's than if everybody gave as many: 1.6 (DD), 1.7 (ED) and
2.1 (PC) in the released data."""

MATCHED = ("matches", "choices")
"""What two contestants win or lose against each other; all else is a mean of ratings of each."""

AT_LEAST_1 = ("annotations_per_conversation", "annotations_per_worker", "unequal", "looks")


@dataclass(frozen=True)
class Design:
    """A study of matches or choices between contestants, or of ratings.

    Attributes
    ----------
    bots : int
        In the pool; every pair meets.
    annotations_per_conversation : int
        Segments shown times annotators each.
    ties : float
        Share of matches without a winner (.66 to .77 in the released data).
    conversation_correlation, worker_correlation : float
        Correlation of two matches of a pair (ratings: of two ratings of a contestant) that share the conversation, or
        the annotator (.02 to .09, and .014 to .015, in the released data). The latter comes from annotators' liking of
        single contestants.
    annotations_per_worker : float
        Mean number of annotations of bots by one person, all pairs together (49 to 100).
    unequal : float
        How unequally active people are, see `UNEQUAL`; 1 where everybody gives as many.
    power : float
        Wished chance that the test of a pair finds a difference that is there. Simulated studies of another model have
        .77 to .83 where it is .80, but .74 with 11 people of very unequal activity.
    level : float
        1 less the chance of a false alarm, over all tests together (Bonferroni's, over pairs and looks, a lower limit
        to the power under Holm).
    looks : int
        How often the pairs will be tested: 2 where a pilot is tested, and again with the data added to it.
    calibration : float
        Factor of the closed form's standard error, from simulated studies (`simulation.calibrated`).
    of : str
        What is compared, see `surveys.about.Planning`. Of "recalls", people are compared with each contestant on the
        same questions: `conversations` are then questions, a pair is people and one contestant.
    """

    bots: int
    annotations_per_conversation: int = 6
    ties: float = 0.7
    conversation_correlation: float = 0.06
    worker_correlation: float = 0.02
    annotations_per_worker: float = 60
    unequal: float = UNEQUAL
    power: float = 0.8
    level: float = 0.95
    looks: int = 1
    calibration: float = 1.0
    of: str = "matches"

    def __post_init__(self):
        fewest_bots = 2
        if self.beside_people:
            fewest_bots = 1
        checks = [("bots", self.bots >= fewest_bots, f"a number from {fewest_bots} up")]
        checks += [(name, getattr(self, name) >= 1, "a number from 1 up") for name in AT_LEAST_1]
        checks += [(name, 0 < getattr(self, name) < 1, "a number between 0 and 1") for name in ("power", "level")]
        for name in ("ties", "conversation_correlation", "worker_correlation"):
            checks.append((name, 0 <= getattr(self, name) < 1, "a number from 0 up, below 1"))
        for name, holds, expected in checks:
            if not holds:
                raise ValueError(f"{name} is {getattr(self, name)!r}, expected {expected}")

    @property
    def beside_people(self) -> bool:
        """Return whether each contestant is compared with people, on the same questions."""
        return self.of == "recalls"

    @property
    def compared(self) -> int:
        """Return among how many contestants a person's ratings are spread."""
        if self.beside_people:
            return 1
        return self.bots

    @property
    def pairs(self) -> int:
        if self.beside_people:
            return self.bots
        return self.bots * (self.bots - 1) // 2

    @property
    def alpha(self) -> float:
        """The level of a single two-sided test."""
        return (1 - self.level) / (self.pairs * self.looks)

    @property
    def effective_per_worker(self) -> float:
        """Σ m² / Σ m of people's numbers of annotations m."""
        return 1 + self.unequal * (self.annotations_per_worker - 1)

    @property
    def design_effect(self) -> float:
        """The factor by which clustering multiplies the variance of a pair's own matches, or of a mean of ratings."""
        same_conversation = (self.annotations_per_conversation - 1) * self.conversation_correlation
        spread = self.compared
        if self.of in MATCHED:
            spread = self.pairs
        return 1 + same_conversation + (self.effective_per_worker - 1) / spread * self.worker_correlation

    def shared_annotations(self, conversations: float, annotations: float) -> float:
        """Return the expected Σ m² / Σ m of a study with that many conversations and annotations in all.

        It is below `effective_per_worker`, that of very many people: nobody annotates a conversation twice, and of few
        people, whose activity is taken to be lognormal, none does far more than all others.
        """
        over = max(0.0, self.effective_per_worker / self.annotations_per_worker - 1)
        mean = min(self.annotations_per_worker, conversations)
        people = annotations / mean
        return max(1.0, mean * (1 + over * (1 - mean / conversations) ** 2 * people / (people + (1 + over) ** 2)))


def fewest(enough: Callable[[int], bool]) -> int | None:
    """Return the smallest number from 2 up that is `enough`, as are all larger ones; None beyond a million."""
    number = 2 + bisect_left(range(2, MOST + 1), True, key=enough)
    return number if number <= MOST else None
