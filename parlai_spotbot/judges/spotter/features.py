"""Named numeric features of an entity's turns, and how unusual they are compared with people's.

They measure coherence (sentence embeddings), repetition and fluency (likelihood under a language model).
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from parlai_spotbot.judges.spotter import surprises
from parlai_spotbot.judges.spotter.examples import EntityExample, replies
from parlai_spotbot.judges.spotter.surprises import TurnSurprise, ratio
from parlai_spotbot.records import HUMAN

FAR = 0.2
"""Share of people whose turns are too far from their partner's to be called human, by segment length and side."""

ODDEST = 2
"""Number of most unusual features that are averaged."""

FARTHEST = 8.0
"""Distances are clipped to this many standard deviations from people's mean."""

BEYOND = 0.995
"""A text is unlike people's if its oddest features are farther out than those of this share of people."""


TOKEN = re.compile(r"\w+(?:'\w+)?|[^\w\s]")


def tokens(text: str) -> list[str]:
    """Words and punctuation marks, in lower case."""
    return TOKEN.findall(text.lower())


def mean(values: Sequence[float]) -> float:
    """Mean of the values that are not nan; nan if there are none."""
    finite = [value for value in values if not math.isnan(value)]
    return ratio(sum(finite), len(finite))


@dataclass(frozen=True)
class EmbeddedTurns:
    """Sentence embedding of each turn, and its number of word pieces."""

    vectors: dict[str, np.ndarray]
    pieces: dict[str, int]


def to_partner(example: EntityExample, vectors: Mapping[str, np.ndarray]) -> list[float]:
    """Cosine similarity of each of the entity's turns to the partner's turn before it."""
    return [float(vectors[before] @ vectors[text]) for before, text in replies(example)]


def coherence(
    example: EntityExample, embedded: EmbeddedTurns, middle: np.ndarray, turns: Sequence[TurnSurprise]
) -> dict[str, float]:
    """Features of an entity; nan where an example is too short for one.

    Parameters
    ----------
    middle : array (dimensions,)
        Mean direction of people's turns.
    turns : sequence of TurnSurprise
        Of all turns of the segment.
    """
    turn_list = example.own
    words = [tokens(text) for text in turn_list]
    pairs = [pair for turn in words for pair in pairwise(turn)]
    pieces = sum(embedded.pieces[text] for text in turn_list)
    vectors = embedded.vectors
    partner = to_partner(example, vectors)
    answers = [float(vectors[text] @ vectors[before]) for text, before in replies(example, to=True)]
    among = [float(vectors[a] @ vectors[b]) for i, a in enumerate(turn_list) for b in turn_list[i + 1 :]]
    copied = [_share(tokens(text), set(tokens(before))) for before, text in replies(example)]
    read = turns[example.entity :: 2]
    return {
        "close_to_partner": mean(partner),
        "least_close": min(partner, default=math.nan),
        "close_to_answer": mean(answers),
        "close_to_itself": mean(among),
        "closest_own": max(among, default=math.nan),
        "unusual_subject": mean([1.0 - float(vectors[text] @ middle) for text in turn_list]),
        "copied": mean(copied),
        "most_copied": max(copied, default=math.nan),
        "new_word_pairs": ratio(len(set(pairs)), len(pairs)),
        "new_turns": len(set(turn_list)) / len(turn_list),
        "surprise": surprises.mean(read),
        "most_surprising": max((surprises.mean([turn]) for turn in read), default=math.nan),
        "uneven_surprise": surprises.spread(read),
        "beyond_expected": surprises.excess(read),
        "first_guesses": sum(turn.guessed for turn in read) / sum(turn.n for turn in read),
        "unexpected_end": mean([turn.end for turn in read]),
        "pieces_of_words": ratio(pieces, sum(map(len, words))),
    }


def _share(words: list[str], vocabulary: set[str]) -> float:
    return ratio(sum(word in vocabulary for word in words), len(words))


# -- compared with people ----------------------------------------------------------------------------------------------
class FeatureTable:
    """Feature values (n, features) of examples; `matrix` adds a last column, how unusual the oddest features are.

    People's means and standard deviations are those of the training examples of people, by length of the segment.
    """

    def __init__(self, rows: Sequence[Mapping[str, float]], examples: Sequence[EntityExample]):
        values = np.array([list(row.values()) for row in rows], float)
        exchanges = np.array([len(example.texts) // 2 for example in examples])
        people = np.array([example.who == HUMAN for example in examples])
        self.centre = {}
        for k in sorted(set(exchanges[people].tolist())):
            people_values = values[people & (exchanges == k)]
            self.centre[k] = (_by_column(np.mean, people_values), _by_column(np.std, people_values))
        unusual = np.array([self.unusual(row, int(k)) for row, k in zip(values, exchanges, strict=True)])
        self.matrix = np.column_stack([values, unusual])
        theirs = unusual[people & ~np.isnan(unusual)]
        self.limit = math.inf
        if len(theirs):
            self.limit = float(np.quantile(theirs, BEYOND))

    def unusual(self, row: Sequence[float], exchanges: int) -> float:
        """Mean distance of the oddest features from people's mean, in standard deviations; nan if unknown."""
        if exchanges not in self.centre:
            return math.nan
        center, spread = self.centre[exchanges]
        with np.errstate(invalid="ignore"):
            distance = np.abs(np.asarray(row) - center) / np.where(spread > 1e-9, spread, 1.0)
        return float(np.sort(np.minimum(np.nan_to_num(distance), FARTHEST))[-ODDEST:].mean())

    def is_unlike_people(self, row: Mapping[str, float], example: EntityExample) -> bool:
        """Return True if hardly any of the training's people is so unusual."""
        return self.unusual(list(row.values()), len(example.texts) // 2) > self.limit  # False for nan


def _by_column(statistic: Callable[[np.ndarray], Any], values: np.ndarray) -> np.ndarray:
    """Apply `statistic` to the known values of each column; nan if a column has none."""
    statistics = np.full(values.shape[1], math.nan)
    for place, column in enumerate(values.T):
        finite = column[~np.isnan(column)]
        if len(finite):
            statistics[place] = statistic(finite)
    return statistics


class Closeness:
    """Mean similarity of each example's turns to the partner's turns before them, and who is `far` (n,) bool.

    Turns that somebody said elsewhere, or in another order, are a person's in every word; only this reveals them.
    `values` are those means, nan where an entity has answered nothing; `limits` are the quantiles `FAR` of the
    training's people by (exchanges, entity). Where there is no value, or nobody to compare with, nobody is far.
    """

    def __init__(self, examples: Sequence[EntityExample], values: Sequence[float]):
        self.values = np.asarray(values)
        places = [(len(example.texts) // 2, example.entity) for example in examples]
        people = {}
        for example, place, value in zip(examples, places, self.values, strict=True):
            if example.who == HUMAN and not math.isnan(value):
                people.setdefault(place, []).append(float(value))
        self.limits = {place: float(np.quantile(values, FAR)) for place, values in sorted(people.items())}
        self.far = self.values < np.array([self.limits.get(place, math.nan) for place in places])  # False for nan
