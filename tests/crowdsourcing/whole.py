"""Studies of whole conversations for the tests of this room, and annotators who meet them: some know a control when
they see one, some always get it wrong, some never say why.
"""

import itertools
import random
from collections.abc import Callable
from pathlib import Path

from parlai_spotbot import checksums
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.crowdsourcing.platforms.in_house import InHouseDoor
from parlai_spotbot.crowdsourcing.server.page_server import PageServer, PageServerOptions
from parlai_spotbot.records import HUMAN, Item
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.controls import read_controls, write_controls
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.crowdsourcing.annotators import Annotator, Answer
from tests.crowdsourcing.crowdsource_process import talk
from tests.crowdsourcing.office import desk_of
from tests.spoken import bots_of

SURVEYS = ("acute_eval", "comparative", "dialogue_likert", "turn_likert")


def make_study(
    folder: Path,
    survey: str,
    each: int = 8,
    bots: int = 3,
    people: int = 16,
    talk: Callable = talk,
    named: str = "bot",
    **more,
) -> Study:
    """A study with `each` conversations of every pair of bots, and `people` between people; units and controls made,
    unless there is no `survey`.

    `talk` makes a conversation of a number and two entities; the bots' names begin with `named`.
    """
    names = [f"{named}{i}" for i in range(bots)]
    plan = Plan("invented", bots_of(names))
    study = Study.create(folder, plan)
    talks = [talk(n, pair[:: 1 if n % 2 else -1]) for pair in itertools.combinations(names, 2) for n in range(each)]
    talks += [talk(number, (HUMAN, HUMAN)) for number in range(people)]
    checksums.write_jsonl(study.conversations_path, talks)
    if not survey:
        return study
    with study.lock("tests"):
        pack_study(study, survey, unit_size=more.pop("unit_size", None), people=False, **more)
        write_controls(study.load(survey))
    return study


SECRET = bytes(range(32))


def served(study: Study, name: str, folder: Path, survey=None) -> PageServer:
    """A server on a real desk and ledger, with a crowd in memory."""
    (folder / "index.html").write_text("page")
    seeds = {talk.conversation_id: talk.seed_id for talk in study.conversations()}
    door = InHouseDoor(SECRET)
    paths = CollectionPaths(study, name)

    def desk():
        controls = read_controls(study.load(name))
        return desk_of(
            survey or get_survey(name), study.units(name), Ledger(paths.ledger), controls=controls, seeds=seeds
        )

    server = PageServer(desk, door, SECRET, PageServerOptions(folder, paths.log))
    server.tick_seconds = 0.5
    return server


def shown(transcripts: list[list[str]]) -> frozenset[tuple[str, ...]]:
    """What an item shows, whichever conversation stands first."""
    return frozenset(tuple(texts) for texts in transcripts)


def controls_of(study: Study, survey: str) -> dict[frozenset, Item]:
    """The study's controls by what they show."""
    return {shown([[u.text for u in t] for t in item.transcripts]): item for item in read_controls(study.load(survey))}


class Reader(Annotator):
    """Reads whole conversations. Of kind "careless" they miss every control."""

    def opinion(self, page: dict) -> Answer:
        control = self.known.get(shown([[turn["text"] for turn in t["turns"]] for t in page["transcripts"]]))
        rng = random.Random(f"{self.name} {page['item']}")
        right = self.kind != "careless"

        def answer(question: str, target: str) -> object:
            about = self.survey.question(question)
            if about.kind == "free_text":
                return f"because {self.name} says so"
            if control is None:
                return rng.choice([option.value for option in about.options])
            if len(control.transcripts) == 2:
                place = int(control.control[-1])
                return f"conversation:{place if right else 1 - place}"
            return "1" if right else "5"

        return answer
