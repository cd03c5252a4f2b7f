"""Dialogues that the annotator opens exchange by exchange (paper, appendix B): what is open and what is decided.

The page holds none of it: every exchange opened and every decision is in the ledger before the answer goes out, and a
decision is final. It is about the first question that is put of entities; the others come with the submission.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NotRequired

from typing_extensions import TypedDict

from parlai_spotbot.crowdsourcing.desk.answer_checks import (
    Count,
    ItemBody,
    Seconds,
    clean_answer,
    incomplete,
    malformed,
    shaped,
)
from parlai_spotbot.crowdsourcing.desk.contract import PagePair
from parlai_spotbot.crowdsourcing.desk.desk_inputs import DeskInputs
from parlai_spotbot.crowdsourcing.desk.presentation import Excerpt, exchanges_of, present
from parlai_spotbot.crowdsourcing.ledger.entries import Handout, OpeningDecision
from parlai_spotbot.records import Item
from parlai_spotbot.surveys.game import UNSURE
from parlai_spotbot.surveys.survey import Question, Survey


class OpenBody(TypedDict):
    """Request to open the next exchange of an item: `opened` are on the page."""

    item: Count
    opened: Count


class DecideBody(TypedDict):
    """A decision about an entity."""

    item: Count
    question: str
    target: str
    answer: str
    seconds: NotRequired[Seconds]


def decision_question(survey: Survey) -> Question:
    """Return the question that is decided while the dialogue opens; a survey without one is a `ValueError`."""
    for question in survey.questions:
        if all(target.startswith("entity:") for target in question.targets):
            return question
    raise ValueError(f"survey '{survey.name}': layout 'opening' needs a question about entities")


class DialogueOpening:
    """Open exchanges and decisions in the hand-outs of a survey with the layout "opening"."""

    def __init__(self, inputs: DeskInputs):
        self.survey = inputs.survey
        self.ledger = inputs.ledger
        self.refusal = inputs.refusal
        self.question = decision_question(inputs.survey)

    def _decisions(self, handout: Handout) -> dict[int, dict[str, OpeningDecision]]:
        """Return the decisions of a hand-out by item and target."""
        decisions: dict[int, dict[str, OpeningDecision]] = defaultdict(dict)
        for decision in self.ledger.decisions(handout.handle):
            decisions[decision.item][decision.target] = decision
        return decisions

    def pages(self, handout: Handout, items: Sequence[Item]) -> list[PagePair]:
        """Return each item as far as it is open: its page item and the record of its draws."""
        opened = self.ledger.opened(handout.handle)
        decisions = self._decisions(handout)
        pages = []
        for number, item in enumerate(items):
            decided = {target: one.answer for target, one in decisions[number].items()}
            excerpt = Excerpt(opened.get(number, 1), decided)
            pages.append(present(self.survey, item, number, handout.chance, excerpt))
        return pages

    def open(self, handout: Handout, items: Sequence[Item], body: Any, now: float) -> int:
        """Open the exchange after `body["opened"]`, the number that the page has; return the item's number.

        A page that has fewer than are open gets what is open and opens nothing, so asking twice opens one. Raises
        `Refusal`: 400 malformed, 409 all_open, decided (everything: nothing is left to look for).
        """
        body = shaped(OpenBody, body)
        number = body["item"]
        has = body["opened"]
        opened = self.ledger.opened(handout.handle).get(number, 1)
        if number >= len(items) or not 1 <= has <= opened:
            raise malformed("There is no such item, or fewer exchanges are open.")
        if has == opened:
            if opened >= exchanges_of(items[number]):
                raise self.refusal("all_open")
            if self._decisions(handout)[number].keys() >= set(self.question.targets):
                raise self.refusal("decided")
            self.ledger.open_exchange(handout.handle, number, opened + 1, now)
        return number

    def decide(self, handout: Handout, items: Sequence[Item], body: Any, now: float) -> int:
        """Record a decision; return the item's number. The same one again changes nothing.

        Raises `Refusal`: 400 malformed, 409 decided (otherwise, before), not_yet (unsure while more can be opened).
        """
        body = shaped(DecideBody, body)
        number = body["item"]
        target = body["target"]
        answer = clean_answer(self.question, body["answer"], 0)
        if number >= len(items) or body["question"] != self.question.name or target not in self.question.targets:
            raise malformed("A decision is about something that is not asked.")
        earlier = self._decisions(handout)[number].get(target)
        if earlier:
            if earlier.answer != answer:
                raise self.refusal("decided")
            return number
        opened = self.ledger.opened(handout.handle).get(number, 1)
        if answer == UNSURE and opened < exchanges_of(items[number]):
            raise self.refusal("not_yet")
        seconds = body.get("seconds")
        self.ledger.decide(
            OpeningDecision(handout.handle, number, target, self.question.name, answer, opened, seconds, now)
        )
        return number

    def merged(self, handout: Handout, body_items: Any) -> list[dict]:
        """Return the items of a submission with the ledger's decisions in place of the browser's.

        Raises `Refusal` 422 where a decision is missing.
        """
        decisions_made = self._decisions(handout)
        merged = []
        for row in shaped(list[ItemBody], body_items):
            decisions = decisions_made[row["item"]].values()
            if len(decisions) < len(self.question.targets):
                raise incomplete(f"Item {row['item'] + 1}: decide for both entities first.")
            answers = [answer for answer in row["answers"] if answer["question"] != self.question.name]
            for one in decisions:
                answers.append(
                    {"question": one.question, "target": one.target, "answer": one.answer, "seconds": one.seconds}
                )
            merged.append({**row, "answers": answers})
        return merged

    def note(self, handout: Handout, kept: Sequence[dict]) -> None:
        """Add "opened" to the clean answers: the exchanges open at that decision; in the end, for other questions."""
        opened = self.ledger.opened(handout.handle)
        decisions = self._decisions(handout)
        for row in kept:
            for answer in row["answers"]:
                answer["opened"] = opened.get(row["item"], 1)
                if answer["question"] == self.question.name:
                    answer["opened"] = decisions[row["item"]][answer["target"]].opened
