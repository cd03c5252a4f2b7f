"""The named measures of a variant's examples, and one that they make together: how unusual the oddest of them are.

Each is a curve in the variant's additive model, so that what it adds to a judgement can be told.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from parlai_spotbot.judges.spotter.additive import FeatureCurves

ODDEST = 2
"""So many of the most unusual measures count as the oddest."""

FARTHEST = 8.0
"""Measures count as at most so many standard deviations from people's mean."""

BEYOND = 0.995
"""Text is unlike people's where its oddest measures lie farther out than this share of people's do."""

MIDDLE = (0.25, 0.75)
"""Half of the people lie between these shares."""


@dataclass(frozen=True)
class NamedFeature:
    """`title` names it, `meaning` says in a sentence what more of it is; `value` is nan where it can't be said."""

    name: str
    group: str
    title: str
    meaning: str
    value: Callable[[Any], float]


@dataclass(frozen=True)
class FeatureContribution:
    """What one feature adds to a judgement: `text` says its value in words, `push` is positive towards human."""

    feature: str
    group: str
    value: float
    text: str
    push: float


UNUSUAL = NamedFeature(
    "unlike_people",
    "unlike people",
    "its most unusual measures",
    f"How far the {ODDEST} most unusual of its other measures lie from people's mean, in people's standard deviations "
    "for segments of that length: it does what nobody does, whatever that is.",
    lambda row: math.nan,
)


class Measures:
    """The values of the features `named` (n, features) of examples of `exchanges` (n,), some of which are `people`'s.

    `matrix` (n, features + 1) and `named` have the most unusual measures as their last column. People's means and
    spreads are those of the training's people, by the length of the segment.
    """

    def __init__(self, named: Sequence[NamedFeature], values: np.ndarray, exchanges: np.ndarray, people: np.ndarray):
        self.named = (*named, UNUSUAL)
        self.exchanges = exchanges
        lengths = sorted(set(exchanges[people].tolist()))
        rows = {k: values[people & (exchanges == k)] for k in lengths}
        self.centre = {k: (_known(np.mean, own), _known(np.std, own)) for k, own in rows.items()}
        unusual = np.array([self.unusual(row, int(k)) for row, k in zip(values, exchanges, strict=True)])
        self.matrix = np.column_stack([values, unusual])
        theirs = unusual[people & ~np.isnan(unusual)]
        self.limit = float(np.quantile(theirs, BEYOND)) if len(theirs) else math.inf
        self.usual = {
            k: [_known(functools.partial(np.quantile, q=q), self.matrix[people & (exchanges == k)]) for q in MIDDLE]
            for k in lengths
        }

    def _distances(self, row: np.ndarray, exchanges: int) -> np.ndarray:
        """Of each measure, from people's mean, in people's standard deviations; 0 where it can't be said."""
        if exchanges not in self.centre:
            return np.zeros(len(row))
        mean, spread = self.centre[exchanges]
        with np.errstate(invalid="ignore"):
            distance = np.abs(row - mean) / np.where(spread > 1e-9, spread, 1.0)
        return np.minimum(np.nan_to_num(distance), FARTHEST)

    def unusual(self, row: np.ndarray, exchanges: int) -> float:
        """How far the most unusual of the measures in `row` lie from people's; nan where it can't be said."""
        if exchanges not in self.centre:
            return math.nan
        return float(np.sort(self._distances(row, exchanges))[-ODDEST:].mean())

    def is_unlike_people(self, row: np.ndarray, exchanges: int) -> bool:
        """Whether hardly any of the training's people is so unusual."""
        return self.unusual(row, exchanges) > self.limit  # False for nan

    def contributions(self, curves: FeatureCurves, weights: np.ndarray, row: int) -> list[FeatureContribution]:
        """What each measure adds to a model's score for the example in `row`."""
        values = self.matrix[row]
        heights = curves.heights(self.matrix[[row]], weights)[0]
        return [
            FeatureContribution(feature.name, feature.group, float(value), self._said(place, row), float(height))
            for place, (feature, value, height) in enumerate(zip(self.named, values, heights, strict=True))
        ]

    def _said(self, place: int, row: int) -> str:
        value, exchanges, title = self.matrix[row, place], int(self.exchanges[row]), self.named[place].title
        if math.isnan(value):
            return f"{title}: can’t be said of so short a segment"
        if self.named[place] is UNUSUAL:
            title += f" ({self._oddest(row)})"
        usual = self.usual.get(exchanges)
        known = usual is not None and not math.isnan(usual[0][place])
        people = f" (half of the people: {usual[0][place]:.2f} to {usual[1][place]:.2f})" if known else ""
        return f"{title}: {value:.2f}{people}"

    def _oddest(self, row: int) -> str:
        distances = self._distances(self.matrix[row, :-1], int(self.exchanges[row]))
        return ", ".join(self.named[place].title for place in np.argsort(-distances, kind="stable")[:ODDEST])


def _known(what: Callable[[np.ndarray], float], values: np.ndarray) -> np.ndarray:
    """`what` of each column's known values; nan where nothing is known."""
    columns = [column[~np.isnan(column)] for column in values.T]
    return np.array([what(column) if len(column) else math.nan for column in columns])


def mean(values: Sequence[float]) -> float:
    """Mean of what is known of `values`; nan where nothing is."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan
