"""A question of Next-Utterance Classification as a record, with JSON Lines in and out.

It holds the turns before (the context), the candidates, one of which is the true next turn, and where every distractor
came from. The answer key is in it, so nothing but context and candidates may ever reach an annotator.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError
from parlai_spotbot.user_files import validated

REMEDY = "Make the file again, with parlai spotbot_nuc."


@dataclass(frozen=True)
class Origin:
    """Origin of a distractor.

    `kind` is how it was found: at random from other conversations of the corpus; among the turns most alike by words,
    or by embedding; among the turns of the same person in other conversations; or in the same conversation. Then the
    conversation and the number of its turn there, and its place in the question's candidates.
    """

    kind: Literal["uniform", "lexical", "embedding", "speaker", "dialogue"]
    conversation_id: str
    turn: int
    place: int


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
        """Return how many turns the context has."""
        return len(self.context)

    @property
    def answer(self) -> str:
        """The true next turn."""
        return self.candidates[self.true]

    def cut(self, n: int) -> NucQuestion:
        """Return the question with `n` of its candidates: the true one and the first n - 1 distractors drawn."""
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
            "distractors": [vars(origin) for origin in self.distractors],
        }

    def __post_init__(self):
        count = len(self.candidates)
        if not 0 <= self.true < count:
            raise ValueError(f"'true' is {self.true}, but there are {count} candidates")
        if not all((*self.context, *self.candidates)) or not self.context or len(set(self.candidates)) != count:
            raise ValueError("'context' and 'candidates' are texts, and no two candidates are alike")
        if len(self.speakers) != len(self.context) + 1 or min(self.speakers) < 0:
            raise ValueError(
                f"'speakers' is {list(self.speakers)!r}, expected a number for each of the {len(self.context)} turns "
                "of the context and for the next one"
            )


def read_questions(path: Path | str) -> list[NucQuestion]:
    """Return the questions of a file; a missing file, a malformed line or a repeated id is a `UserError`."""
    places: dict[str, str] = {}

    def parse(row: dict, where: str) -> NucQuestion:
        about = {key: value for key, value in row.items() if key != "context_turns"}
        question = validated(NucQuestion, about, where)
        if len(question.candidates) < 2:
            raise UserError(f"{where}: field 'candidates' holds the real next turn alone.", REMEDY)
        if question.question_id in places:
            raise UserError(
                f"{where}: field 'question_id' is '{question.question_id}', as in {places[question.question_id]}.",
                "Give each question its own.",
            )
        places[question.question_id] = where
        return question

    questions = files.read_jsonl(Path(path), parse, "file of questions", REMEDY)
    if not questions:
        raise UserError(f"{path}: holds no question.", REMEDY)
    return questions


def write_questions(path: Path | str, questions: Iterable[NucQuestion]) -> None:
    """Write one question a line, atomically."""
    checksums.write_jsonl(Path(path), questions)
