"""The named features of the coherence variant: what each measures, how it is said, and its value for one example.

Four kinds: coherence (by sentence embeddings), repetition, fluency (by a language model's likelihood); the fourth,
lexical, is the words variant's, whose features are words themselves. Of each feature one sentence says what more of it
is; whether more of it speaks for a person or a bot is learnt (`Detector.effects`) and not said here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from parlai_spotbot.judges.spotter import surprises
from parlai_spotbot.judges.spotter.examples import EntityExample, replies
from parlai_spotbot.judges.spotter.people_language import tokens
from parlai_spotbot.judges.spotter.surprises import TurnSurprise


@dataclass(frozen=True)
class ExampleMeasures:
    """What is known of an example: its own turns' surprises, its similarities, its words."""

    example: EntityExample
    words: list[list[str]]
    to_partner: list[float]
    among: list[float]
    distance: list[float]
    surprises: Sequence[TurnSurprise]

    @classmethod
    def of(
        cls, example: EntityExample, embedded: dict[str, np.ndarray], middle: np.ndarray, turns: Sequence
    ) -> ExampleMeasures:
        own = example.own

        def close(a: str, b: str) -> float:
            return float(embedded[a] @ embedded[b])

        return cls(
            example,
            [tokens(text) for text in own],
            [close(said, text) for said, text in replies(example)],
            [close(a, b) for i, a in enumerate(own) for b in own[i + 1 :]],
            [1.0 - float(embedded[text] @ middle) for text in own],
            turns[example.entity :: 2],
        )

    @property
    def copied(self) -> list[float]:
        return [_share(tokens(text), set(tokens(said))) for said, text in replies(self.example)]


@dataclass(frozen=True)
class NamedFeature:
    """`title` names it, `meaning` says in a sentence what more of it is; `value` is nan where it can't be said."""

    name: str
    group: str
    title: str
    meaning: str
    value: Callable[[ExampleMeasures], float]


NAMED = (
    NamedFeature(
        "close_to_partner",
        "coherence",
        "closeness to the partner’s turn",
        "Mean cosine similarity of the entity's turns to the partner's turns before them (MiniLM): it keeps to what "
        "was said.",
        lambda s: mean(s.to_partner),
    ),
    NamedFeature(
        "least_close",
        "coherence",
        "its least close answer",
        "The smallest of these similarities: low where one answer has nothing to do with what was said.",
        lambda s: min(s.to_partner, default=math.nan),
    ),
    NamedFeature(
        "close_to_itself",
        "coherence",
        "closeness of its own turns",
        "Mean similarity of the entity's own turns to each other: it keeps to one subject.",
        lambda s: mean(s.among),
    ),
    NamedFeature(
        "closest_own",
        "coherence",
        "its two closest turns",
        "The greatest similarity between two of the entity's own turns: it says something nearly twice.",
        lambda s: max(s.among, default=math.nan),
    ),
    NamedFeature(
        "unusual_subject",
        "coherence",
        "distance from the usual subjects",
        "Mean distance of the entity's turns from the middle of people's turns: it speaks of unusual things.",
        lambda s: mean(s.distance),
    ),
    NamedFeature(
        "copied",
        "repetition",
        "words taken from the partner",
        "Mean share of the words of a turn that stand in the partner's turn before it.",
        lambda s: mean(s.copied),
    ),
    NamedFeature(
        "most_copied",
        "repetition",
        "its most copied turn",
        "The greatest of these shares: one turn repeats the partner.",
        lambda s: max(s.copied, default=math.nan),
    ),
    NamedFeature(
        "new_word_pairs",
        "repetition",
        "word pairs that are new",
        "Share of the entity's pairs of neighbouring words that it has not used before in the segment.",
        lambda s: distinct(s.words),
    ),
    NamedFeature(
        "new_turns",
        "repetition",
        "turns that are new",
        "Share of the entity's turns that differ from all its other ones.",
        lambda s: len(set(s.example.own)) / len(s.example.own),
    ),
    NamedFeature(
        "surprise",
        "fluency",
        "surprise of a language model",
        "Mean surprise of SmolLM2 at the entity's words, in nats a token, given the turns before: high where wording "
        "is rare, faulty or out of place.",
        lambda s: surprises.mean(s.surprises),
    ),
    NamedFeature(
        "most_surprising",
        "fluency",
        "its most surprising turn",
        "The greatest mean surprise of one of the entity's turns.",
        lambda s: max((surprises.mean([turn]) for turn in s.surprises), default=math.nan),
    ),
    NamedFeature(
        "uneven_surprise",
        "fluency",
        "unevenness of the surprise",
        "Standard deviation of the words' surprises: some words are plain, others come from nowhere.",
        lambda s: surprises.spread(s.surprises),
    ),
    NamedFeature(
        "beyond_expected",
        "fluency",
        "surprise beyond what is expected",
        "How much more surprising the words are than words drawn from the language model would be, in standard "
        "deviations: near 0 for text that such a model has written.",
        lambda s: surprises.excess(s.surprises),
    ),
    NamedFeature(
        "first_guesses",
        "fluency",
        "words a language model guesses",
        "Share of the words that are SmolLM2's first guess.",
        lambda s: sum(turn.guessed for turn in s.surprises) / sum(turn.n for turn in s.surprises),
    ),
    NamedFeature(
        "unexpected_end",
        "fluency",
        "unexpected ends of turns",
        "Mean surprise of SmolLM2 that a turn ends where it does: people break off, or go on, where a model wouldn't.",
        lambda s: mean([turn.end for turn in s.surprises]),
    ),
)


def mean(values: Sequence[float]) -> float:
    """Mean of what is known of `values`; nan where nothing is."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def _share(words: list[str], of: set[str]) -> float:
    return sum(word in of for word in words) / len(words) if words else math.nan


def distinct(words: list[list[str]]) -> float:
    """Share of word pairs that occur for the first time in the entity's turns."""
    pairs = [pair for turn in words for pair in pairwise(turn)]
    return len(set(pairs)) / len(pairs) if pairs else math.nan
