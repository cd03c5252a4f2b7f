"""Six small studies whose right answers are known, because whoever made them knows whom the annotators like.

    .venv/bin/python -m tests.six_studies.six_studies FOLDER [NAME …]

Four bots without neural models talk to each other, once for all six. People answer at a desk and are collected, as in a
study by people; judges answer by the road of all judges. Who is first, how sure that is and what comes next is in
answers.yaml beside this file, by what is set here.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from unittest import mock

from parlai_spotbot.crowdsourcing.collect import collect
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.desk.contract import Visitor
from parlai_spotbot.crowdsourcing.platforms.tokens import read_secret
from parlai_spotbot.judges import Judge
from parlai_spotbot.judges.run import judge_study
from parlai_spotbot.records import HUMAN, Item, Judgement, Unit, indexed
from parlai_spotbot.scripts.spotbot_analyze import SpotbotAnalyze
from parlai_spotbot.scripts.spotbot_judge import SpotbotJudge
from parlai_spotbot.scripts.spotbot_pack import SpotbotPack
from parlai_spotbot.scripts.spotbot_report import SpotbotReport
from parlai_spotbot.scripts.spotbot_selfchat import SpotbotSelfchat
from parlai_spotbot.study import Study, SurveyFiles
from parlai_spotbot.surveys import survey_of
from parlai_spotbot.surveys.asking import asked_of_item
from parlai_spotbot.surveys.controls import read_controls, truth, write_controls
from parlai_spotbot.surveys.controls.control import KNOWN_BETTER
from parlai_spotbot.surveys.survey import Question
from tests.crowdsourcing.office import Office, answers

SURVEY = "spot_the_bot"
POOL = """\
tfidf: {model: spotbot:tfidf}
alice: {model: spotbot:alice}
eliza: {model: spotbot:eliza}
parrot: {model: repeat_query}
"""
PER_PAIR, PEOPLE = 8, 24
BOOTSTRAPS = 100

APART = {HUMAN: 1.6, "tfidf": 1.5, "alice": 0.5, "eliza": -0.3, "parrot": -1.5}
"""How much whom is liked where every two bots differ by far; one is the noise of a single answer."""

ALIKE = {HUMAN: 1.5, **dict.fromkeys(("tfidf", "alice", "eliza", "parrot"), -0.2)}
"""And where no bot differs from another."""

SHARP = {HUMAN: 1.9, "tfidf": 0.4, "alice": -0.3, "eliza": -1.0, "parrot": -1.8}
"""How a good judge takes whom for human: people above the threshold of 0.5, all bots below."""

DULL = {name: 0.5 + (liking - 0.5) / 4 for name, liking in SHARP.items()}
"""The same with four times the noise."""

SLIP = 0.02
"""How often people answer a question of a control by chance."""


def chosen(question, target, item, talks, rng, liked):
    """What somebody answers who goes by whom they like, or by chance where they like nobody."""
    values = [option.value for option in question.options]
    if not values:
        return "it listens"
    if liked is None:
        return rng.choice(values)
    first = talks[item.conversation_ids[0]]
    if question.kind == "scale":
        return str(min(5, max(1, round(3 + liked[first.entities[int(target[-1])]] + rng.gauss(0, 0.8)))))
    if question.name == "nature":
        return "human" if liked[first.entities[int(target[-1])]] + rng.gauss(0, 1) > 0.5 else "bot"
    names = list(first.entities)
    if len(item.conversation_ids) == 2:
        names = [talks[c].entities[e] for c, e in zip(item.conversation_ids, item.judged, strict=True)]
    lead = liked[names[0]] - liked[names[1]] + rng.gauss(0, 1)
    if abs(lead) < 0.3 and len(values) > 2:
        return next(value for value in values if value[-1] not in "01")
    return next(value for value in values if value.endswith("0" if lead > 0 else "1"))


# -- people ------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class People:
    """Annotators who go by what they like, and know a control when they see one, but for a slip now and then.

    There are `many` at most, each does so many `units` at most; an item takes them `seconds`, more or less.
    """

    liked: Mapping[str, float]
    many: int = 40
    units: int = 3
    seconds: float = 40.0

    def answer(self, study: Study, survey: str) -> None:
        """Answer a study's units at a desk until there are none, and collect the answers."""
        with study.lock("people"), mock.patch("secrets.token_hex", drawn_by(f"{study.path.name} {survey}")):
            write_controls(study.load(survey))
            paths = CollectionPaths(study, survey)
            paths.make()
            read_secret(paths.secret, make=True)
            room = Room(study, survey, paths.ledger)
            for number in range(self.many):
                rng = random.Random(f"{study.path.name} {survey} {number}")
                for _ in range(self.units):
                    if not self._one_unit(room, Visitor(f"annotator-{number:02d}"), rng):
                        break
            room.office.ledger.close()
            collect(study, survey)

    def _one_unit(self, room: Room, visitor: Visitor, rng: random.Random) -> bool:
        """Whether there was one."""
        unit = room.office.desk.next_unit(visitor).get("unit")
        if unit is None:
            return False
        rows = []
        for page, item in room.shown(unit):
            seconds = round(self.seconds * rng.uniform(0.6, 1.6), 1)
            say = partial(self.say, room, item, rng)
            rows.append(timed(answers(room.asked, page, say), seconds))
            room.office.clock.pass_by(seconds)
        body = {"unit": unit["unit"], "items": rows, "comment": "", "texts_language": "en"}
        return room.office.desk.submit(visitor, body)["accepted"]

    def say(self, room: Room, item: Item, rng: random.Random, question: str, target: str) -> str:
        """The answer to a question about a target."""
        about = room.asked.question(question)
        if item.control:
            options = [option.value for option in about.options]
            return rng.choice(options) if options and rng.random() < SLIP else known(item.control, about, target)
        return chosen(about, target, item, room.talks, rng, self.liked)


class Careless(People):
    """Says "human" and "no difference", whatever there is to read."""

    def say(self, room: Room, item: Item, rng: random.Random, question: str, target: str) -> str:
        return "human" if question == "nature" else "no_difference"


class Room:
    """A desk in a study, with the items that it hands out and the conversations that they are of."""

    def __init__(self, study: Study, survey: str, ledger: Path):
        units, controls, talks = study.units(survey), read_controls(study.load(survey)), study.conversations()
        self.asked = replace(survey_of(study.load(survey)), consent=(), onboarding=())
        self.office = Office(self.asked, units, controls, talks, ledger)
        self.items = {item.item_id: item for item in [*controls, *(item for unit in units for item in unit.items)]}
        self.talks = indexed(talks)

    def shown(self, unit: dict) -> Iterator[tuple[dict, Item]]:
        """The items of a unit as the page has them, and as they are."""
        (handout,) = self.office.ledger.handouts("handle = ?", unit["unit"])
        for page in unit["items"]:
            yield page, self.items[handout.items[page["item"]]]


def timed(row: dict, seconds: float) -> dict:
    """Answers to an item that took so many seconds in all."""
    each = [{**one, "seconds": round(seconds / len(row["answers"]), 2)} for one in row["answers"]]
    return {**row, "answers": each, "seconds": seconds}


def known(control: str, question: Question, target: str) -> str:
    """What is right of a control: who is human, that a person is better than a bot, that a bot that loops is bad."""
    natures = truth(control) if control not in KNOWN_BETTER else ()
    if question.name == "nature":
        return natures[int(target[-1])]
    if question.kind == "scale":
        return "1"
    values = [option.value for option in question.options]
    better = str(natures.index("human")) if "human" in natures else control[-1] if not natures else values[-1]
    return next((value for value in values if value.endswith(better)), "one of them loops")


def drawn_by(seed: str) -> Callable[[int], str]:
    """Instead of ``secrets.token_hex``: the same names of hand-outs, so the same study, whenever it is made."""
    rng = random.Random(seed)
    return lambda size: rng.randbytes(size).hex()


# -- judges ------------------------------------------------------------------------------------------------------------
class Scripted(Judge):
    """A judge who goes by what it likes, or by chance where it likes nobody, and is killed after so many units."""

    answers_per_item = 5

    def __init__(self, name: str, liked: Mapping[str, float] | None, killed_after: int | None = None):
        super().__init__()
        self.name, self.liked, self.left = name, liked, killed_after
        self.workers = (f"{name}-1", f"{name}-2")

    def prepare(self, data: SurveyFiles, progress: bool = True) -> None:
        self.asked, self.talks = (survey_of(data), indexed(data.conversations))

    def answer(self, unit: Unit) -> list[Judgement]:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left = None if self.left is None else self.left - 1
        rng, rows = random.Random(f"{self.name} {unit.unit_id}"), []
        for item in unit.items:
            given: dict = {}
            while todo := [pair for pair in asked_of_item(self.asked, item, given) if pair not in given]:
                for question, target in todo:
                    about = self.asked.question(question)
                    given[question, target] = chosen(about, target, item, self.talks, rng, self.liked)
            rows += [self.judgement(unit, item, target, question, said) for (question, target), said in given.items()]
        return rows

    def describe(self) -> dict:
        return {"trained_on": "nothing", "variants": {worker: {"description": "scripted"} for worker in self.workers}}


# -- the studies -------------------------------------------------------------------------------------------------------
def demo(study: Path) -> None:
    """The spotter alone, as in the demo."""
    SpotbotPack.main(study=str(study))
    SpotbotJudge.main(study=str(study), judges="spotter")
    SpotbotAnalyze.main(study=str(study), bootstraps=BOOTSTRAPS)


def clear(study: Path) -> None:
    """People who like every bot much better than the next one."""
    by_people(study, People(APART))


def unsettled(study: Path) -> None:
    """People who like all bots alike."""
    by_people(study, People(ALIKE))


def judges(study: Path) -> None:
    """A good judge, one that guesses, one with four times the noise, and a good one that was killed; no people."""
    SpotbotPack.main(study=str(study))
    opened = Study.open(study)
    quarter = len(opened.units(SURVEY)) // 4
    found = [
        Scripted("good", SHARP),
        Scripted("coin", None),
        Scripted("fair", DULL),
        Scripted("killed", SHARP, quarter),
    ]
    for judge in found:
        with opened.lock("judges"), contextlib.suppress(KeyboardInterrupt):
            judge_study(opened.load(SURVEY), judge, progress=False)
    SpotbotAnalyze.main(study=str(study), bootstraps=BOOTSTRAPS)


def surveys(study: Path) -> None:
    """Three ways to ask people who like every bot much better than the next one."""
    for survey, more in THREE.items():
        by_people(study, People(APART, units=1 if survey == "acute_eval" else 3), survey, **more)


def careless(study: Path) -> None:
    """One annotator, twelve segments and two controls, a second each, everything human."""
    by_people(study, Careless(APART, many=1, units=1, seconds=1.0), unit_size=12, humans_per_unit=4)


THREE = {SURVEY: {}, "acute_eval": {"comparisons": 12}, "dialogue_likert": {"ask": "quality,consistency,relevance"}}
"""Surveys of one study, and how each is packed."""

STUDIES: dict[str, Callable[[Path], None]] = {
    made.__name__: made for made in (demo, clear, unsettled, judges, surveys, careless)
}


def by_people(study: Path, people: People, survey: str = SURVEY, **pack: object) -> None:
    """Pack a survey, let people answer it, analyse what they said."""
    SpotbotPack.main(study=str(study), survey=survey, **pack)
    people.answer(Study.open(study), survey)
    SpotbotAnalyze.main(study=str(study), survey=survey, bootstraps=BOOTSTRAPS)


def play(folder: Path) -> Path:
    """The conversations of all six studies: bots with each other and with themselves, people with people."""
    pool, path = folder / "pool.yaml", folder / "conversations"
    pool.write_text(POOL, encoding="utf-8")
    common = ("--study", path, "--pool", pool, "--conversations-per-pair", PER_PAIR, "--exchanges", 5)
    for more in (("--human-conversations", PEOPLE), ("--self",)):
        SpotbotSelfchat.main(*map(str, (*common, *more)))
    return path


def make(name: str, played: Path, folder: Path) -> Study:
    """The study of this name in a folder, from conversations that `play` made."""
    path = folder / name
    shutil.copytree(played, path, ignore=shutil.ignore_patterns(".lock"))
    STUDIES[name](path)
    return Study.open(path)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    played = folder / "conversations"
    if not played.exists():
        play(folder)
    for name in sys.argv[2:] or STUDIES:
        study = make(name, played, folder)
        SpotbotReport.main(study=str(study.path))
