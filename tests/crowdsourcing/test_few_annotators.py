"""Two colleagues: what they can do of a study is said, and each command that is offered lets them finish it."""

import re
import shlex
import time
from dataclasses import replace

import pytest
from in_process import spotbot

from parlai_spotbot.crowdsourcing import dry_run, few_annotators
from parlai_spotbot.crowdsourcing.dry_run import Workload
from parlai_spotbot.crowdsourcing.settings import LaunchSettings
from parlai_spotbot.records import Item, Judgement, Unit, Utterance
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey

SURVEY = get_survey("spot_the_bot")


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "s"
    spotbot("selfchat", "--pool", "rules", "--conversations-per-pair", 8, "--study", path)
    spotbot("pack", "--study", path)
    return path


def dry(study, *more):
    return spotbot("crowdsource", "--study", study, "--annotators", 2, "--dry-run", *more)[0]


@pytest.mark.slow
def test_each_offer_is_a_command_after_which_two_can_do_all(study):
    said = dry(study)
    assert "2 annotators can do 4 of the 12 units: nobody does more than 3, nor meets a conversation" in said
    offers = re.findall(r"^    parlai spotbot_(.*)$", said, re.M)
    assert [offer.partition("spot_the_bot ")[2] for offer in offers] == [
        "--segments 5",
        "--segments 5 --annotators-per-segment 1",
    ]
    for offer in offers:
        spotbot(*shlex.split(offer))
        said = dry(study)
        assert int(re.search(r"annotators +(\d+) or more", said)[1]) <= 2
        assert "can do" not in said
    assert "annotations  32 in them" in said


def units(count, clash=""):
    shown = ((Utterance(0, "hi"), Utterance(1, "ho")),)
    return [
        Unit(f"u{i}", SURVEY.name, f"b{i}", 0, 0, (Item(f"i{i}", (clash or f"c{i}",), 1, shown),)) for i in range(count)
    ]


def offered(people, work, tmp_path):
    found = dry_run.estimate(LaunchSettings(), SURVEY, work)
    return few_annotators.said(people, found, work, SURVEY, Study(tmp_path, None, None))


def test_more_units_a_person_is_offered_where_that_is_enough(tmp_path):
    said = offered(2, Workload(units(20)), tmp_path)
    assert said[0].startswith("2 annotators can do 6 of the 20 units: nobody does more than 3,")
    assert said[-1] == "    in the file of --config: limits: {units_per_annotator: 10}"
    assert len(said) == 4
    assert dry_run.annotators_needed(Workload(units(20)).marks, 10) == 2
    assert offered(7, Workload(units(20)), tmp_path) == []


def test_nothing_is_packed_anew_once_people_have_begun_and_what_cant_be_done_is_said(tmp_path):
    made = units(6, clash="the same conversation")
    made = [replace(unit, rotation=number % 3, replicate=number // 3) for number, unit in enumerate(made)]
    row = Judgement("j", "a", SURVEY.name, "u", "i", ("c",), 1, "pair", "fluency", "x", "w", "human")
    assert "annotators-per-segment 1" in "".join(offered(3, Workload(made), tmp_path))
    said = offered(3, Workload(made, judgements=[row]), tmp_path)
    assert said[1:] == ["whatever is left out, 3 can't do them all: ask 6"]


def test_what_a_few_can_do_of_ten_thousand_units_is_found_at_once(tmp_path):
    shown = ((Utterance(0, "hi"), Utterance(1, "ho")),)
    made = [
        Unit(f"u{i}", SURVEY.name, f"b{i // 6}", i % 6 // 2, i % 2, tuple(
            Item(f"i{i}-{c}", (f"c{i // 6}-{c}",), 2 + i % 3, shown) for c in range(20)
        ))
        for i in range(10_002)
    ]  # fmt: skip
    began = time.process_time()
    said = offered(20, Workload(made), tmp_path)
    assert said[0].startswith("20 annotators can do 60 of the 10002 units")
    assert time.process_time() - began < 2.5
