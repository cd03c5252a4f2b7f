"""Next-Utterance Classification among people: a packed study, its desk on the study's own ledger, and who picks."""

import time
from collections.abc import Callable
from pathlib import Path

import yaml

from parlai_spotbot.crowdsourcing.collection_paths import GROUP, CollectionPaths
from parlai_spotbot.crowdsourcing.desk.desk import Desk
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.crowdsourcing.platforms.tokens import read_secret
from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import survey_of
from parlai_spotbot.surveys.controls import read_controls, write_controls
from parlai_spotbot.surveys.controls.checks import checks
from parlai_spotbot.surveys.nuc_questions import write_questions
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.analysis.made_up import questions
from tests.crowdsourcing import office
from tests.spoken import bots_of

NAME = "nuc"
REPLIES = {tuple(check["turns"]): check["reply"] for check in checks()}
"""The right reply of each attention check, by its turns."""


def make_study(folder: Path, unit_size: int = 4, annotators: int = 1, **groups: dict) -> Study:
    """A study for so many people a question, or for `groups`, as a file of groups says them; no
    conversations, for the questions are of other corpora."""
    pool = bots_of(("eliza", "alice"), "spotbot:{}")
    study = Study.create(folder, Plan("chitchat", pool, seed=5))
    write_questions(study.path / "nuc" / "questions.jsonl", [*questions("movies", 40), *questions("ubuntu", 40)])
    wanted = {}
    if groups:
        path = folder / "groups.yaml"
        path.write_text(yaml.safe_dump({"subject": "Ubuntu", "groups": groups}), encoding="utf-8")
        wanted["groups"] = path
    pack_study(study, NAME, unit_size=unit_size, annotators_per_segment=annotators, **wanted)
    write_controls(study.load(NAME))
    return study


def desk_of(study: Study, group: str = "", clock: Callable = time.time, **limits: object) -> Desk:
    """The desk of a group, as a launch makes it."""
    paths = CollectionPaths(study, NAME, group and GROUP + group)
    paths.make()
    survey = LaunchSettings(limits=limits).survey(survey_of(study.load(NAME)))
    units = [unit for unit in study.units(NAME) if unit.group == group]
    more = {"controls": read_controls(study.load(NAME)), "secret": read_secret(paths.secret, make=True), "clock": clock}
    return office.desk_of(survey, units, Ledger(paths.ledger), **more)


def pick(page: dict, place: int = 0, wrong_checks: bool = False) -> dict:
    """ITEM_ANSWERS: in a check the right reply first, else the one at `place` on the page; then the one after it."""
    shown = page["candidates"]
    right = REPLIES.get(tuple(turn["text"] for turn in page["transcripts"][0]["turns"]))
    if right is not None:
        place = [one["text"] for one in shown].index(right) + int(wrong_checks)
    chosen = [shown[(place + more) % len(shown)]["value"] for more in (0, 1)]
    rows = [
        {"question": name, "target": "conversation:0", "answer": value, "seconds": 2.5, "changes": 0}
        for name, value in zip(("first", "second"), chosen, strict=True)
    ]
    return {"item": page["item"], "answers": rows, "seconds": 20.0, "comment": ""}


def body_of(unit: dict, about: dict | None = None, **how: object) -> dict:
    """A whole submission; `about` are answers to the questionnaire."""
    told = [{"question": name, "target": "annotator", "answer": value} for name, value in (about or {}).items()]
    return {
        "unit": unit["unit"],
        "items": [pick(page, **how) for page in unit["items"]],
        "comment": "",
        "questionnaire": told,
    }
