"""The onboarding of a survey with exercises: attempts, each handed in once, marked on the server.

A survey with a training of several rounds has `training.Training` in the same place: both have `begins`, `page`,
`earlier` and `hand_in`.
"""

import hashlib
import hmac
from itertools import starmap
from typing import Any, NotRequired

from typing_extensions import TypedDict

from parlai_spotbot.crowdsourcing.desk.answer_checks import Count, check_items, malformed
from parlai_spotbot.crowdsourcing.desk.desk_inputs import DeskInputs
from parlai_spotbot.crowdsourcing.desk.grading import answers_of, exercises_of, right
from parlai_spotbot.crowdsourcing.desk.presentation import Excerpt, present
from parlai_spotbot.crowdsourcing.ledger.entries import PracticeAttempt, digest
from parlai_spotbot.records import Item, Utterance


class PracticeBody(TypedDict):
    """Answers to the exercises of an attempt, or to a round of a training; numbers count from 1."""

    items: Any
    attempt: Count
    round: NotRequired[Count]


def chance_of(secret: bytes, what: str, worker: str) -> str:
    """Return what draws names and sides of this annotator's exercises: the same at every visit."""
    return hmac.new(secret, f"{what} {worker}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()


class Practice:
    """The exercises of `survey`."""

    def __init__(self, inputs: DeskInputs):
        self.survey = inputs.survey
        self.refusal = inputs.refusal
        self.ledger = inputs.ledger
        self.secret = inputs.secret
        self.clock = inputs.clock
        self.begins = bool(self.survey.onboarding)
        """Whether there is anything to practise."""

    def page(self, worker: str) -> dict:
        """Return the session's "onboarding": the exercises of the current attempt."""
        attempt = len(self.ledger.attempts(worker))
        pages, _ = self._exercises(worker, attempt)
        limits = self.survey.limits
        needed = max(0, len(pages) - limits.onboarding_mistakes)
        return {"attempt": attempt + 1, "attempts": limits.onboarding_attempts, "needed": needed, "items": pages}

    def _exercises(self, worker: str, attempt: int) -> tuple[list[dict], list[dict]]:
        """Return the page items of an attempt, and what was drawn for each; only questions that have a key are put.

        A dialogue that annotators open themselves is shown whole in an exercise, so its page items are plain dialogues.
        """
        pages = []
        records = []
        for number, exercise in enumerate(exercises_of(self.survey, attempt)):
            shown = tuple(tuple(starmap(Utterance, turns)) for turns in exercise.transcripts)
            longest = (max(map(len, shown)) + 1) // 2
            item = Item("", (), longest, shown, judged=exercise.judged, candidates=exercise.candidates)
            put = Excerpt(questions={question for question, _, _ in exercise.key})
            chance = chance_of(self.secret, f"onboarding {attempt}", worker)
            page, record = present(self.survey, item, number, chance, put)
            if page.pop("opening", None):
                page["layout"] = "dialogue"
            pages.append(page)
            records.append(record)
        return pages, records

    def earlier(self, worker: str, body: PracticeBody) -> dict | None:
        """Return the result of an attempt that is marked already; None for the next one.

        Refusals: 400 malformed, 409 attempt (marked with other answers).
        """
        attempts = self.ledger.attempts(worker)
        number = body["attempt"]
        if not 1 <= number <= len(attempts) + 1:
            raise malformed("There is no such attempt.")
        if number > len(attempts):
            return None
        if digest(attempts[number - 1].body) != digest(body):
            raise self.refusal("attempt")
        return self._marked(worker, number - 1, body)

    def hand_in(self, worker: str, body: PracticeBody) -> dict:
        """Mark and record the next attempt; return its result."""
        attempt = body["attempt"] - 1
        result = self._marked(worker, attempt, body)
        mistakes = result["of"] - result["right"]
        attempt_made = PracticeAttempt(worker, attempt, dict(body), mistakes, result["passed"], self.clock())
        if result["passed"]:
            self.ledger.practise(attempt_made, "passed")
        elif body["attempt"] >= self.survey.limits.onboarding_attempts:
            self.ledger.practise(attempt_made, "stopped", "onboarding")
        else:
            self.ledger.practise(attempt_made, "new")
        return result

    def _marked(self, worker: str, attempt: int, body: PracticeBody) -> dict[str, Any]:
        """Return ``{"passed", "right": n, "of": m, "items": [{"item", "right", "unsure", "explanation"}]}``.

        An exercise is right if every answer that its key names is; `unsure` tells that one of them is no more than
        accepted. {entity:0} in an explanation becomes the name which the entity bore.
        """
        pages, records = self._exercises(worker, attempt)
        clean = check_items(self.survey, pages, body["items"])
        marked = []
        for number, exercise in enumerate(exercises_of(self.survey, attempt)):
            given = answers_of(clean[number])
            explanation = exercise.explanation
            good = all(right(self.survey.question(q), given.get((q, target)), ok) for q, target, ok in exercise.key)
            unsure = any(given.get((q, target)) == "unsure" and len(ok) == 2 for q, target, ok in exercise.key)
            for name, value in records[number].items():
                explanation = explanation.replace(f"{{{name}}}", value)
            marked.append({"item": number, "right": good, "unsure": unsure, "explanation": explanation})
        correct = sum(row["right"] for row in marked)
        passed = len(marked) - correct <= self.survey.limits.onboarding_mistakes
        return {"passed": passed, "right": correct, "of": len(marked), "items": marked}
