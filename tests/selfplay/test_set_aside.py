"""A broken contestant is replaced: it plays anew from the same seeds, and what it said is set aside, not deleted."""

import shutil

import pytest
from test_how_it_is_played import BOTS, asked, run

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant, Conversation, Judgement
from parlai_spotbot.scripts.spotbot_contestants import SpotbotContestants
from parlai_spotbot.selfplay import set_aside
from parlai_spotbot.selfplay.plan import SelfPlayRequest
from parlai_spotbot.study import Study
from parlai_spotbot.study_check import check_study
from parlai_spotbot.surveys.packing.pack_study import pack_study

MENDED = Contestant("a", model="fixed_response", opt={"fixed_response": "mended"})


@pytest.fixture
def path(tmp_path):
    run(tmp_path / "s", asked(conversations_per_pair=2))
    return tmp_path / "s"


PUT_ASIDE = set_aside.put_aside


def contestants(path, **options):
    given = {"leave_out": None, "take_back": None, "rename": None, "replace": None, "study": str(path), "at_once": 1}
    given |= {"pool": None, "contestants": None, "bot": "", "bot_file": "", "model_opt": ""}
    return SpotbotContestants({**given, **options}).execute()


def by_id(rows):
    return {row.conversation_id: row for row in rows}


def answer(item, name):
    return Judgement(name, name, "spot_the_bot", "u", item.item_id, item.conversation_ids, 2, "entity:0", "nature",
                     "bot", "w", "judge:x")  # fmt: skip


def test_it_plays_anew_from_the_same_seeds_and_the_rest_stays(path, tmp_path, capsys):
    before = by_id(Study.open(path).conversations())
    (tmp_path / "mended.yaml").write_text("a: {model: fixed_response, opt: {fixed_response: mended}}\n")
    contestants(path, replace="a", pool=str(tmp_path / "mended.yaml"))
    assert "4 conversations of a are set aside" in capsys.readouterr().out
    study = Study.open(path)
    assert study.plan.contestants["a"] == MENDED
    mine = {name: row for name, row in before.items() if "a" in row.entities}
    assert by_id(study.conversations()) == {name: row for name, row in before.items() if name not in mine}
    assert by_id(study.set_aside()) == mine
    kept = checksums.read_jsonl(study.set_aside_path, Conversation.from_json, "conversations file")
    assert by_id(kept) == mine
    assert run(path, SelfPlayRequest()).complete
    after = by_id(Study.open(path).conversations())
    assert len(after) == len(before)
    for name, row in mine.items():
        anew = after[f"{name}.2"]
        assert anew.entities == row.entities
        assert (anew.seed_id, anew.turns[:2]) == (row.seed_id, row.turns[:2])
        assert {turn.text for turn in anew.shown if turn.speaker == "a"} == {"mended"}
    assert {name: row for name, row in before.items() if name not in mine}.items() <= after.items()
    assert by_id(Study.open(path).set_aside()) == mine
    assert study.extended_by() == ["a replaced: what it said before, and judgements of that, are set aside"]
    assert not [file for file in check_study(path) if file.problem]


@pytest.mark.slow
def test_it_may_be_replaced_again_and_so_may_its_partner(path):
    for name in ("a", "a", "b"):
        contestants(path, replace=name)
        assert run(path, SelfPlayRequest()).complete
        assert len(Study.open(path).conversations()) == 6 + 2
    ids = {row.conversation_id for row in Study.open(path).conversations() if row.kind == "pairs"}
    assert ids == {f"{pair}:{n:04d}.{v}" for pair, v in (("a:b", 4), ("a:c", 3), ("b:c", 2)) for n in (0, 1)}
    assert len(Study.open(path).set_aside()) == 12
    assert run(path, SelfPlayRequest(conversations_per_pair=3)).complete
    assert {"a:b:0002.4", "b:c:0002.2"} <= by_id(Study.open(path).conversations()).keys()


@pytest.mark.parametrize("where", ["before", "appended", "rewritten"])
def test_killed_in_the_middle_nothing_is_lost_and_the_study_goes_on(path, tmp_path, monkeypatch, where):
    shutil.copytree(path, tmp_path / "whole")
    contestants(tmp_path / "whole", replace="a")
    run(tmp_path / "whole", SelfPlayRequest())

    class Killed(BaseException):
        pass

    def die(*args, **more):
        raise Killed

    with monkeypatch.context() as patch:
        if where == "before":
            patch.setattr(set_aside, "_files", die)
        elif where == "appended":
            patch.setattr(set_aside.checksums, "write_jsonl", die)
        else:
            patch.setattr(set_aside, "put_aside", lambda study: (PUT_ASIDE(study), die()))
        with pytest.raises(Killed):
            contestants(path, replace="a")
    study = Study.open(path)
    assert {row.conversation_id for row in study.conversations() if "a" in row.entities} == set()
    assert len({row.conversation_id for row in study.set_aside()}) == 4
    assert run(path, SelfPlayRequest()).complete
    for name in ("conversations.jsonl", "set_aside/conversations.jsonl"):
        assert (path / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


def test_judgements_of_it_are_kept_and_not_read_and_units_are_packed_anew(path):
    study = Study.open(path)
    pack_study(study, humans_per_unit=1)
    items = {item.conversation_ids[0]: item for unit in study.units("spot_the_bot") for item in unit.items}
    shutil.copytree(path, path.parent / "answered")
    contestants(path, replace="a")
    run(path, SelfPlayRequest())
    pack_study(Study.open(path), humans_per_unit=1)
    shown = {i for unit in Study.open(path).units("spot_the_bot") for item in unit.items for i in item.conversation_ids}
    assert {name for name in shown if name.startswith("a:")} == {"a:b:0000.2", "a:b:0001.2", "a:c:0000.2", "a:c:0001.2"}
    study = Study.open(path.parent / "answered")
    rows = [answer(items[name], name) for name in ("a:b:0000", "b:c:0000")]
    checksums.write_jsonl(study.judgements_path("spot_the_bot"), [row.to_json() for row in rows])
    answers = study.judgements_path("spot_the_bot").read_bytes()
    contestants(study.path, replace="a")
    study = Study.open(study.path)
    assert [row.conversation_ids for row in study.judgements("spot_the_bot")] == [("b:c:0000",)]
    assert study.judgements_path("spot_the_bot").read_bytes() == answers
    run(study.path, SelfPlayRequest())
    with pytest.raises(UserError, match="shows conversations of a contestant that was replaced") as error:
        pack_study(Study.open(study.path), humans_per_unit=1)
    assert "--drop" in error.value.remedy


def test_a_renamed_one_is_replaced_by_the_name_it_bears(path):
    contestants(path, rename="a=x")
    contestants(path, replace="x")
    run(path, SelfPlayRequest())
    study = Study.open(path)
    assert {row.entities for row in study.set_aside()} <= {("x", "b"), ("b", "x"), ("x", "c"), ("c", "x")}
    assert sum("x" in row.entities for row in study.conversations()) == 4
    contestants(path, rename="x=a")
    assert sum("a" in row.entities for row in Study.open(path).conversations()) == 4


def test_what_cant_be_replaced_is_said_and_nothing_changes(path, tmp_path):
    (tmp_path / "pool.yaml").write_text("b: {model: fixed_response, opt: {fixed_response: b}}\n")
    for options, says in (
        ({"replace": "d"}, "no such contestant"),
        ({"replace": "a", "pool": str(tmp_path / "pool.yaml")}, "isn't in --pool"),
    ):
        with pytest.raises(UserError, match=says):
            contestants(path, **options)
    ledger = path / "surveys" / "spot_the_bot" / "crowdsourcing" / "ledger.db"
    ledger.parent.mkdir(parents=True)
    ledger.touch()
    with pytest.raises(UserError, match="people have begun to annotate") as error:
        contestants(path, replace="a")
    assert "--leave-out" in error.value.remedy
    assert not (path / "history.jsonl").exists()
    assert Study.open(path).plan.contestants["b"] == BOTS["b"]
