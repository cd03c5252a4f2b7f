"""A question of Next-Utterance Classification as a record, with JSON Lines in and out.

It holds the turns before (the context), the candidates, one of which is the true next turn, and where every distractor
came from. The answer key stands in it, so nothing but context and candidates may ever reach an annotator.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.errors import UserError

KINDS = ("uniform", "lexical", "embedding", "speaker", "dialogue")
"""How a distractor was found: at random from other conversations of the corpus; among the turns most alike by words, or
by embedding; among the turns of the same person in other conversations; or in the same conversation."""

REMEDY = "Make the file anew, with parlai spotbot_nuc."


@dataclass(frozen=True)
class Origin:
    """Where a distractor came from: how it was found (one of `KINDS`), the conversation and the number of its turn
    there, and the place of it in the question's candidates."""

    kind: str
    conversation_id: str
    turn: int
    place: int

    def to_json(self) -> dict:
        return vars(self).copy()

    @classmethod
    def from_json(cls, row: dict, where: str) -> Origin:
        kind = files.field(row, "kind", str, where)
        if kind not in KINDS:
            raise UserError(f"{where}: field 'kind' is '{kind}', expected one of {', '.join(KINDS)}.", REMEDY)
        return cls(
            kind,
            files.field(row, "conversation_id", str, where),
            files.field(row, "turn", int, where),
            files.field(row, "place", int, where),
        )


@dataclass(frozen=True)
class NucQuestion:
    """One question.

    Attributes
    ----------
    question_id : str
        The same for the same corpus, context and next turn, whatever the candidates.
    corpus, conversation_id : str
        Where it was taken from.
    context : tuple of str
        The turns before, the earliest first.
    speakers : tuple of int
        Who speaks each turn of the context, and last the next turn; numbered from 0 in the order of appearance.
    candidates : tuple of str
        The true next turn and the distractors, in the order in which they are shown.
    true : int
        The place of the true next turn in `candidates`.
    distractors : tuple of Origin
        In the order in which they were drawn: a question with fewer candidates has the first of them (`cut`).
    turn : int
        The number of the true next turn in its conversation, from 0.
    """

    question_id: str
    corpus: str
    conversation_id: str
    context: tuple[str, ...]
    speakers: tuple[int, ...]
    candidates: tuple[str, ...]
    true: int
    distractors: tuple[Origin, ...] = ()
    turn: int = 0

    @property
    def context_turns(self) -> int:
        """How many turns the context has."""
        return len(self.context)

    @property
    def answer(self) -> str:
        """The true next turn."""
        return self.candidates[self.true]

    def cut(self, n: int) -> NucQuestion:
        """The same question with `n` of its candidates: the true one and the first n - 1 distractors drawn."""
        if not 2 <= n <= len(self.candidates):
            raise ValueError(f"n={n}: question {self.question_id} has {len(self.candidates)} candidates, expected 2 up")
        kept = sorted([self.true, *(origin.place for origin in self.distractors[: n - 1])])
        new = {place: number for number, place in enumerate(kept)}
        return replace(
            self,
            candidates=tuple(self.candidates[place] for place in kept),
            true=new[self.true],
            distractors=tuple(replace(origin, place=new[origin.place]) for origin in self.distractors[: n - 1]),
        )

    def to_json(self) -> dict:
        return {
            "question_id": self.question_id,
            "corpus": self.corpus,
            "conversation_id": self.conversation_id,
            "turn": self.turn,
            "context_turns": self.context_turns,
            "context": list(self.context),
            "speakers": list(self.speakers),
            "candidates": list(self.candidates),
            "true": self.true,
            "distractors": [origin.to_json() for origin in self.distractors],
        }

    @classmethod
    def from_json(cls, row: dict, where: str) -> NucQuestion:
        """Raises `UserError` naming `where` and the field."""
        question = cls(
            question_id=files.field(row, "question_id", str, where),
            corpus=files.field(row, "corpus", str, where),
            conversation_id=files.field(row, "conversation_id", str, where),
            context=_texts(row, "context", where),
            speakers=tuple(files.field(row, "speakers", list, where)),
            candidates=_texts(row, "candidates", where),
            true=files.field(row, "true", int, where),
            distractors=_origins(row, where),
            turn=files.field(row, "turn", int, where, 0),
        )
        _check(question, where)
        return question


def _texts(row: dict, name: str, where: str) -> tuple[str, ...]:
    value = files.field(row, name, list, where)
    if not value or not all(isinstance(text, str) and text for text in value):
        raise UserError(f"{where}: field '{name}' is {value!r}, expected a list of texts.", REMEDY)
    return tuple(value)


def _origins(row: dict, where: str) -> tuple[Origin, ...]:
    value = files.field(row, "distractors", list, where, [])
    if not all(isinstance(origin, dict) for origin in value):
        raise UserError(f"{where}: field 'distractors' is {value!r}, expected a list of objects.", REMEDY)
    return tuple(Origin.from_json(origin, f"{where}, distractor {i}") for i, origin in enumerate(value))


def _check(question: NucQuestion, where: str) -> None:
    """Raise `UserError` unless the fields agree with each other."""
    count = len(question.candidates)
    if not 0 <= question.true < count:
        raise UserError(f"{where}: field 'true' is {question.true}, but there are {count} candidates.", REMEDY)
    if len(set(question.candidates)) != count:
        raise UserError(f"{where}: field 'candidates' holds the same text twice.", "Remove one of them.")
    speakers = question.speakers
    if len(speakers) != len(question.context) + 1 or any(type(s) is not int or s < 0 for s in speakers):
        raise UserError(
            f"{where}: field 'speakers' is {list(speakers)!r}, expected a number for each of the "
            f"{len(question.context)} turns of the context and for the next one.",
            REMEDY,
        )
    places = sorted(origin.place for origin in question.distractors)
    if places and places != [place for place in range(count) if place != question.true]:
        raise UserError(
            f"{where}: field 'distractors' names the places {places}, expected each wrong one once.", REMEDY
        )


def read_questions(path: Path) -> list[NucQuestion]:
    """The questions of a file; a missing file, a malformed line or an id that stands twice is a `UserError`."""
    places: dict[str, str] = {}

    def parse(row: dict, where: str) -> NucQuestion:
        question = NucQuestion.from_json(row, where)
        if question.question_id in places:
            raise UserError(
                f"{where}: field 'question_id' is '{question.question_id}', as in {places[question.question_id]}.",
                "Give each question its own.",
            )
        places[question.question_id] = where
        return question

    return files.read_jsonl(path, parse, "file of questions", REMEDY)


def write_questions(path: Path, questions: Iterable[NucQuestion]) -> None:
    """Write one question a line, atomically."""
    files.write_jsonl(path, (question.to_json() for question in questions))
