"""What a kind of packing is: what its items are, what a user may say of it, how it packs, what is said of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from parlai_spotbot.errors import UserError
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.survey import Survey

WHOLE = ("sources", "ask", "questions", "comparisons", "pairs", "same_pairs", "same", "people", "repeated")
"""What may be wanted where whole conversations are shown."""
CANDIDATES = ("nuc_questions", "groups", "versions")
"""What may be wanted where candidates for the next turn are shown."""
OPTIONS = {"sources": "source", "people": "without-people", "annotators_per_segment": "annotators-per-item"}
"""Options of spotbot_pack that are not called as here."""


@dataclass(frozen=True)
class PackRequest:
    """What a user says of the units; None, or empty: the survey's way, or that of the first time.

    `leave_out` names kinds of faults (`parlai_spotbot.texts.hygiene`): conversations that show one are not packed.
    Segments: `segments` are their lengths, `humans_per_unit` of a unit are between people. Whole conversations:
    `sources` as in `whole_items.SOURCES` (of segments, too); `ask` names questions, or tasks, where the survey has
    some, of segments the features, or "none" of them; `questions` is a YAML file of own ones; `comparisons` of each
    pair of contestants on each question; `pairs`: which conversations stand beside each other ("drawn",
    "interactors": the two that one person led, or "contexts": those that answer the same); `same`: whether each bot is
    compared with itself, too; `same_pairs`:
    whether all questions are put for the same pairs; `people`: whether people are a contestant; `repeated`: the share
    of units that go to one more annotator. Candidates: `nuc_questions` is a file (by default
    STUDY/nuc/questions.jsonl), `groups` one of groups (`nuc_groups`), `versions` how many versions there are.
    """

    segments: Sequence[int] | None = None
    unit_size: int | None = None
    humans_per_unit: int = 5
    annotators_per_segment: int | None = None
    seed: int | None = None
    surface: str = "normalise"
    leave_out: Sequence[str] = ()
    sources: tuple[str, ...] | None = None
    ask: tuple[str, ...] | None = None
    questions: Path | str | None = None
    comparisons: int | None = None
    pairs: str | None = None
    same: bool | None = None
    same_pairs: bool | None = None
    people: bool | None = None
    repeated: float | None = None
    nuc_questions: Path | str | None = None
    groups: Path | str | None = None
    versions: int | None = None


class Packing(ABC):
    """A kind of packing, under the `name` by which a survey asks for it.

    Of what its items show: `of_conversations` of the study; `cuts` them to segments; `compares` two of them; `chats`:
    contestants, whom people talk to; `grouped`: units are for groups of people. With `comes_in` units come with their
    answers from elsewhere. `refuses` are wishes that mean nothing, and why, as it follows on "survey NAME".
    """

    name: ClassVar[str]
    of_conversations: ClassVar[bool] = True
    cuts: ClassVar[bool] = False
    compares: ClassVar[bool] = False
    chats: ClassVar[bool] = False
    grouped: ClassVar[bool] = False
    comes_in: ClassVar[bool] = False
    refuses: ClassVar[tuple[tuple[tuple[str, ...], str], ...]] = ()

    def check(self, survey: Survey, wanted: PackRequest) -> None:
        """Raise `UserError` where something is wanted that means nothing to this kind."""
        for names, why in self.refuses:
            for name in names:
                if getattr(wanted, name) not in (None, "", (), []):
                    option = OPTIONS.get(name, name).replace("_", "-")
                    raise UserError(f"--{option}: survey {survey.name} {why}.", "Leave it out.")

    @abstractmethod
    def pack(self, study: Study, survey: Survey, wanted: PackRequest) -> dict:
        """Write the units of a study and return the summary, ready for JSON; the caller holds the study's lock.

        Raises `UserError`, before anything is written, on wishes that can't be carried out, and where units packed in
        another way have judgements already.
        """

    @abstractmethod
    def said(self, summary: Mapping) -> str:
        """The summary in a few lines for the terminal."""

    def as_packed(self, study: Study, survey: Survey) -> Survey:
        """The survey as the study's units put it."""
        return survey

    def as_asked(self, study: Study, survey: Survey) -> Survey:
        """The survey, whatever its language, without what this study doesn't ask of it."""
        return survey


def seed_of(study: Study, wanted: PackRequest) -> int:
    """The seed that is wanted, else the study's."""
    return study.plan.seed if wanted.seed is None else wanted.seed
