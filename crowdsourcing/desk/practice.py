"""The onboarding of a survey with exercises: attempts, each handed in once, marked on the server.

A survey with a training of several rounds has `training.Training` in the same place: both have `begins`, `page` and
`hand_in`.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from typing import Any

from parlai_spotbot.crowdsourcing.desk import grading
from parlai_spotbot.crowdsourcing.desk.answer_checks import check_items, malformed
from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.crowdsourcing.desk.desk_inputs import DeskRecords
from parlai_spotbot.crowdsourcing.ledger.entries import PracticeAttempt, digest
from parlai_spotbot.records import Item
from parlai_spotbot.surveys.survey import Survey

Allow = Callable[[], None]
"""Called before something new is taken; raises the `Refusal` where nothing is to be taken."""


def numbered(body: dict, name: str, default: int, most: int) -> int:
    """A whole number from 1 to `most` in a body; `Refusal` 400 for anything else."""
    number = body.get(name, default)
    if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= most:
        raise malformed(f"There is no such {name}.")
    return number


def chance_of(secret: bytes, what: str, worker: str) -> str:
    """Return what draws names and sides of this annotator's exercises: the same at every visit."""
    drawn = f"{what} {worker}".encode("utf-8", "surrogatepass")
    return hmac.new(secret, drawn, hashlib.sha256).hexdigest()


class Practice:
    """The exercises of `survey`."""

    def __init__(self, survey: Survey, records: DeskRecords, refusal: Callable[[str], Refusal]):
        self.survey, self.refusal = survey, refusal
        self.ledger, self.secret, self.clock = records.ledger, records.secret, records.clock

    @property
    def begins(self) -> bool:
        """Return whether there is anything to practise."""
        return bool(self.survey.onboarding)

    def page(self, worker: str) -> dict:
        """The session's "onboarding": the exercises of the attempt in hand."""
        attempt = len(self.ledger.attempts(worker))
        pages, _ = self.exercises(worker, attempt)
        return {"attempt": attempt + 1, "attempts": self.survey.limits.onboarding_attempts, "items": pages}

    def unmet(self, worker: str, controls: Sequence[Item]) -> Sequence[Item]:
        """The controls that are no part of what the annotator practised: all of them."""
        return controls

    def exercises(self, worker: str, attempt: int) -> tuple[list[dict], list[dict]]:
        """The page items of an annotator's attempt (from 0), and the records of what was drawn."""
        return grading.present_exercises(self.survey, attempt, chance_of(self.secret, f"onboarding {attempt}", worker))

    def hand_in(self, worker: str, body: dict, allow: Allow, pending: bool) -> dict:
        """Take and mark ``{"items", "attempt"}``; the same body again for an attempt that is marked gets the same.

        `pending`: the annotator is to practise now. Refusals: 400 malformed, 409 attempt, 422 incomplete, `allow`'s.
        """
        attempts = self.ledger.attempts(worker)
        number = numbered(body, "attempt", max(1, len(attempts) + pending), len(attempts) + 1)
        if number > len(attempts):
            allow()
        elif digest(attempts[number - 1].body) != digest(body):
            raise self.refusal("attempt")
        result = self._marked(worker, number - 1, body)
        if number > len(attempts):
            mistakes = result["of"] - result["right"]
            self._record(PracticeAttempt(worker, number - 1, body, mistakes, result["passed"], self.clock()))
        return result

    def _marked(self, worker: str, attempt: int, body: dict) -> dict[str, Any]:
        pages, records = self.exercises(worker, attempt)
        clean = check_items(self.survey, pages, body.get("items"))
        return grading.grade_exercises(self.survey, attempt, clean, records)

    def _record(self, attempt: PracticeAttempt) -> None:
        last = attempt.attempt + 1 >= self.survey.limits.onboarding_attempts
        standing = "passed" if attempt.passed else "stopped" if last else "new"
        self.ledger.attempt(attempt, standing, "onboarding" if standing == "stopped" else "")
