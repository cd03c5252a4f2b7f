"""Dialogues that the annotator opens exchange by exchange (paper, appendix B): what is open and what is decided.

The page holds none of it: every exchange opened and every decision is in the ledger before the answer goes out, and a
decision is final. It is about the first question that is put of entities; the others come with the submission.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from parlai_spotbot.crowdsourcing.desk.answer_checks import clean_answer, incomplete, malformed, seconds
from parlai_spotbot.crowdsourcing.desk.presentation import Excerpt, exchanges_of, present
from parlai_spotbot.crowdsourcing.desk.refusals import refusal
from parlai_spotbot.crowdsourcing.ledger.entries import Handout, OpeningDecision
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.records import Item
from parlai_spotbot.surveys.game import UNSURE
from parlai_spotbot.surveys.survey import Question, Survey


def decision_question(survey: Survey) -> Question:
    """The question that is decided while the dialogue opens; a survey without one is a `ValueError`."""
    for question in survey.questions:
        if all(target.startswith("entity:") for target in question.targets):
            return question
    raise ValueError(f"survey '{survey.name}': layout 'opening' needs a question about entities")


class DialogueOpening:
    """Open exchanges and decisions in the hand-outs of a survey with the layout "opening"."""

    def __init__(self, survey: Survey, ledger: Ledger, texts: Mapping[str, str]):
        self.survey = survey
        self.ledger = ledger
        self.texts = texts
        self.question = decision_question(survey)

    def pages(self, handout: Handout, items: Sequence[Item]) -> list[tuple[dict, dict]]:
        """Each item as far as it is open: its page item and the record of what was drawn."""
        opened = self.ledger.opened(handout.handle)
        decided: dict[int, dict[str, str]] = defaultdict(dict)
        for decision in self.ledger.decisions(handout.handle):
            decided[decision.item][decision.target] = decision.answer
        return [
            present(self.survey, item, number, handout.chance, Excerpt(opened.get(number, 1), decided[number]))
            for number, item in enumerate(items)
        ]

    def open(self, handout: Handout, items: Sequence[Item], body: Mapping[str, Any], now: float) -> int:
        """Open the exchange after `body["opened"]`, the number that the page has; returns the item's number.

        A page that has fewer than are open gets what is open and opens nothing, so asking twice opens one. Raises
        `Refusal`: 400 malformed, 409 all_open, decided (everything: nothing is left to look for).
        """
        number = self._number(body, items)
        opened = self.ledger.opened(handout.handle).get(number, 1)
        has = body.get("opened")
        if not isinstance(has, int) or isinstance(has, bool) or not 1 <= has <= opened:
            raise malformed("The number of open exchanges is not what is open.")
        if has == opened:
            if opened >= exchanges_of(items[number]):
                raise refusal("all_open", self.texts)
            decided = {d.target for d in self.ledger.decisions(handout.handle) if d.item == number}
            if decided >= set(self.question.targets):
                raise refusal("decided", self.texts)
            self.ledger.open_exchange(handout.handle, number, opened + 1, now)
        return number

    def decide(self, handout: Handout, items: Sequence[Item], body: Mapping[str, Any], now: float) -> int:
        """Record a decision; returns the item's number. The same one again changes nothing.

        Raises `Refusal`: 400 malformed, 409 decided (otherwise, before), not_yet (unsure while more can be opened).
        """
        number = self._number(body, items)
        target = body.get("target")
        if body.get("question") != self.question.name or target not in self.question.targets:
            raise malformed("A decision is about something that is not asked.")
        answer = clean_answer(self.question, body.get("answer"), 0)
        if not isinstance(answer, str):
            raise malformed("A decision needs an answer.")
        time = seconds(body.get("seconds"), "The decision")
        for earlier in self.ledger.decisions(handout.handle):
            if (earlier.item, earlier.target) == (number, target):
                if earlier.answer != answer:
                    raise refusal("decided", self.texts)
                return number
        opened = self.ledger.opened(handout.handle).get(number, 1)
        if answer == UNSURE and opened < exchanges_of(items[number]):
            raise refusal("not_yet", self.texts)
        self.ledger.decide(
            OpeningDecision(handout.handle, number, target, self.question.name, answer, opened, time, now)
        )
        return number

    def _number(self, body: Mapping[str, Any], items: Sequence[Item]) -> int:
        number = body.get("item")
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(items):
            raise malformed("There is no such item in this task.")
        return number

    def with_decisions(self, handout: Handout, body_items: Any) -> Any:
        """The items of a submission with the ledger's decisions in place of what the browser says of them.

        Raises `Refusal` 422 where a decision is missing. What is malformed is passed on for `check_items` to refuse.
        """
        if not isinstance(body_items, list):
            return body_items
        rows: dict[int, list[dict]] = defaultdict(list)
        for decision in self.ledger.decisions(handout.handle):
            rows[decision.item].append(
                {
                    "question": decision.question,
                    "target": decision.target,
                    "answer": decision.answer,
                    "seconds": decision.seconds,
                }
            )
        merged = []
        for row in body_items:
            if isinstance(row, dict) and isinstance(row.get("answers"), list) and isinstance(row.get("item"), int):
                if len(rows[row["item"]]) < len(self.question.targets):
                    raise incomplete(f"Item {row['item'] + 1}: decide for both entities first.")
                others = [
                    answer
                    for answer in row["answers"]
                    if not isinstance(answer, dict) or answer.get("question") != self.question.name
                ]
                row = {**row, "answers": rows[row["item"]] + others}
            merged.append(row)
        return merged

    def note(self, handout: Handout, kept: Sequence[dict]) -> None:
        """Add "opened" to the clean answers: the exchanges open at that decision; in the end, for other questions."""
        opened = self.ledger.opened(handout.handle)
        at = {
            (decision.item, decision.question, decision.target): decision.opened
            for decision in self.ledger.decisions(handout.handle)
        }
        for row in kept:
            for answer in row["answers"]:
                opened_at = at.get((row["item"], answer["question"], answer["target"]))
                answer["opened"] = opened_at or opened.get(row["item"], 1)
