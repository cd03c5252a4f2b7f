"""Named numeric features of the two variants, and how unusual an example's features are compared with people's.

The coherence variant's features measure coherence (sentence embeddings), repetition and fluency (likelihood under a
language model); the wording features measure how an entity's letters and words compare with people's n-grams.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from parlai_spotbot.judges.spotter import surprises
from parlai_spotbot.judges.spotter.examples import EntityExample, replies
from parlai_spotbot.judges.spotter.people_language import PeopleLanguage, TurnLanguage, tokens
from parlai_spotbot.judges.spotter.surprises import TurnSurprise
from parlai_spotbot.records import HUMAN
from parlai_spotbot.texts.self_identification import identifies_itself

FAR = 0.2
"""Share of people whose turns are too far from their partner's to be called human, by segment length and side."""

ODDEST = 2
"""Number of most unusual features that are averaged."""

FARTHEST = 8.0
"""Distances are clipped to this many standard deviations from people's mean."""

BEYOND = 0.995
"""A text is unlike people's if its oddest features are farther out than those of this share of people."""


def mean(values: Sequence[float]) -> float:
    """Mean of the values that are not nan; nan if there are none."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


# -- coherence, repetition, fluency ------------------------------------------------------------------------------------
@dataclass(frozen=True)
class EmbeddedTurns:
    """Sentence embedding of each turn, and its number of word pieces."""

    vectors: dict[str, np.ndarray]
    pieces: dict[str, int]


@dataclass(frozen=True)
class ExampleMeasures:
    """Raw measurements of an example: similarities of its turns, its words, and the surprise of its turns."""

    example: EntityExample
    words: list[list[str]]
    to_partner: list[float]
    to_answer: list[float]
    among: list[float]
    distance: list[float]
    surprises: Sequence[TurnSurprise]
    pieces: int

    @classmethod
    def of(
        cls, example: EntityExample, embedded: EmbeddedTurns, middle: np.ndarray, turns: Sequence[TurnSurprise]
    ) -> ExampleMeasures:
        own, vectors = example.own, embedded.vectors

        def close(a: str, b: str) -> float:
            return float(vectors[a] @ vectors[b])

        return cls(
            example,
            [tokens(text) for text in own],
            to_partner(example, vectors),
            [close(text, said) for text, said in replies(example, to=True)],
            [close(a, b) for i, a in enumerate(own) for b in own[i + 1 :]],
            [1.0 - float(vectors[text] @ middle) for text in own],
            turns[example.entity :: 2],
            sum(embedded.pieces[text] for text in own),
        )

    @property
    def copied(self) -> list[float]:
        """Share of each turn's words that the partner's turn before it contains."""
        pairs = [(tokens(text), set(tokens(said))) for said, text in replies(self.example)]
        return [sum(word in theirs for word in words) / len(words) if words else math.nan for words, theirs in pairs]


def to_partner(example: EntityExample, vectors: Mapping[str, np.ndarray]) -> list[float]:
    """Cosine similarity of each of the entity's turns to the partner's turn before it."""
    return [float(vectors[said] @ vectors[text]) for said, text in replies(example)]


COHERENCE: dict[str, Callable[[ExampleMeasures], float]] = {
    "close_to_partner": lambda s: mean(s.to_partner),
    "least_close": lambda s: min(s.to_partner, default=math.nan),
    "close_to_answer": lambda s: mean(s.to_answer),
    "close_to_itself": lambda s: mean(s.among),
    "closest_own": lambda s: max(s.among, default=math.nan),
    "unusual_subject": lambda s: mean(s.distance),
    "copied": lambda s: mean(s.copied),
    "most_copied": lambda s: max(s.copied, default=math.nan),
    "new_word_pairs": lambda s: distinct(s.words),
    "new_turns": lambda s: len(set(s.example.own)) / len(s.example.own),
    "surprise": lambda s: surprises.mean(s.surprises),
    "most_surprising": lambda s: max((surprises.mean([turn]) for turn in s.surprises), default=math.nan),
    "uneven_surprise": lambda s: surprises.spread(s.surprises),
    "beyond_expected": lambda s: surprises.excess(s.surprises),
    "first_guesses": lambda s: sum(turn.guessed for turn in s.surprises) / sum(turn.n for turn in s.surprises),
    "unexpected_end": lambda s: mean([turn.end for turn in s.surprises]),
    "pieces_of_words": lambda s: s.pieces / count if (count := sum(map(len, s.words))) else math.nan,
}
"""Features of the coherence variant."""


def distinct(words: list[list[str]]) -> float:
    """Share of pairs of neighbouring words that the entity uses for the first time."""
    pairs = [pair for turn in words for pair in pairwise(turn)]
    return len(set(pairs)) / len(pairs) if pairs else math.nan


# -- wording -----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ExampleWording:
    """Raw measurements of an example's wording against people's n-grams."""

    example: EntityExample
    words: list[list[str]]
    turns: list[TurnLanguage]
    taken_up: list[float]

    @classmethod
    def of(cls, example: EntityExample, language: PeopleLanguage) -> ExampleWording:
        return cls(
            example,
            [tokens(text) for text in example.own],
            [language.measured(text, example.origin) for text in example.own],
            [taken_up(said, text, language) for said, text in replies(example)],
        )


def taken_up(said: str, text: str, language: PeopleLanguage) -> float:
    """Share of the words of `said` that `text` contains, weighted by inverse document frequency; nan if unknown."""
    theirs, ours = set(tokens(said)), set(tokens(text))
    total = sum(language.idf(word) for word in sorted(theirs))
    return sum(language.idf(word) for word in sorted(theirs & ours)) / total if total else math.nan


WORDING: dict[str, Callable[[ExampleWording], float]] = {
    "usual_letters": lambda s: mean([turn.likelihood for turn in s.turns]),
    "known_words": lambda s: mean([float(known) for turn in s.turns for known in turn.known]),
    "order_of_words": lambda s: mean([turn.order for turn in s.turns]),
    "new_words": lambda s: (
        len({w for turn in s.words for w in turn}) / count if (count := sum(map(len, s.words))) else math.nan
    ),
    "length": lambda s: mean([float(len(turn)) for turn in s.words]),
    "taken_up": lambda s: mean(s.taken_up),
    "says_it_is_a_machine": lambda s: mean([float(identifies_itself(text)) for text in s.example.own]),
}
"""Wording features of the words variant."""


# -- compared with people ----------------------------------------------------------------------------------------------
class FeatureTable:
    """Feature values (n, features) of examples; `matrix` adds a last column, how unusual the oddest features are.

    People's means and standard deviations are those of the training examples of people, by length of the segment.
    """

    def __init__(self, rows: Sequence[Sequence[float]], examples: Sequence[EntityExample]):
        values = np.array(rows, float)
        exchanges = np.array([len(example.texts) // 2 for example in examples])
        people = np.array([example.who == HUMAN for example in examples])
        self.centre = {
            k: (_by_column(np.mean, own), _by_column(np.std, own))
            for k in sorted(set(exchanges[people].tolist()))
            for own in (values[people & (exchanges == k)],)
        }
        unusual = np.array([self.unusual(row, int(k)) for row, k in zip(values, exchanges, strict=True)])
        self.matrix = np.column_stack([values, unusual])
        theirs = unusual[people & ~np.isnan(unusual)]
        self.limit = float(np.quantile(theirs, BEYOND)) if len(theirs) else math.inf

    def unusual(self, row: Sequence[float], exchanges: int) -> float:
        """Mean distance of the oddest features from people's mean, in standard deviations; nan if unknown."""
        if exchanges not in self.centre:
            return math.nan
        center, spread = self.centre[exchanges]
        with np.errstate(invalid="ignore"):
            distance = np.abs(np.asarray(row) - center) / np.where(spread > 1e-9, spread, 1.0)
        return float(np.sort(np.minimum(np.nan_to_num(distance), FARTHEST))[-ODDEST:].mean())

    def is_unlike_people(self, row: Sequence[float], example: EntityExample) -> bool:
        """Return True if hardly any of the training's people is so unusual."""
        return self.unusual(row, len(example.texts) // 2) > self.limit  # False for nan


def _by_column(statistic: Callable[[np.ndarray], Any], values: np.ndarray) -> np.ndarray:
    """Apply `statistic` to the known values of each column; nan if a column has none."""
    columns = [column[~np.isnan(column)] for column in values.T]
    return np.array([statistic(column) if len(column) else math.nan for column in columns])


class Closeness:
    """Mean similarity of each example's turns to the partner's turns before them, and who is `far` (n,) bool.

    Turns that somebody said elsewhere, or in another order, are a person's in every word; only this reveals them.
    `limits` are the quantiles `FAR` of the training's people by (exchanges, entity). Where an entity has answered
    nothing, or there is nobody to compare with, nobody is far.
    """

    def __init__(self, examples: Sequence[EntityExample], vectors: Mapping[str, np.ndarray]):
        self.values = np.array([mean(to_partner(example, vectors)) for example in examples])
        places = [(len(example.texts) // 2, example.entity) for example in examples]
        people: dict[tuple[int, int], list[float]] = {}
        for example, place, value in zip(examples, places, self.values, strict=True):
            if example.who == HUMAN and not math.isnan(value):
                people.setdefault(place, []).append(float(value))
        self.limits = {place: float(np.quantile(values, FAR)) for place, values in sorted(people.items())}
        self.far = self.values < np.array([self.limits.get(place, math.nan) for place in places])  # False for nan
