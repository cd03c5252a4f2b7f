"""Interface of a kind of control: making its items, and grading answers.

A control is an item whose right answer is known, mixed into units to find annotators who do not look. It is never
analysed as data. Its mark, which no browser gets, says what is known.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from parlai_spotbot.records import Item, Unit
from parlai_spotbot.surveys.ids import opaque
from parlai_spotbot.surveys.packing.units_file import in_turn

if TYPE_CHECKING:
    from parlai_spotbot.study import SurveyFiles
    from parlai_spotbot.surveys.packing.blocks import PackOptions
    from parlai_spotbot.surveys.survey import Survey

KNOWN_HUMAN = "known_human"
KNOWN_BOTS = "known_bots"
KNOWN_BOT = ("known_bot:0", "known_bot:1")
KNOWN_CHOICE = ("known_choice:0", "known_choice:1")
KNOWN_LOW = ("known_low:0", "known_low:1")
KNOWN_BETTER = ("known_better:0", "known_better:1")
KNOWN_CANDIDATE = tuple(f"known_candidate:{place}" for place in range(10))
"""Marks of controls; those of `KNOWN_BOT` are made no more, but studies of earlier versions have them."""

Answers = Mapping[tuple[str, str], object]
"""(question, target) -> answer."""


def on_five(answers: Answers, survey: Survey | None) -> Answers:
    """Return ratings on scales of one's own as numbers from 1, the worst, to 5, the best; other answers as they are."""
    if survey is None:
        return answers
    questions = {question.name: question for question in survey.questions}
    graded = dict(answers)
    for (name, target), answer in answers.items():
        scale = questions[name].scale if name in questions else ()
        if len(scale) < 2 or not isinstance(answer, str) or answer not in {o.value for o in questions[name].options}:
            continue
        share = (float(answer) - scale[0]) / (scale[-1] - scale[0])
        if questions[name].better == "less":
            share = 1 - share
        graded[name, target] = 1 + 4 * share
    return graded


@dataclass(frozen=True)
class ControlSet:
    """Controls that were made, how many show people of the domain who are not in the study, how many units need.

    `why` says why there are none.
    """

    items: Sequence[Item]
    from_domain: int = 0
    needed: int = 0
    why: str = ""


def control_item(
    transcripts: Sequence[Sequence[str]], ids: Sequence[str], control: str, like: Item, options: PackOptions
) -> Item:
    """Return the control that shows these texts, with the judged speakers and questions of the item it is `like`.

    Its id is made from the seed and texts of the pattern, too; a conversation of scripts has no id of its own yet.
    """
    texts = [text for turns in transcripts for text in turns]
    shown = [turn.text for turns in like.transcripts for turn in turns]
    name = opaque("control", options.survey, options.seed, like.item_id, *ids, *texts, *shown)
    return Item(
        item_id=name,
        conversation_ids=tuple(one or opaque("scripts", name, place) for place, one in enumerate(ids)),
        exchanges=max(len(turns) // 2 for turns in transcripts),
        transcripts=tuple(map(in_turn, transcripts)),
        control=control,
        judged=like.judged,
        questions=like.questions,
    )


class Control(ABC):
    """A kind of control. `marks` are those that its items may bear, where these are a few."""

    marks: ClassVar[tuple[str, ...]] = ()
    rule: ClassVar[str]
    """How its items are chosen and when one is missed, in words."""
    title: ClassVar[str]
    """Description for authors of own surveys."""

    @abstractmethod
    def missed(self, mark: str, answers: Answers) -> bool:
        """Return True if an annotator's answers miss a control of this mark; not to answer is to miss."""

    def complete(self, answers: Answers, asked: Set[tuple[str, str]]) -> bool:
        """Return True if enough was answered to count, of what is `asked` in controls of the survey."""
        return True

    def asked(self, survey: Survey, units: Sequence[Unit]) -> Sequence[tuple[str, ...]]:
        """Return the sets of questions of the controls in `units`; none where nothing that is asked can be graded."""
        return [()]

    @abstractmethod
    def make(self, data: SurveyFiles, survey: Survey, options: PackOptions) -> ControlSet:
        """Return the controls of a packed survey, the same for the same input."""

    def counts(self, items: Sequence[Item]) -> dict[str, int]:
        """Return how many there are of each mark."""
        counts = Counter(item.control for item in items)
        return {mark: counts[mark] for mark in self.marks}
