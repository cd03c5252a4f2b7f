"""The training of a task: rounds of one dialogue each, graded on the server turn by turn, the last of which decides.

ABC-Eval (2022, section 5 and appendix D). A round is handed in once, and no round is skipped or repeated: the ledger's
database sees to that. The gold labels and reasons of a round leave the server with its result
only. A further attempt is a dialogue that was never seen before.
"""

import sqlite3
from collections import Counter
from typing import Any

from parlai_spotbot.crowdsourcing.desk.answer_checks import check_items, malformed
from parlai_spotbot.crowdsourcing.desk.desk_inputs import DeskInputs
from parlai_spotbot.crowdsourcing.desk.grading import answers_of
from parlai_spotbot.crowdsourcing.desk.practice import PracticeBody, chance_of
from parlai_spotbot.crowdsourcing.desk.presentation import present
from parlai_spotbot.crowdsourcing.ledger.entries import TrainingRound, digest
from parlai_spotbot.records import Item
from parlai_spotbot.surveys.abc_eval.training import marks
from parlai_spotbot.surveys.packing.units_file import in_turn
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.surveys.tasks import BOT, GoldDialogue, rounds


def course_of(survey: Survey) -> list[list[GoldDialogue]]:
    """Return the dialogues of each possible attempt at a task's training, in order; the last one of each decides."""
    attempts = [list(rounds(survey.training, attempt)) for attempt in range(2)]
    return [golds for golds in attempts if golds]


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

    def __init__(self, inputs: DeskInputs):
        self.survey = survey = inputs.survey
        self.refusal = inputs.refusal
        self.team = inputs.team
        self.ledger = inputs.ledger
        self.secret = inputs.secret
        self.clock = inputs.clock
        self.task = survey.tasks[0]
        self.course = course_of(survey)
        self.attempts = min(survey.limits.onboarding_attempts, len(self.course))
        self.plan = [(attempt, number) for attempt, golds in enumerate(self.course) for number in range(len(golds))]
        self.begins = bool(self.plan)
        """Whether there is anything to practise."""

    def page(self, worker: str) -> dict:
        """Return the session's "onboarding": the current round, and earlier results with their dialogues."""
        done = self.ledger.sittings("worker = ?", worker)
        sitting = min(len(done), len(self.plan) - 1)
        place = self._place(sitting)
        return {
            **place,
            "attempts": max(self.attempts, place["attempt"]),
            "allowed": self.task.allowed,
            "handle": chance_of(self.secret, "handle {} {}".format(*self.plan[sitting]), worker)[:32],
            "items": [self._shown(worker, sitting)],
            "results": [self._result_shown(worker, sitting) for sitting in done if sitting.body],
        }

    def _place(self, sitting: int) -> dict:
        attempt, number = self.plan[sitting]
        return {"attempt": attempt + 1, "round": number + 1, "rounds": len(self.course[attempt])}

    def _shown(self, worker: str, sitting: int) -> dict:
        """Return the page item of a round; its dialogue belongs to no conversation of the study."""
        attempt, number = self.plan[sitting]
        gold = self.course[attempt][number]
        questions = tuple(self.task.questions)
        transcript = in_turn(turn.text for turn in gold.turns)
        item = Item(f"training {gold.id}", (), len(gold.turns) // 2, (transcript,), judged=(BOT,), questions=questions)
        return present(self.survey, item, 0, chance_of(self.secret, f"training {attempt} {number}", worker))[0]

    def _result_shown(self, worker: str, made: TrainingRound) -> dict:
        """Return the result of a graded round, as the annotator gets it."""
        result = {key: value for key, value in made.result.items() if key not in ("mistakes", "role", "seconds")}
        return {**result, **self._place(made.sitting), "item": self._shown(worker, made.sitting)}

    def earlier(self, worker: str, body: PracticeBody) -> dict | None:
        """Return the result of a round that is graded already; None for the next one.

        Nothing in the body but the answers decides how it is graded. Refusals: 400 malformed (a round that is not the
        next one, too), 409 attempt (graded with other answers).
        """
        done = self.ledger.sittings("worker = ?", worker)
        sitting = self._sitting(body)
        if sitting > len(done):
            raise malformed("A round of the training comes before this one.")
        if sitting == len(done):
            return None
        if digest(done[sitting].body) != digest(body):
            raise self.refusal("attempt")
        return self._result_shown(worker, done[sitting])

    def hand_in(self, worker: str, body: PracticeBody) -> dict:
        """Grade and record the next round; return its result."""
        sitting = self._sitting(body)
        attempt, number = self.plan[sitting]
        place = self._place(sitting)
        gold = self.course[attempt][number]
        [clean] = check_items(self.survey, [self._shown(worker, sitting)], body["items"])
        result = graded(gold, self.task.allowed, place["round"] == place["rounds"], answers_of(clean))
        passed = result["passed"]
        result |= {"attempt": attempt + 1, "round": number + 1, "role": gold.role, "seconds": clean["seconds"]}
        finished_round = TrainingRound(worker, sitting, gold.id, dict(body), result, passed, self.team, self.clock())
        try:
            if passed:
                self.ledger.practise(finished_round, "passed")
            elif passed is False and place["attempt"] >= self.attempts:
                self.ledger.practise(finished_round, "stopped", "training")
            else:
                self.ledger.practise(finished_round, "new")
        except sqlite3.IntegrityError as err:
            raise self.refusal("attempt") from err
        return self._result_shown(worker, finished_round)

    def _sitting(self, body: PracticeBody) -> int:
        place = (body["attempt"] - 1, body.get("round", 1) - 1)
        if place not in self.plan:
            raise malformed("There is no such round.")
        return self.plan.index(place)
