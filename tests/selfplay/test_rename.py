"""A contestant that is renamed bears its new name everywhere but in files, and goes on as what it was."""

import json
import shutil

import pytest
from test_how_it_is_played import BOTS, asked, run

from parlai_spotbot.errors import UserError
from parlai_spotbot.judges.run import judge_study
from parlai_spotbot.judges.spotter import examples
from parlai_spotbot.records import Contestant
from parlai_spotbot.scripts.spotbot_contestants import SpotbotContestants
from parlai_spotbot.selfplay.plan import SelfPlayRequest, decide
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.packing.pack_study import pack_study


@pytest.fixture
def path(tmp_path):
    run(tmp_path / "s", asked(conversations_per_pair=2))
    return tmp_path / "s"


def contestants(path, **options):
    given = {"leave_out": None, "take_back": None, "rename": None, "study": str(path), "at_once": 1, "pool": None}
    return SpotbotContestants({**given, "bot": "", "bot_file": "", "model_opt": "", **options}).execute()


def names_of(rows):
    return {name for row in rows for name in (*row.pair, *row.entities, *(turn.speaker for turn in row.turns))}


def test_it_bears_the_new_name_and_files_stay(path, capsys):
    before = {name: (path / name).read_bytes() for name in ("conversations.jsonl", "study.yaml", "provenance.json")}
    ids = [row.conversation_id for row in Study.open(path).conversations()]
    contestants(path, rename="a=retrieval, b=b2")
    assert "a is called retrieval from now on" in capsys.readouterr().out
    study = Study.open(path)
    assert list(study.plan.contestants) == ["retrieval", "b2", "c"]
    assert study.plan.contestants["retrieval"] == Contestant("retrieval", model="fixed_response", opt=BOTS["a"].opt)
    assert names_of(study.conversations()) == {"retrieval", "b2", "c", "human"}
    assert names_of(study.finished()) == {"retrieval", "b2", "c", "human"}
    assert [row.conversation_id for row in study.conversations()] == ids
    assert set(study.provenance()["selfplay"]["contestants"]) == {"retrieval", "b2", "c"}
    assert study.provenance()["selfplay"]["counts"]["in_order"]["retrieval:c"] == 1
    assert study.extended_by() == ["a renamed retrieval", "b renamed b2"]
    assert {name: (path / name).read_bytes() for name in before} == before
    assert names_of(study.as_played().conversations()) == {"a", "b", "c", "human"}


@pytest.mark.slow
def test_it_plays_on_with_the_same_bytes_by_either_name(path, tmp_path):
    run(tmp_path / "whole", asked(conversations_per_pair=2))
    run(tmp_path / "whole", SelfPlayRequest(conversations_per_pair=3, more={"a/c": 1}))
    contestants(path, rename="a=retrieval")
    shutil.copytree(path, tmp_path / "t")
    called = {"retrieval": Contestant("retrieval", model="fixed_response", opt=BOTS["a"].opt)}
    for folder, bots, pair in ((path, BOTS, "a/c"), (tmp_path / "t", called, "c/retrieval")):
        assert decide(folder, SelfPlayRequest(contestants=bots)).extension == {}
        said = []
        found = run(folder, SelfPlayRequest(contestants=bots, conversations_per_pair=3, more={pair: 1}), said.append)
        assert found.complete
        assert "retrieval plays as a, the name that it had before it was renamed" in said
        assert list(found.study.plan.contestants) == ["retrieval", "b", "c"]
        for name in ("conversations.jsonl",):
            assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
        assert Study.open(folder).plan.more == {"retrieval/c": 1}
        assert Study.open(folder).extended_by()[-1] == "1 conversations of retrieval/c added"
        assert json.loads((folder / "provenance.json").read_text())["selfplay"]["plan"]["renamed"] == {"a": "retrieval"}


def test_a_new_contestant_meets_it_under_its_new_name(path):
    contestants(path, rename="a=retrieval")
    d = Contestant("d", model="fixed_response", opt={"fixed_response": "d"})
    assert run(path, SelfPlayRequest(contestants={"d": d})).complete
    assert names_of(Study.open(path).conversations()) == {"retrieval", "b", "c", "d", "human"}
    assert b'"retrieval"' not in (path / "conversations.jsonl").read_bytes()


def test_units_follow_and_are_not_packed_anew(path):
    pack_study(Study.open(path), humans_per_unit=1)
    packed = Study.open(path).units_path("spot_the_bot").read_bytes()
    contestants(path, rename="a=z")  # would be another place in the alphabet
    assert pack_study(Study.open(path), humans_per_unit=1)["added_units"] == 0
    assert Study.open(path).units_path("spot_the_bot").read_bytes() == packed


def test_what_is_printed_is_of_the_new_name(path):
    pack_study(Study.open(path), humans_per_unit=1)
    contestants(path, rename="a=retrieval")
    played = run(path, SelfPlayRequest())
    assert "retrieval " in played.text()
    assert set(played.overlap["turns_found"]) == {"retrieval", "b", "c"}
    packed = pack_study(Study.open(path), humans_per_unit=1)
    assert set(packed["surface"]["contestants"]) == {"retrieval", "b", "c"}


@pytest.mark.slow  # a spotter is trained twice
def test_a_judge_trains_and_answers_as_it_would_have(path, tmp_path, monkeypatch):
    monkeypatch.setattr(examples, "MAX_EPISODES", 60)
    pack_study(Study.open(path), humans_per_unit=1)
    shutil.copytree(path, tmp_path / "as_played")
    contestants(path, rename="a=retrieval")
    for folder in (path, tmp_path / "as_played"):
        judge_study(Study.open(folder), "spot_the_bot", "spotter", progress=False)
    for name in ("judgements.jsonl", "judges/spotter.json"):
        ours, theirs = (folder / "surveys" / "spot_the_bot" / name for folder in (path, tmp_path / "as_played"))
        assert ours.read_bytes() == theirs.read_bytes()


def test_units_in_which_people_talk_to_it_follow(path):
    pack_study(Study.open(path), "interactive", comparisons=2)
    packed = Study.open(path).units_path("interactive").read_bytes()
    contestants(path, rename="a=retrieval")
    study = Study.open(path)
    partners = {name for unit in study.units("interactive") for item in unit.items for name in item.partners}
    assert partners == {"retrieval", "b", "c"}
    assert pack_study(study, "interactive", comparisons=3)["added_units"] > 0
    study = Study.open(path)
    assert study.units_path("interactive").read_bytes().startswith(packed)
    assert b"retrieval" not in study.units_path("interactive").read_bytes()


def test_it_is_left_out_renamed_again_and_back(path):
    contestants(path, rename="a=retrieval")
    contestants(path, leave_out="retrieval")
    assert Study.open(path).plan.left_out == ("retrieval",)
    assert names_of(Study.open(path).remaining().conversations()) == {"b", "c", "human"}
    contestants(path, rename="retrieval=x")
    assert Study.open(path).plan.left_out == ("x",)
    assert json.loads((path / "history.jsonl").read_text().splitlines()[-1])["extend"] == {"renamed": {"a": "x"}}
    contestants(path, take_back="x")
    contestants(path, rename="x=a")
    study = Study.open(path)
    assert study.names == {}
    assert study.plan == study.base
    assert study.extended_by()[-1] == "x renamed a"


@pytest.mark.parametrize(
    ("asked_for", "says"),
    [
        ("a=b", "'a' can't be called 'b': another contestant is"),
        ("d=e", "no contestant 'd'"),
        ("a=x,b=x", "can't be called 'x'"),
        ("a=x,a=y", "isn't OLD=NEW"),
        ("a", "isn't OLD=NEW"),
        ("a=human", "not a valid name"),
        ("a=two/words", "not a valid name"),
        (",", "nobody is named"),
    ],
)
def test_what_cant_be_renamed_is_said_and_nothing_changes(path, asked_for, says):
    with pytest.raises(UserError, match=says):
        contestants(path, rename=asked_for)
    assert not (path / "history.jsonl").exists()


def test_names_that_files_hold_are_taken(path):
    contestants(path, rename="a=x")
    study = Study.open(path)
    for names, says in (({"a": "x", "b": "a"}, "'b' can't be called 'a'"), ({"a": "x", "b": "x"}, "called 'x'")):
        with pytest.raises(UserError, match=says):
            study.extend(renamed=names)
    other = {"x": Contestant("x", model="fixed_response", opt={"fixed_response": "else"})}
    with pytest.raises(UserError, match="with other options"):
        run(path, SelfPlayRequest(contestants=other))
    with pytest.raises(UserError, match="'a' and 'x' are the same one"):
        run(path, SelfPlayRequest(contestants={"a": BOTS["a"], **other}))
