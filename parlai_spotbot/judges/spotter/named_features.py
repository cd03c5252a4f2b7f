"""The named features of the two variants: what each measures, how it is said, and its value for one example.

The coherence variant's are of coherence (by sentence embeddings), repetition, and fluency (by a language model's
likelihood); the words variant's, beside words themselves, of wording: what people's n-grams say of its turns. Of each
feature one sentence says what more of it is; whether more of it speaks for a person or a bot is learnt
(`effects.effects`) and not said here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from parlai_spotbot.judges.spotter import surprises
from parlai_spotbot.judges.spotter.closeness import to_partner
from parlai_spotbot.judges.spotter.examples import EntityExample, replies
from parlai_spotbot.judges.spotter.measures import NamedFeature, mean
from parlai_spotbot.judges.spotter.people_language import PeopleLanguage, TurnLanguage, tokens
from parlai_spotbot.judges.spotter.surprises import TurnSurprise
from parlai_spotbot.texts.self_identification import identifies_itself


@dataclass(frozen=True)
class EmbeddedTurns:
    """Of each turn its embedding, and into how many pieces of words the encoder takes it apart."""

    vectors: dict[str, np.ndarray]
    pieces: dict[str, int]


@dataclass(frozen=True)
class ExampleMeasures:
    """What is known of an example: its own turns' surprises, its similarities, its words and the pieces of them."""

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
        cls, example: EntityExample, embedded: EmbeddedTurns, middle: np.ndarray, turns: Sequence
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
        return [_share(tokens(text), set(tokens(said))) for said, text in replies(self.example)]


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
        "close_to_answer",
        "coherence",
        "closeness of the partner’s answers",
        "Mean similarity of the partner's turns to the entity's turns before them: the partner could make something of "
        "them.",
        lambda s: mean(s.to_answer),
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
    NamedFeature(
        "pieces_of_words",
        "fluency",
        "pieces of words",
        "Into how many pieces MiniLM takes a word apart, on average: more than one where it doesn't know the word, as "
        "in other languages and in what is no language.",
        lambda s: s.pieces / count if (count := sum(map(len, s.words))) else math.nan,
    ),
)
"""The coherence variant's."""


@dataclass(frozen=True)
class ExampleWording:
    """What is known of an example's wording: its words, what people's n-grams say of them, what it takes up."""

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
    """How much of the words of `said` stand in `text`, by how rare they are; nan where that can't be said."""
    theirs, ours = set(tokens(said)), set(tokens(text))
    total = sum(language.idf(word) for word in sorted(theirs))
    return sum(language.idf(word) for word in sorted(theirs & ours)) / total if total else math.nan


WORDING = (
    NamedFeature(
        "usual_letters",
        "wording",
        "likelihood of its letters",
        "Mean log2-likelihood of a character after the four before it, by how people write: near 0 where it is spelt "
        "as people spell.",
        lambda s: mean([turn.likelihood for turn in s.turns]),
    ),
    NamedFeature(
        "known_words",
        "wording",
        "words that people say",
        "Share of its words that people of the judges' fold say in another conversation.",
        lambda s: mean([float(known) for turn in s.turns for known in turn.known]),
    ),
    NamedFeature(
        "order_of_words",
        "wording",
        "order of its words",
        "How much likelier its words are after the word before them than anywhere, by how people write, in bits a "
        "word: about 0 where the order is no order.",
        lambda s: mean([turn.order for turn in s.turns]),
    ),
    NamedFeature(
        "new_words",
        "wording",
        "words that are new",
        "Share of its words and marks that it has not used before in the segment.",
        lambda s: len({w for turn in s.words for w in turn}) / count if (count := sum(map(len, s.words))) else math.nan,
    ),
    NamedFeature(
        "length",
        "wording",
        "words a turn",
        "Mean number of words and marks of its turns.",
        lambda s: mean([float(len(turn)) for turn in s.words]),
    ),
    NamedFeature(
        "taken_up",
        "wording",
        "words taken up from the partner",
        "Mean share of the partner's last turn that it says, too, rare words counting more: 1 where it copies.",
        lambda s: mean(s.taken_up),
    ),
    NamedFeature(
        "says_it_is_a_machine",
        "wording",
        "turns that say it is a machine",
        "Share of its turns in which it says to be a bot, a program or a language model.",
        lambda s: mean([float(identifies_itself(text)) for text in s.example.own]),
    ),
)
"""The words variant's, beside words themselves."""


def _share(words: list[str], of: set[str]) -> float:
    return sum(word in of for word in words) / len(words) if words else math.nan


def distinct(words: list[list[str]]) -> float:
    """Share of word pairs that occur for the first time in the entity's turns."""
    pairs = [pair for turn in words for pair in pairwise(turn)]
    return len(set(pairs)) / len(pairs) if pairs else math.nan
