"""Whether people have said enough for a plan; where not, what to collect first, as numbers and in a sentence.

A plan takes ties, differences, and how annotations hang together from the answers themselves. From a handful of them,
or from one annotator's, it comes out as anything, tens of thousands of annotations among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from parlai_spotbot.analysis.planning import Design
from parlai_spotbot.wording import counted, number

LEAST_ANNOTATORS = 2
"""With one, nothing shows how annotators differ, and so not how many are needed."""

LEAST_DECIDED = 10
"""Decided matches (or ratings) of a contestant, on average. With fewer, the interval of a share is wider than half of
all that is possible (Wilson: 5 of 10 are 24 to 76 %), and that of a difference says nothing."""


@dataclass(frozen=True)
class Kind:
    """What a survey's answers are: `decided` and all of them by name; how many of these a conversation (or what else
    is collected, `collected`) gives each of `ends` contestants; the share that is usually not decided."""

    decided: str
    all: str
    collected: str
    ends: int
    ties: float = 0.0

    def annotations(self, contestants: int) -> int:
        """What that comes to in all."""
        groups = contestants * (contestants - 1) // 2 if self.ends == 2 else contestants
        return groups * self.to_collect(contestants) * LEAST_ANNOTATORS

    def to_collect(self, bots: int) -> int:
        """How much to collect, if `LEAST_ANNOTATORS` judge each, for `LEAST_DECIDED` of each contestant."""
        each = (bots - 1 if self.ends == 2 else 1) * LEAST_ANNOTATORS * (1 - self.ties)
        return max(2, ceil(LEAST_DECIDED / each - 1e-9))


MATCHES = Kind("decided matches", "matches", "conversations of each pair", 2, Design(2).ties)
CHOICES = Kind("decided choices", "choices", "comparisons of each pair", 2)
RATINGS = Kind("ratings", "ratings", "conversations of each contestant", 1)
VOTES = Kind("decided votes", "votes", "votes on each pair", 2)
KINDS = {kind.all: kind for kind in (MATCHES, CHOICES, RATINGS, VOTES)}


def scarce(kind: Kind, annotators: int | None, total: int, decided: int, contestants: int) -> dict | None:
    """What there is, where it is too little to plan from; None where it is enough.

    `annotators` is None where nobody is known. `each`: what a contestant has of the decided ones on average; `collect`:
    how much more would do, and how many `annotations` that takes, None where there are enough answers but almost all
    are ties.
    """
    each = kind.ends * decided / max(contestants, 1)
    few = annotators is not None and annotators < LEAST_ANNOTATORS
    if contestants < 2 or (not few and each >= LEAST_DECIDED):
        return None
    tied = not few and kind.ends * total * (1 - kind.ties) / contestants >= LEAST_DECIDED
    return {
        "of": kind.all,
        "annotators": annotators,
        "total": total,
        "decided": decided,
        "each": each,
        "collect": None if tied else kind.to_collect(contestants),
        "annotations": None if tied else kind.annotations(contestants),
    }


def scarce_sentence(own: Mapping) -> str:
    """What there is, and that it is too little to plan from."""
    kind, people = KINDS[own["of"]], own["annotators"]
    if own["collect"] is None:
        total = counted(own["total"], kind.all[:-1])
        return f"{own['decided']:,} of {total} were decided: too few to plan from, and ties tell nobody apart."
    known = "" if people is None else f"{counted(people, 'annotator')} and "
    least = "" if people is None else f"{LEAST_ANNOTATORS} annotators and "
    return (
        f"Too little is known to plan from: {known}{number(own['each'], 0)} {kind.decided} a contestant on average, "
        f"where {least}{LEAST_DECIDED} are the least."
    )


def scarce_step(own: Mapping) -> str:
    """What to collect first."""
    kind = KINDS[own["of"]]
    if own["collect"] is None:
        return "Let people see more of each conversation, or ask them what differs."
    if kind is VOTES:
        return f"Collect {own['annotations']:,} votes or more, as many on each pair."
    return (
        f"Collect {own['collect']:,} {kind.collected} or more, each judged by {LEAST_ANNOTATORS} annotators at least: "
        f"{own['annotations']:,} annotations."
    )
