"""How close an entity's turns are to its partner's before them, and who is too far from the partner to be called human.

Turns that somebody said elsewhere, or in another order, are a person's in every word. All that gives them away is that
they don't keep to what was just said; so what both variants say of a person rests on that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from parlai_spotbot.judges.spotter.examples import EntityExample, replies
from parlai_spotbot.judges.spotter.measures import FeatureContribution, mean
from parlai_spotbot.records import HUMAN

FAR = 0.2
"""So many of the people are too far from their partner to be called human, in segments of a length, on a side."""


def to_partner(example: EntityExample, vectors: Mapping[str, np.ndarray]) -> list[float]:
    """Cosine similarity of each of the entity's turns to the partner's turn before it; the first may answer nothing."""
    return [float(vectors[said] @ vectors[text]) for said, text in replies(example)]


class Closeness:
    """The mean closeness of `examples` to their partners, by embeddings, and who is `far` (n,) bool.

    `limits` are what is far in segments of a number of exchanges, on a side: below it lies the share `FAR` of the
    training's people. Where an entity has answered nothing, or nobody is known to compare with, nobody is far.
    """

    def __init__(self, examples: Sequence[EntityExample], vectors: Mapping[str, np.ndarray]):
        self.values = np.array([mean(to_partner(example, vectors)) for example in examples])
        places = [(len(example.texts) // 2, example.entity) for example in examples]
        people: dict[tuple[int, int], list[float]] = {}
        for example, place, value in zip(examples, places, self.values, strict=True):
            if example.who == HUMAN and not math.isnan(value):
                people.setdefault(place, []).append(float(value))
        self.limits = {place: float(np.quantile(values, FAR)) for place, values in sorted(people.items())}
        self._limit = np.array([self.limits.get(place, math.nan) for place in places])
        self.far = self.values < self._limit  # False for nan

    def reason(self, row: int, logit: float) -> FeatureContribution:
        """Why the example in `row`, which is far, isn't called human: it takes away all that speaks for a person."""
        value, limit = self.values[row], self._limit[row]
        said = f"keeps too little to the partner for a person: {value:.2f} ({FAR:.0%} of people: below {limit:.2f})"
        return FeatureContribution("far_from_partner", "coherence", float(value), said, -logit)

    def describe(self) -> dict:
        """What is far, for the judge's file."""
        limits = [
            {"exchanges": k, "entity": side, "below": round(limit, 4)} for (k, side), limit in self.limits.items()
        ]
        return {"share_of_people": FAR, "limits": limits}
