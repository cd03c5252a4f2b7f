"""Questions drawn from a corpus: the next turn after a context among distractors (Lowe et al., 2016, section 3).

The same settings give the same questions, in whatever order the corpus was read. More questions are the same ones and
further ones; more candidates are the same ones and further ones, so accuracy at fewer candidates is nested in it.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from parlai_spotbot.errors import UserError
from parlai_spotbot.nuc.bank import PreparedDialogue, TurnBank, bank_of
from parlai_spotbot.nuc.cleaning import rule
from parlai_spotbot.nuc.contexts import every_turn, lengths, windows
from parlai_spotbot.nuc.corpora import Corpus
from parlai_spotbot.nuc.distractors import DistractorFinder, Embed, QuestionStem, generator, parse_mixture, sequence
from parlai_spotbot.surveys.nuc_questions import NucQuestion, Origin, read_questions, write_questions

__all__ = ["NucQuestion", "Origin", "QuestionSample", "SamplingSettings", "read_questions", "sample", "write_questions"]

WHOLE = 0
"""As a number of candidates: every turn of the corpus. The questions then hold the true one alone, the bank all."""

TOO_SHORT = "conversations of too few turns"
AGAIN = "questions that are another's twin"
FAULTY = "questions whose context or next turn is {fault}"
LEFT_TURNS = "turns that are {fault}: no candidates"


@dataclass(frozen=True)
class SamplingSettings:
    """How questions are drawn.

    Attributes
    ----------
    candidates : int
        How many a question has, the true one included; `WHOLE` for every turn of the corpus.
    max_context, min_context : int
        Turns of a context.
    lengths : str
        Their distribution (`contexts.lengths`).
    distractors : str
        Kinds with shares (`distractors.parse_mixture`): how hard the questions are.
    close_to : str
        What hard distractors resemble, "reply" (the true next turn) or "context".
    questions : int
        At most so many, from as many different conversations as can be; 0: all.
    every_turn : bool
        Whether every turn is a next turn after as long a context as may be, for training; else windows that don't
        overlap.
    seed : int
    offensive_words : str
        A file of words or phrases that are offensive, beside those known; "" for none.
    """

    candidates: int = 5
    max_context: int = 6
    min_context: int = 2
    lengths: str = "lowe2015"
    distractors: str = "uniform"
    close_to: str = "reply"
    questions: int = 0
    every_turn: bool = False
    seed: int = 0
    offensive_words: str = ""

    def check(self) -> None:
        """Raise `UserError` naming the setting that can't be."""
        if self.candidates != WHOLE and self.candidates < 2:
            raise UserError(
                f"candidates {self.candidates}: a question has at least two.", "0 stands for the whole corpus."
            )
        if self.questions < 0:
            raise UserError(f"questions {self.questions}: expected a whole number from 0 up.", "0 stands for all.")
        lengths(self.lengths, self.max_context, self.min_context)
        parse_mixture(self.distractors)

    def to_json(self) -> dict:
        return vars(self).copy()


@dataclass(frozen=True)
class QuestionSample:
    """Questions, the bank they were drawn from, what was left out and why (counts), and how many distractors of a kind
    were wanted that there were not, and are uniform ones instead."""

    questions: tuple[NucQuestion, ...]
    bank: TurnBank
    left_out: dict[str, int] = field(default_factory=dict)
    filled: dict[str, int] = field(default_factory=dict)


def sample(corpus: Corpus, settings: SamplingSettings | None = None, embed: Embed | None = None) -> QuestionSample:
    """Draw the questions of a corpus.

    Distractors are drawn uniformly, or found, among all distinct turns that were not said in the question's own
    conversation (but for the kind "dialogue"). A text that was said often so counts once: it could not be a candidate
    twice. `embed` is for tests (`distractors.DistractorFinder`).

    Raises `UserError` naming the corpus where its conversations have too few turns, where nothing is left, or where it
    has fewer distinct turns than candidates are wanted; how many there are, and what helps.
    """
    settings = settings or SamplingSettings()
    settings.check()
    bank = bank_of(corpus, rule(Path(settings.offensive_words).expanduser() if settings.offensive_words else None))
    stems, left_out = _stems(corpus, bank, settings)
    if settings.candidates == WHOLE:
        return QuestionSample(tuple(_question(corpus, bank, own, [], settings) for own in stems), bank, left_out)
    finder = DistractorFinder(bank, corpus.name, parse_mixture(settings.distractors), settings.close_to, embed)
    wanted = settings.candidates - 1
    if len(bank) - 1 < wanted:
        raise _too_few(corpus, settings, len(bank) - 1)
    questions, filled = [], Counter()
    for own, orders in zip(stems, finder.orders(stems, wanted, settings.seed), strict=True):
        drawn = _drawn(finder, own, orders, wanted, filled)
        if len(drawn) < wanted:
            raise _too_few(corpus, settings, len(drawn), own)
        questions.append(_question(corpus, bank, own, drawn, settings))
    return QuestionSample(tuple(questions), bank, left_out, dict(filled))


def _too_few(corpus: Corpus, settings: SamplingSettings, there: int, own: QuestionStem | None = None) -> UserError:
    turns = f"{there} distinct turns beside the next turn's own"
    where = f" for the question {own.name}, in conversations other than its own" if own else ""
    return UserError(
        f"corpus '{corpus.name}' (fold '{corpus.fold}'): {turns} can be distractors{where}, but "
        f"{settings.candidates} candidates take {settings.candidates - 1}.",
        f"Ask for at most {max(2, there + 1)} candidates, or name a larger corpus or fold.",
    )


# -- contexts ------------------------------------------------------------------------------------------------------
def _stems(corpus: Corpus, bank: TurnBank, settings: SamplingSettings) -> tuple[list[QuestionStem], dict[str, int]]:
    """The contexts and next turns, one of each conversation first; and what was left out, by reason."""
    left_out: Counter = Counter(corpus.left_out)
    for own in bank.prepared:
        left_out.update(LEFT_TURNS.format(fault=fault) for fault in own.faults if fault)
    by_number: dict[int, list[QuestionStem]] = defaultdict(list)
    seen: set[tuple[str, ...]] = set()
    for number, own in enumerate(bank.prepared):
        if len(own.texts) <= settings.min_context:
            left_out[TOO_SHORT] += 1
            continue
        for first, turn in _windows(own, settings):
            fault = next((own.faults[i] for i in range(first, turn + 1) if own.faults[i]), None)
            keys = own.keys[first : turn + 1]
            if fault or not own.keys[turn] or keys in seen:
                left_out[FAULTY.format(fault=fault) if fault else AGAIN] += 1
                continue
            seen.add(keys)
            by_number[number].append(_stem(corpus.name, own, number, first, turn))
    if not by_number:
        raise _nothing(corpus, settings, bank, left_out)
    return _spread(by_number, settings), dict(left_out)


def _nothing(corpus: Corpus, settings: SamplingSettings, bank: TurnBank, left_out: Counter) -> UserError:
    longest = max(len(own.texts) for own in bank.prepared)
    if longest <= settings.min_context:
        return UserError(
            f"corpus '{corpus.name}' (fold '{corpus.fold}'): no conversation has the {settings.min_context} turns of a "
            f"context and a next one; the longest of {len(bank.prepared)} has {longest}.",
            "Allow shorter contexts, or name a corpus of longer conversations.",
        )
    reasons = "; ".join(f"{count} {reason}" for reason, count in left_out.items())
    return UserError(f"corpus '{corpus.name}': no question is left ({reasons}).", "Name a larger corpus.")


def _windows(own: PreparedDialogue, settings: SamplingSettings) -> Iterator[tuple[int, int]]:
    if settings.every_turn:
        return every_turn(len(own.texts), settings.max_context, settings.min_context)
    draw = lengths(settings.lengths, settings.max_context, settings.min_context)
    return windows(len(own.texts), draw, generator(settings.seed, "length", own.dialogue.key))


def _stem(corpus: str, own: PreparedDialogue, number: int, first: int, turn: int) -> QuestionStem:
    texts = own.texts[first : turn + 1]
    named = "\x1f".join((corpus, *texts)).encode("utf-8", "surrogatepass")
    name = "q" + hashlib.blake2b(named, digest_size=8).hexdigest()
    return QuestionStem(name, number, first, turn, texts[:-1], texts[-1])


def _spread(by_number: dict[int, list[QuestionStem]], settings: SamplingSettings) -> list[QuestionStem]:
    """All questions, or as many as wanted: first one of each conversation, drawn, then a second one, …"""
    if settings.every_turn and not settings.questions:
        return [own for number in sorted(by_number) for own in by_number[number]]

    def drawn(own: QuestionStem) -> bytes:
        return hashlib.blake2b(f"{settings.seed}\x1f{own.name}".encode(), digest_size=8).digest()

    ordered = [
        (place, drawn(own), own) for rows in by_number.values() for place, own in enumerate(sorted(rows, key=drawn))
    ]
    ordered.sort(key=lambda row: row[:2])
    return [own for _, _, own in ordered[: settings.questions or None]]


# -- candidates ----------------------------------------------------------------------------------------------------
def _drawn(
    finder: DistractorFinder, own: QuestionStem, orders: dict[str, Iterator[int]], wanted: int, filled: Counter
) -> list[tuple[str, int]]:
    """(kind, place in the bank) of each distractor, in the order of drawing; fewer where there are no more."""
    bank = finder.bank
    outside = set(bank.said_in(own.number).tolist())
    keys = bank.prepared[own.number].keys
    shown = {bank.places[keys[turn]] for turn in range(own.first, own.turn + 1)}
    taken: set[int] = set()

    def take(kind: str) -> bool:
        barred = shown if kind == "dialogue" else outside
        place = next((p for p in orders[kind] if p not in taken and p not in barred), None)
        if place is not None:
            taken.add(place)
            drawn.append((kind, place))
        return place is not None

    drawn: list[tuple[str, int]] = []
    for kind in sequence(finder.mixture):
        if len(drawn) == wanted:
            break
        if not take(kind):
            filled[kind] += kind != "uniform"
            if not take("uniform"):
                break
    return drawn


def _question(
    corpus: Corpus, bank: TurnBank, own: QuestionStem, drawn: list[tuple[str, int]], settings: SamplingSettings
) -> NucQuestion:
    """The record, its candidates in an order that depends on their texts, the question and the seed alone."""
    dialogue = bank.prepared[own.number].dialogue
    texts = [own.answer, *(bank.texts[place] for _, place in drawn)]

    def order(number: int) -> bytes:
        named = f"{settings.seed}\x1f{own.name}\x1f{texts[number]}"
        return hashlib.blake2b(named.encode("utf-8", "surrogatepass"), digest_size=8).digest()

    ordered = sorted(range(len(texts)), key=order)
    place_of = {number: place for place, number in enumerate(ordered)}
    origins = []
    for number, (kind, place) in enumerate(drawn, start=1):
        uses = [use for use in bank.where[place] if (use[0] == own.number) == (kind == "dialogue")]
        conversation, turn = uses[0]
        origins.append(Origin(kind, bank.prepared[conversation].dialogue.dialogue_id, turn, place_of[number]))
    names = dialogue.speakers[own.first : own.turn + 1]
    seats = {name: seat for seat, name in enumerate(dict.fromkeys(names))}
    return NucQuestion(
        question_id=own.name,
        corpus=corpus.name,
        conversation_id=dialogue.dialogue_id,
        context=own.context,
        speakers=tuple(seats[name] for name in names),
        candidates=tuple(texts[number] for number in ordered),
        true=place_of[0],
        distractors=tuple(origins),
        turn=own.turn,
    )
