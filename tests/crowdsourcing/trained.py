"""What the tests of ABC-Eval's tasks share: a study packed task by task, desks of one task, and annotators who know the
gold labels and can be as wrong as is asked.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path

from parlai_spotbot.crowdsourcing.desk.training import course_of
from parlai_spotbot.records import Item, Unit, Utterance
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.abc_eval.labels import LABELS, QUESTIONS
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.surveys.tasks import GoldDialogue
from tests.analysis.made_up import answers_for
from tests.crowdsourcing.annotators import Annotator, Answer
from tests.crowdsourcing.crowdsource_process import talk
from tests.crowdsourcing.office import Office, answers

SURVEY = "abc_eval"


def narrowed(task: str, **limits: object) -> Survey:
    """The survey narrowed to a task, with other limits."""
    survey = get_survey(SURVEY).task(task)
    return replace(survey, limits=replace(survey.limits, **limits))


def other_labels(task: str, labels: Collection[str]) -> set[str]:
    """Labels that are not these, but are possible."""
    return set() if labels else {LABELS[task][0]}


def key_of_gold(gold: GoldDialogue, wrong: Collection[int]) -> Callable[[str, str], object]:
    """Answers by (question, target): the gold ones, but for the bot's turns of these places, from 0."""
    return by_key(gold.task, gold.key, wrong)


def by_key(task: str, key: dict[int, Collection[str]], wrong: Collection[int] = ()) -> Callable[[str, str], object]:
    given = {
        f"turn:{turn}": answers_for(task, frozenset(other_labels(task, labels) if place in wrong else labels))
        for place, (turn, labels) in enumerate(key.items())
    }
    return lambda question, target: given[target].get(question)


def filled(survey: Survey, page: dict, answer: Callable[[str, str], object]) -> dict:
    """ITEM_ANSWERS to a page item."""
    return {**answers(survey, page, answer), "seconds": 61.5}


def round_body(survey: Survey, session: dict, wrong: Collection[int] = ()) -> dict:
    """The body of the round in hand, annotated by its key but for the turns `wrong`."""
    about = session["onboarding"]
    gold = course_of(survey)[about["attempt"] - 1][about["round"] - 1]
    page = about["items"][0]
    assert [turn["text"] for turn in page["transcripts"][0]["turns"]] == [turn.text for turn in gold.turns]
    return {
        "items": [filled(survey, page, key_of_gold(gold, wrong))],
        "attempt": about["attempt"],
        "round": about["round"],
    }


def item_of(number: int, task: str, exchanges: int = 3) -> Item:
    """A conversation of so many exchanges of which the second speaker is annotated."""
    turns = tuple(Utterance(i % 2, f"turn {i} of talk {number}") for i in range(2 * exchanges))
    return Item(f"item-{number}", (f"talk-{number}",), exchanges, (turns,), judged=(1,), questions=QUESTIONS[task])


def units_of(task: str, number: int, repeated: int = 0) -> list[Unit]:
    """Units of one conversation each; the first `repeated` of them a second time."""
    first = [Unit(f"unit-{n}-0", SURVEY, f"block-{n}", 0, 0, (item_of(n, task),)) for n in range(number)]
    return first + [Unit(f"unit-{n}-1", SURVEY, f"block-{n}", 0, 1, (item_of(n, task),)) for n in range(repeated)]


def office_of(folder: Path, task: str, units: int = 4, repeated: int = 0, **limits: object) -> Office:
    """A desk of one task, on a ledger in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    made = units_of(task, units, repeated)
    return Office(narrowed(task, **limits), made, [], (), folder / "ledger.db")


class Trained(Annotator):
    """Somebody who comes in over HTTP, passes the training of a task and annotates; of kind "careless", fails it."""

    def practised(self, session: dict) -> dict:
        return round_body(self.survey, session, range(99) if self.kind == "careless" else ())

    def opinion(self, page: dict) -> Answer:
        """Anything possible, drawn turn by turn."""
        task = self.survey.tasks[0].name
        labels = {n: self.rng.choice([(), LABELS[task][:1]]) for n in range(len(page["transcripts"][0]["turns"]))}
        return by_key(task, labels)

    def answered(self, page: dict, answer: Answer) -> dict:
        return filled(self.survey, page, answer)


__all__ = ["Trained", "talk"]


def annotate(desk, visitor, comment=""):
    """Do a unit. Returns (unit, answer)."""
    unit = desk.next_unit(visitor)["unit"]
    task = desk.survey.tasks[0].name

    def answered(page):
        turns = page["transcripts"][0]["turns"]
        return filled(desk.survey, page, by_key(task, dict.fromkeys(range(len(turns)), ())))

    body = {"unit": unit["unit"], "items": list(map(answered, unit["items"])), "comment": comment}
    return unit, desk.submit(visitor, body)
