"""The training of a task: rounds of one dialogue each, graded on the server turn by turn, the last of which decides.

ABC-Eval (2022, section 5 and appendix D). A round is handed in once, and no round is skipped or repeated: the ledger's
database sees to that. Only what is handed in is told: the gold labels and reasons of a round leave the server with its
result. A further attempt is a dialogue that was never seen before.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from parlai_spotbot.crowdsourcing.desk.answer_checks import check_items, malformed
from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.crowdsourcing.desk.desk_inputs import DeskInputs
from parlai_spotbot.crowdsourcing.desk.grading import answers_of
from parlai_spotbot.crowdsourcing.desk.practice import PracticeBody, chance_of
from parlai_spotbot.crowdsourcing.desk.presentation import present
from parlai_spotbot.crowdsourcing.ledger.entries import TrainingRound, digest
from parlai_spotbot.records import Item
from parlai_spotbot.surveys.abc_eval.training import marks
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.surveys.tasks import BOT, GoldDialogue, rounds


def course_of(survey: Survey) -> list[list[GoldDialogue]]:
    """The dialogues of each attempt that is possible at a task's training, in order; the last one of each decides."""
    return [golds for golds in (list(rounds(survey.training, attempt)) for attempt in range(2)) if golds]


# -- the rounds --------------------------------------------------------------------------------------------------------
def gold_item(gold: GoldDialogue, questions: Sequence[str]) -> Item:
    """A gold dialogue as an item; it belongs to no conversation of the study."""
    return Item(
        f"training {gold.id}", (), len(gold.turns) // 2, (gold.transcript,), judged=(BOT,), questions=tuple(questions)
    )


def graded(gold: GoldDialogue, allowed: int, decides: bool, answers: dict[tuple[str, str], Any]) -> dict:
    """Return the result of a round, as the annotator gets it.

    Returns ``{"wrong_turns", "of", "allowed", "passed", "mistakes": {label: turns}, "turns": [{"turn", "right",
    "yours", "expected", "why"}]}``; `passed` is None where the round doesn't decide. A turn is right if it bears the
    gold labels and no other; a mistake is a label that was given without holding, or held without being given.
    """
    turns = marks(gold, answers)
    mistakes = Counter(label for mark in turns for label in (mark.given or frozenset()) ^ mark.gold)
    wrong = sum(not mark.right for mark in turns)
    return {
        "wrong_turns": wrong,
        "of": len(turns),
        "allowed": allowed,
        "passed": wrong <= allowed if decides else None,
        "mistakes": dict(sorted(mistakes.items())),
        "turns": [
            {
                "turn": mark.turn,
                "right": mark.right,
                "yours": sorted(mark.given or ()),
                "expected": sorted(mark.gold),
                "why": mark.why,
            }
            for mark in turns
        ],
    }


class Training:
    """The training of a survey that is narrowed to one task."""

    def __init__(self, inputs: DeskInputs, refusal: Callable[[str], Refusal]):
        self.survey = survey = inputs.survey
        self.refusal, self.team = refusal, inputs.team
        self.ledger, self.secret, self.clock = inputs.ledger, inputs.secret, inputs.clock
        self.task = survey.tasks[0]
        self.course = course_of(survey)
        self.attempts = min(survey.limits.onboarding_attempts, len(self.course))
        self.plan = [(attempt, number) for attempt, golds in enumerate(self.course) for number in range(len(golds))]
        self.begins = bool(self.plan)
        """Whether there is anything to practise."""

    def page(self, worker: str) -> dict:
        """The session's "onboarding": the round in hand, and the results of those handed in, with their dialogues."""
        done = self.ledger.sittings("worker = ?", worker)
        attempt, number = self.plan[min(len(done), len(self.plan) - 1)]
        page, _ = self._present(worker, attempt, number)
        return {
            "attempt": attempt + 1,
            "attempts": max(self.attempts, attempt + 1),
            "round": number + 1,
            "rounds": len(self.course[attempt]),
            "allowed": self.task.allowed,
            "handle": chance_of(self.secret, f"handle {attempt} {number}", worker)[:32],
            "items": [page],
            "results": [self._told(worker, sitting) for sitting in done if sitting.body],
        }

    def _present(self, worker: str, attempt: int, number: int) -> tuple[dict, dict]:
        item = gold_item(self.course[attempt][number], self.task.questions)
        return present(self.survey, item, 0, chance_of(self.secret, f"training {attempt} {number}", worker))

    def _told(self, worker: str, sitting: TrainingRound) -> dict:
        """Return what the annotator is told of a round that is graded."""
        attempt, number = self.plan[sitting.sitting]
        page, _ = self._present(worker, attempt, number)
        place = {"attempt": attempt + 1, "round": number + 1, "rounds": len(self.course[attempt])}
        value_by_key = {
            key: value for key, value in sitting.result.items() if key not in ("mistakes", "role", "seconds")
        }
        return {**value_by_key, **place, "item": page}

    def earlier(self, worker: str, body: PracticeBody) -> dict | None:
        """Return the result of a round that is graded already; None for the next one.

        Nothing in the body but the answers decides how it is graded. Refusals: 400 malformed (a round that is not the
        next one, too), 409 attempt (graded with other answers).
        """
        done, sitting = self.ledger.sittings("worker = ?", worker), self._sitting(body)
        if sitting > len(done):
            raise malformed("A round of the training comes before this one.")
        if sitting == len(done):
            return None
        if digest(done[sitting].body) != digest(body):
            raise self.refusal("attempt")
        return self._told(worker, done[sitting])

    def hand_in(self, worker: str, body: PracticeBody) -> dict:
        """Grade and record the next round; return its result."""
        attempt, number = self.plan[self._sitting(body)]
        grading = self._graded(worker, attempt, number, body)
        over = grading.passed is False and attempt + 1 >= self.attempts
        standing = "passed" if grading.passed else "stopped" if over else "new"
        try:
            self.ledger.practise(grading, standing, "training" if over else "")
        except sqlite3.IntegrityError as err:
            raise self.refusal("attempt") from err
        return self._told(worker, grading)

    def _sitting(self, body: PracticeBody) -> int:
        place = (body["attempt"] - 1, body.get("round", 1) - 1)
        if place not in self.plan:
            raise malformed("There is no such round.")
        return self.plan.index(place)

    def _graded(self, worker: str, attempt: int, number: int, body: PracticeBody) -> TrainingRound:
        golds = self.course[attempt]
        page, _ = self._present(worker, attempt, number)
        [clean] = check_items(self.survey, [page], body["items"])
        decides = number + 1 == len(golds)
        result = graded(golds[number], self.task.allowed, decides, answers_of(clean))
        result |= {"attempt": attempt + 1, "round": number + 1, "role": golds[number].role}
        result["seconds"] = clean["seconds"]
        place = self.plan.index((attempt, number))
        return TrainingRound(
            worker, place, golds[number].id, dict(body), result, result["passed"], self.team, self.clock()
        )
