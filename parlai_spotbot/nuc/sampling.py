"""Questions drawn from a corpus: the next turn after a context among distractors (Lowe et al., 2016, section 3).

The same settings give the same questions, whatever the order of reading. More questions, or more candidates, extend the
same lists, so accuracy at fewer candidates is nested in accuracy at more.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

import numpy as np

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.nuc.bank import PreparedDialogue, TurnBank, bank_of
from parlai_spotbot.nuc.corpora import Corpus
from parlai_spotbot.nuc.distractors import KINDS, RANDOM, likeness_of, most_alike
from parlai_spotbot.surveys.nuc_questions import NucQuestion, Origin
from parlai_spotbot.texts.normal_forms import bare_text

TOO_SHORT = "conversations of too few turns"
AGAIN = "questions that are another's twin"
FAULTY = "questions whose context or next turn is {fault}"
LEFT_TURNS = "turns that are {fault}: no candidates"

LOWE2015 = "lowe2015"
UNIFORM = "uniform"
BLOCK = 64


@dataclass(frozen=True)
class SamplingSettings:
    """Description of how questions are drawn.

    Attributes
    ----------
    candidates : int
        Candidates of a question, the true one included.
    max_context, min_context : int
        Turns of a context.
    lengths : str
        Number of turns of a context: a number, or "lowe2015" (see `context_length`).
    distractors : str
        Kind of the false candidates, one of `distractors.KINDS`.
    questions : int
        Greatest number of questions, from as many conversations as possible; 0: all.
    every_turn : bool
        Take every turn as a next turn, for training; else contexts do not overlap.
    seed : int
    """

    candidates: int = 5
    max_context: int = 6
    min_context: int = 2
    lengths: str = LOWE2015
    distractors: str = RANDOM
    questions: int = 0
    every_turn: bool = False
    seed: int = 0

    def check(self) -> None:
        """Raise `UserError` naming a setting that is out of range."""
        if self.candidates < 2:
            raise UserError(f"candidates {self.candidates}: a question has at least two.", "Ask for 2 or more.")
        if self.questions < 0:
            raise UserError(f"questions {self.questions}: expected a whole number from 0 up.", "0 stands for all.")
        least = self.min_context
        most = self.max_context
        if not 1 <= least <= most:
            raise UserError(f"contexts from {least} to {most} turns: expected whole numbers from 1 up.", "Correct it.")
        if self.lengths != LOWE2015 and not (self.lengths.isdecimal() and least <= int(self.lengths) <= most):
            raise UserError(
                f"lengths of contexts '{self.lengths}': unknown.",
                f"Write {LOWE2015} or a number from {least} to {most}.",
            )

        if self.distractors not in KINDS:
            raise UserError(f"distractors '{self.distractors}': unknown.", nearest(self.distractors, KINDS))

    def to_json(self) -> dict:
        return vars(self).copy()


Stem = tuple[int, NucQuestion]
"""The number of a conversation, and a question whose distractors are still to be drawn."""


@dataclass(frozen=True)
class QuestionSample:
    """Questions, the bank that they were drawn from, and what was left out, by reason."""

    questions: tuple[NucQuestion, ...]
    bank: TurnBank
    left_out: dict[str, int] = field(default_factory=dict)


def sample(corpus: Corpus, settings: SamplingSettings | None = None) -> QuestionSample:
    """Draw the questions of a corpus.

    Distractors are drawn uniformly among all distinct turns of other conversations, or are the most confusing of them
    (`distractors`); where too few of these share anything with the true turn, drawn ones follow. A text that was said
    often counts once: it could not be a candidate twice.

    Raises
    ------
    UserError
        Names the corpus where its conversations have too few turns, or where it has fewer distinct turns than the
        candidates asked for.
    """
    settings = settings or SamplingSettings()
    settings.check()
    bank = bank_of(corpus)
    stems, left_out = _stems(corpus, bank, settings)
    likeness = None
    if settings.distractors != RANDOM:
        likeness = likeness_of(bank, settings.distractors)
    questions = []
    for number, stem in stems:
        similarity = None
        if likeness is not None:
            similarity = likeness(bank.places[bare_text(stem.answer)])
        drawn = _drawn(corpus, bank, number, stem, settings, similarity)
        questions.append(_question(bank, number, stem, settings.seed, drawn))
    return QuestionSample(tuple(questions), bank, left_out)


# -- chance ----------------------------------------------------------------------------------------------------------
def generator(*names: object) -> np.random.Generator:
    """Return a generator that depends on `names` alone."""
    return np.random.default_rng(int.from_bytes(_digest(16, *names), "big"))


def _digest(size: int, *names: object) -> bytes:
    """Return `size` bytes that depend on `names` alone and have no pattern."""
    text = "\x1f".join(map(str, names))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=size).digest()


def permutation(rng: np.random.Generator, size: int) -> Iterator[int]:
    """Yield the numbers below `size` in random order; only what is taken costs time and memory (Fisher and Yates)."""
    moved: dict[int, int] = {}
    draws: np.ndarray = np.empty(0)
    for i in range(size):
        if i % BLOCK == 0:
            draws = rng.random(BLOCK)
        j = i + min(int(draws[i % BLOCK] * (size - i)), size - i - 1)
        yield moved.get(j, j)
        last = moved.pop(i, i)
        if j != i:
            moved[j] = last


def context_length(settings: SamplingSettings, rng: np.random.Generator) -> int:
    """Return the number of turns of a context.

    Lowe, Pow, Serban & Pineau (2015, SIGDIAL, section 3.1; https://arxiv.org/abs/1506.08909) let a window of
    n = ⌊10 C / η⌋ + 2 turns, of which the last is the next turn, be drawn with η uniform over the whole numbers from
    C / 2 to 10 C; a conversation of t turns gives a context of c = min(t, n) - 1. Here C is `max_context`, and what is
    drawn beyond it becomes `max_context`, which is how the maximum of 6 turns of Lowe et al. (2016, section 4.2) is
    understood. Every other context has two turns.
    """
    if settings.lengths != LOWE2015:
        return int(settings.lengths)
    most = settings.max_context
    drawn = 10 * most // int(rng.integers(max(1, -(-most // 2)), 10 * most + 1)) + 1
    return max(settings.min_context, min(drawn, most))


# -- contexts ------------------------------------------------------------------------------------------------------
def windows(dialogue: PreparedDialogue, settings: SamplingSettings) -> Iterator[tuple[int, int]]:
    """Yield the contexts of a conversation as (first turn, next turn).

    As Lowe et al. (2015) made their test set: one length is drawn for the conversation, which is cut from its beginning
    into windows of the context and the next turn; a shorter conversation is one window.
    """
    turns = len(dialogue.texts)
    if settings.every_turn:
        yield from ((max(0, turn - settings.max_context), turn) for turn in range(settings.min_context, turns))
        return
    rng = generator(settings.seed, "length", _digest(12, *dialogue.dialogue.turns).hex())
    size = min(context_length(settings, rng) + 1, turns)
    yield from ((start, start + size - 1) for start in range(0, turns - size + 1, size))


def _stems(corpus: Corpus, bank: TurnBank, settings: SamplingSettings) -> tuple[list[Stem], dict[str, int]]:
    """Return the contexts and next turns, one of each conversation first; and what was left out, by reason."""
    left_out: Counter = Counter(corpus.left_out)
    by_number: dict[int, list[Stem]] = defaultdict(list)
    seen: set[tuple[str, ...]] = set()
    for dialogue in bank.prepared:
        left_out.update(LEFT_TURNS.format(fault=fault) for fault in dialogue.faults if fault)
    for number, dialogue in enumerate(bank.prepared):
        if len(dialogue.texts) <= settings.min_context:
            left_out[TOO_SHORT] += 1
            continue
        for first, turn in windows(dialogue, settings):
            fault = next(filter(None, dialogue.faults[first : turn + 1]), None)
            keys = dialogue.keys[first : turn + 1]
            if fault:
                left_out[FAULTY.format(fault=fault)] += 1
                continue
            if not dialogue.keys[turn] or keys in seen:
                left_out[AGAIN] += 1
                continue
            seen.add(keys)
            by_number[number].append((number, _stem(corpus.name, dialogue, first, turn)))
    if not by_number:
        reasons = "; ".join(f"{count} {reason}" for reason, count in left_out.items())
        remedy = "Name a larger corpus, or one of longer conversations."
        raise UserError(f"corpus '{corpus.name}' (fold '{corpus.fold}'): no question is left ({reasons}).", remedy)
    return _spread(by_number, settings), dict(left_out)


def _stem(corpus: str, dialogue: PreparedDialogue, first: int, turn: int) -> NucQuestion:
    """Return a question whose only candidate so far is the true one."""
    *context, answer = texts = dialogue.texts[first : turn + 1]
    return NucQuestion(
        question_id=f"q{_digest(8, corpus, *texts).hex()}",
        corpus=corpus,
        conversation_id=dialogue.dialogue.episode_id,
        context=tuple(context),
        speakers=tuple(place % 2 for place in range(len(texts))),
        candidates=(answer,),
        true=0,
        turn=turn,
    )


def _spread(by_number: dict[int, list[Stem]], settings: SamplingSettings) -> list[Stem]:
    """Return all questions, or as many as asked for: first one of each conversation, drawn, then a second one, …"""
    if settings.every_turn and not settings.questions:
        return [stem for number in sorted(by_number) for stem in by_number[number]]

    def key(stem: Stem) -> bytes:
        return _digest(8, settings.seed, stem[1].question_id)

    ordered = [(place, stem) for rows in by_number.values() for place, stem in enumerate(sorted(rows, key=key))]
    ordered.sort(key=lambda row: (row[0], key(row[1])))
    return [stem for _, stem in ordered[: settings.questions or None]]


# -- candidates ----------------------------------------------------------------------------------------------------
def _drawn(
    corpus: Corpus,
    bank: TurnBank,
    number: int,
    stem: NucQuestion,
    settings: SamplingSettings,
    similarity: np.ndarray | None,
) -> list[tuple[int, str]]:
    """Return place and kind of a question's distractors, in the order in which they are taken.

    `similarity` is that of each turn to the true one, None where distractors are drawn at random.
    """
    barred = set(bank.said_in(number).tolist())
    order = ((place, UNIFORM) for place in permutation(generator(settings.seed, UNIFORM, stem.question_id), len(bank)))
    if similarity is not None:
        alike, same = most_alike(similarity)
        barred |= same
        order = chain(((place, settings.distractors) for place in alike), order)
    drawn = []
    for place, kind in order:
        if len(drawn) == settings.candidates - 1:
            break
        if place not in barred:
            drawn.append((place, kind))
            barred.add(place)
    if len(drawn) < settings.candidates - 1:
        raise UserError(
            f"corpus '{corpus.name}' (fold '{corpus.fold}'): {len(drawn)} distinct turns of other conversations can be "
            f"distractors for the question {stem.question_id}, but {settings.candidates} candidates take "
            f"{settings.candidates - 1}.",
            f"Ask for at most {max(2, len(drawn) + 1)} candidates, or name a larger corpus or fold.",
        )
    return drawn


def _question(bank: TurnBank, side: int, stem: NucQuestion, seed: int, drawn: list[tuple[int, str]]) -> NucQuestion:
    """Return the record; the order of its candidates depends on their texts, the question and the seed alone."""
    texts = [stem.answer, *(bank.texts[place] for place, _ in drawn)]
    ordered = sorted(range(len(texts)), key=lambda number: _digest(8, seed, stem.question_id, texts[number]))
    origins = []
    for number, (place, kind) in enumerate(drawn, start=1):
        conversation, turn = next(use for use in bank.where[place] if use[0] != side)
        source = bank.prepared[conversation].dialogue.episode_id
        origins.append(Origin(kind, source, turn, ordered.index(number)))
    ordered_texts = tuple(texts[number] for number in ordered)
    return replace(stem, candidates=ordered_texts, true=ordered.index(0), distractors=tuple(origins))
