"""Which of three wordings? From a YAML file over packing and answers to what the analysis and the report say."""

import json
import random

import pytest
import yaml

from parlai_spotbot import checksums
from parlai_spotbot.crowdsourcing.desk.available_units import UnitStock
from parlai_spotbot.records import HUMAN, Contestant
from parlai_spotbot.scripts.spotbot_analyze import SpotbotAnalyze
from parlai_spotbot.scripts.spotbot_pack import SpotbotPack
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys.packing.units_file import marks_of
from tests.analysis.made_up import talk
from tests.spoken import rows_of_item

NAME = "talk"
TEXTS = {
    "longer": ("Whom would you like to talk to longer?", "I would talk longer to {name}"),
    "kinder": ("Whom would you like to talk to again?", "I would talk again to {name}"),
    "vague": ("Who is the more modern of the two?", "{name} is more modern"),
}
SURVEY = {
    "base": "acute_eval",
    "name": NAME,
    "spread": "units",
    "about": {"findings": ["choices", "choices.wordings"]},
    "asked": list(TEXTS),
    "questions": [
        {
            **{"name": name, "kind": "choice", "targets": ["pair"], "wording": wording},
            "options": [{"value": f"conversation:{n}", "label": option} for n in (0, 1)],
        }
        for name, (wording, option) in TEXTS.items()
    ],
}
RIGHT = {"longer": 0.93, "kinder": 0.9, "vague": 0.5}
PAIRS = 24


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Self-chats of a bot, people's conversations, three wordings for the same pairs, and scripted answers to all."""
    folder = tmp_path_factory.mktemp("wordings")
    contestants = {"dr": Contestant("dr", model="spotbot:dr")}
    study = Study.create(folder / "study", Plan("chitchat", contestants, meetings="self", seed=3))
    chats = [talk(f"{name}-{i}", (name, name)) for name in ("dr", HUMAN) for i in range(40)]
    checksums.write_jsonl(study.conversations_path, chats)
    (folder / "talk.yaml").write_text(yaml.safe_dump(SURVEY))
    words = ["--study", str(study.path), "--survey", str(folder / "talk.yaml"), "--comparisons", str(PAIRS)]
    SpotbotPack.main(*words, "--annotators-per-item", "2", "--unit-size", "4")
    study = Study.open(study.path)
    checksums.write_jsonl(study.judgements_path(NAME), answered(study))
    return study


def answered(study):
    """Everybody gets one unit, as the server chooses it, and finds the person as often as the wording lets them."""
    stock, rng, found = UnitStock(study.units(NAME), {}), random.Random(8), []
    for number in range(len(stock.units)):
        worker = f"w{number}"
        unit = stock.units[stock.choose(worker)]
        stock.take(unit.unit_id)
        stock.bar(worker, [*marks_of(unit.items, {}), f"block {unit.block_id}"])
        stock.finish(unit.unit_id)
        for item in unit.items:
            question = item.questions[0]
            person = next(place for place, name in enumerate(item.conversation_ids) if name.startswith(HUMAN))
            chosen = person if rng.random() < RIGHT[question] else 1 - person
            given = {(question, "pair"): f"conversation:{chosen}", ("reason", "pair"): "it listens"}
            places = {"place:0": "left", "place:1": "right"}
            found += rows_of_item(
                f"{worker}-{item.item_id}", unit, item, worker, given, presentation=places, seconds=60.0
            )
    assert stock.done == set(stock.units)
    return found


@pytest.fixture(scope="module")
def wordings(study):
    SpotbotAnalyze.main(study=str(study.path), survey=NAME, bootstraps=60, known_order="human>dr")
    return json.loads((study.analysis_path(NAME) / "wordings.json").read_text())["tables"]


def test_wordings_are_compared_on_the_same_pairs(wordings):
    rows = {row["question"]: row for row in wordings["wordings"]}
    assert set(rows) == set(RIGHT)
    for name, row in rows.items():
        assert row["source"] == HUMAN
        assert (row["n"], row["pairs"]) == (2 * PAIRS, PAIRS)
        assert row["estimate_low"] < RIGHT[name] < row["estimate_high"]
        assert 0 <= row["alike"] <= 1  # two annotators answered each wording of each pair
    assert all(row["pairs"] == PAIRS for row in wordings["differences"])
    assert rows["vague"]["text"] == "Who is the more modern of the two?"
    assert wordings["whole"] == [{"source": HUMAN, "known": [[HUMAN, "dr"]]}]


def test_differences_that_mean_something_are_told_from_those_that_may_be_chance(wordings):
    clear = {frozenset((row["a"], row["b"])): row["p_adjusted"] < 0.05 for row in wordings["differences"]}
    assert clear == {
        frozenset(("longer", "vague")): True,
        frozenset(("kinder", "vague")): True,
        frozenset(("longer", "kinder")): False,
    }
