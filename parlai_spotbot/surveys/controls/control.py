"""Interface of a kind of control: making its items, and grading answers.

A control is an item whose right answer is known, mixed into units to find annotators who do not look. It is never
analysed as data. Its mark, which no browser gets, says what is known.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from parlai_spotbot.records import Item, Utterance
from parlai_spotbot.surveys.ids import opaque

if TYPE_CHECKING:
    from parlai_spotbot.study import Study
    from parlai_spotbot.surveys.controls.lengths import Segment
    from parlai_spotbot.surveys.packing.blocks import PackOptions
    from parlai_spotbot.surveys.survey import Survey

KNOWN_HUMAN, KNOWN_BOT = "known_human", ("known_bot:0", "known_bot:1")
KNOWN_CHOICE, KNOWN_LOW = ("known_choice:0", "known_choice:1"), ("known_low:0", "known_low:1")
KNOWN_CANDIDATE = tuple(f"known_candidate:{place}" for place in range(10))
"""Marks of controls."""

Answers = Mapping[tuple[str, str], object]
"""(question, target) -> answer."""


@dataclass(frozen=True)
class ControlSet:
    """Controls that were made, and how many show people of the domain who are not in the study."""

    items: Sequence[Item]
    from_domain: int = 0


def control_item(
    shown: Sequence[Segment],
    control: str,
    options: PackOptions,
    judged: tuple[int, ...] = (),
    questions: tuple[str, ...] = (),
) -> Item:
    """Return the item that shows these segments; its id is made from turns that nobody is shown too."""
    hidden = [turn.text for conversation, _ in shown for turn in conversation.turns]
    texts = [text for _, turns in shown for text in turns]
    ids = tuple(conversation.conversation_id for conversation, _ in shown)
    return Item(
        item_id=opaque("control", options.survey, options.seed, *ids, *questions, *texts, *hidden),
        conversation_ids=ids,
        exchanges=max(len(turns) // 2 for _, turns in shown),
        transcripts=tuple(tuple(Utterance(i % 2, text) for i, text in enumerate(turns)) for _, turns in shown),
        control=control,
        judged=judged,
        questions=questions,
    )


class Control(ABC):
    """A kind of control. `marks` are those that its items may bear, where these are a few."""

    marks: ClassVar[tuple[str, ...]] = ()
    rule: ClassVar[str]
    """How its items are chosen and when one is missed, in words."""

    @abstractmethod
    def missed(self, mark: str, answers: Answers) -> bool:
        """Return True if an annotator's answers miss a control of this mark; not to answer is to miss."""

    def complete(self, answers: Answers) -> bool:
        """Return True if enough was answered to count."""
        return True

    @abstractmethod
    def make(self, study: Study, survey: Survey, options: PackOptions) -> ControlSet:
        """Return the controls of a packed survey, the same for the same input."""

    def counts(self, items: Sequence[Item]) -> dict[str, int]:
        """Return how many there are of each mark."""
        return {mark: sum(item.control == mark for item in items) for mark in self.marks}
