"""Self-chats of a pool: alone or beside the pairs of a study, taken up again, the same bytes at any batch size."""

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.scripts.spotbot_selfchat import SpotbotSelfchat
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from tests.selfplay.test_runner import contestant, play, start

KINDS = ("Counting", "GlobalChance", "BatchChance")


def test_self_chats_join_a_study_of_pairs_and_leave_its_bytes(tmp_path):
    study = start(tmp_path / "s", *map(contestant, KINDS))
    _, pairs = play(study)
    study.extend(meetings="both")
    failures, both = play(Study.open(study.path))
    assert failures == []
    assert both.startswith(pairs)
    rows = Study.open(study.path).conversations()[3 * 8 :]
    assert [row.conversation_id for row in rows] == [f"{k}:{k}:{n:04d}" for k in KINDS for n in range(8)]
    assert {row.kind for row in rows} == {"self"}
    assert all(row.exchanges == 5 for row in rows)
    assert Study.open(study.path).extended_by() == ["24 conversations of 3 pairs added"]
    first = study.path / "failures.jsonl"
    assert not first.exists() or not first.read_text()

    failures, again = play(Study.open(study.path))
    assert (failures, again) == ([], both)


def test_both_seats_of_a_bot_with_itself_draw_their_own_chance_and_runs_are_alike(tmp_path):
    made = []
    for name, size in (("one", 8), ("two", 3)):
        study = start(tmp_path / name, *map(contestant, KINDS[:2]), meetings="self", batchsize=size)
        assert study.plan.all_pairs() == [(kind, kind) for kind in KINDS[:2]]
        failures, rows = play(study)
        assert failures == []
        made.append(rows)
    assert made[0] == made[1]
    for row in Study.open(tmp_path / "one").conversations():
        if row.entities[0] == "GlobalChance":
            said = [turn.text for turn in row.shown]
            assert len(set(said)) == len(said)


def test_one_contestant_makes_no_pair_but_may_talk_to_itself(tmp_path):
    alone = {"Counting": contestant("Counting")}
    with pytest.raises(UserError, match="--self"):
        Plan("d", alone).check("test")
    assert Plan("d", alone, meetings="self").check("test").all_pairs() == [("Counting", "Counting")]


def test_the_command_plays_a_pool_with_itself_and_goes_on(tmp_path, capsys):
    words = ["--study", str(tmp_path / "s"), "--conversations-per-pair", "2", "--pool", "rules", "--self"]
    SpotbotSelfchat.main(*words)
    assert "6 of 6 conversations between bots" in capsys.readouterr().out
    study = Study.open(tmp_path / "s")
    before = study.conversations_path.read_bytes()
    assert {c.kind for c in study.conversations()} == {"self", "people"}
    SpotbotSelfchat.main("--study", str(tmp_path / "s"))
    assert study.conversations_path.read_bytes() == before
