"""Dialogues that the annotator opens exchange by exchange (paper, appendix B): what is open and what is decided.

The page holds none of it: every exchange opened and every decision is in the ledger before the answer goes out, and a
decision is final. It is about the first question that is put of entities; the others come with the submission.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
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
from parlai_spotbot.crowdsourcing.desk.presentation import Excerpt, exchanges_of, present
from parlai_spotbot.crowdsourcing.desk.refusals import refusal
from parlai_spotbot.crowdsourcing.ledger.entries import Handout, OpeningDecision
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
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

    def __init__(self, survey: Survey, ledger: Ledger, texts: Mapping[str, str]):
        self.survey, self.ledger, self.texts = survey, ledger, texts
        self.question = decision_question(survey)

    def _decisions(self, handout: Handout) -> dict[int, dict[str, OpeningDecision]]:
        """Return the decisions of a hand-out by item and target."""
        made: dict[int, dict[str, OpeningDecision]] = defaultdict(dict)
        for decision in self.ledger.decisions(handout.handle):
            made[decision.item][decision.target] = decision
        return made

    def pages(self, handout: Handout, items: Sequence[Item]) -> list[tuple[dict, dict]]:
        """Return each item as far as it is open: its page item and the record of its draws."""
        opened, made = self.ledger.opened(handout.handle), self._decisions(handout)
        return [
            present(
                self.survey,
                item,
                number,
                handout.chance,
                Excerpt(opened.get(number, 1), {target: one.answer for target, one in made[number].items()}),
            )
            for number, item in enumerate(items)
        ]

    def open(self, handout: Handout, items: Sequence[Item], body: Any, now: float) -> int:
        """Open the exchange after `body["opened"]`, the number that the page has; return the item's number.

        A page that has fewer than are open gets what is open and opens nothing, so asking twice opens one. Raises
        `Refusal`: 400 malformed, 409 all_open, decided (everything: nothing is left to look for).
        """
        body = shaped(OpenBody, body)
        number, has = body["item"], body["opened"]
        opened = self.ledger.opened(handout.handle).get(number, 1)
        if number >= len(items) or not 1 <= has <= opened:
            raise malformed("There is no such item, or fewer exchanges are open.")
        if has == opened:
            if opened >= exchanges_of(items[number]):
                raise refusal("all_open", self.texts)
            if self._decisions(handout)[number].keys() >= set(self.question.targets):
                raise refusal("decided", self.texts)
            self.ledger.open_exchange(handout.handle, number, opened + 1, now)
        return number

    def decide(self, handout: Handout, items: Sequence[Item], body: Any, now: float) -> int:
        """Record a decision; return the item's number. The same one again changes nothing.

        Raises `Refusal`: 400 malformed, 409 decided (otherwise, before), not_yet (unsure while more can be opened).
        """
        body = shaped(DecideBody, body)
        number, target, answer = body["item"], body["target"], clean_answer(self.question, body["answer"], 0)
        if number >= len(items) or body["question"] != self.question.name or target not in self.question.targets:
            raise malformed("A decision is about something that is not asked.")
        earlier = self._decisions(handout)[number].get(target)
        if earlier:
            if earlier.answer != answer:
                raise refusal("decided", self.texts)
            return number
        opened = self.ledger.opened(handout.handle).get(number, 1)
        if answer == UNSURE and opened < exchanges_of(items[number]):
            raise refusal("not_yet", self.texts)
        row = (handout.handle, number, target, self.question.name, answer, opened, body.get("seconds"), now)
        self.ledger.decide(OpeningDecision(*row))
        return number

    def merged(self, handout: Handout, body_items: Any) -> list[dict]:
        """Return the items of a submission with the ledger's decisions in place of the browser's.

        Raises `Refusal` 422 where a decision is missing.
        """
        made, merged = self._decisions(handout), []
        for row in shaped(list[ItemBody], body_items):
            if len(made[row["item"]]) < len(self.question.targets):
                raise incomplete(f"Item {row['item'] + 1}: decide for both entities first.")
            decided = [
                {name: getattr(one, name) for name in ("question", "target", "answer", "seconds")}
                for one in made[row["item"]].values()
            ]
            others = [answer for answer in row["answers"] if answer["question"] != self.question.name]
            merged.append({**row, "answers": decided + others})
        return merged

    def note(self, handout: Handout, kept: Sequence[dict]) -> None:
        """Add "opened" to the clean answers: the exchanges open at that decision; in the end, for other questions."""
        opened, made = self.ledger.opened(handout.handle), self._decisions(handout)
        for row in kept:
            for answer in row["answers"]:
                decision = made[row["item"]].get(answer["target"]) if answer["question"] == self.question.name else None
                answer["opened"] = decision.opened if decision else opened.get(row["item"], 1)
