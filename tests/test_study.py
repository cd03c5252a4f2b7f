"""A study's plan: validated on reading, extended by lines of history.jsonl."""

import os
from dataclasses import replace

import pytest
import yaml

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant, Conversation
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from tests.case_tables import cases
from tests.sealing import sealed
from tests.spoken import spoken

POOL = {"eliza": Contestant("eliza", model="spotbot:eliza"), "alice": Contestant("alice", model="spotbot:alice")}


def plan_row(**changes):
    return {"domain": "chitchat", "contestants": {n: c.to_json() for n, c in POOL.items()}, **changes}


def write_plan(folder, **changes):
    folder.mkdir(exist_ok=True)
    (folder / "study.yaml").write_text(yaml.safe_dump(plan_row(**changes)))
    return folder


def test_a_plan_comes_back_as_it_was_written(tmp_path):
    plan = Plan("chitchat", POOL, conversations_per_pair=7, seed=3, paired_seeds=True)
    Study.create(tmp_path / "s", plan)
    assert Study.open(tmp_path / "s").plan == plan


@cases(
    "changes says",
    """
- [{conversations_per_pair: 0}, 'conversations_per_pair: expected greater than or equal to 1, found ''0''']
- [{exchanges: -1}, 'exchanges: expected greater than or equal to 1']
- [{segments: [2, 9]}, 'field ''segments'' asks for 9 exchanges, but conversations have 5']
- [{segments: [0, 2]}, field 'segments']
- [{segments: []}, field 'segments']
- [{seed: x}, 'seed: expected a valid integer, found ''x''']
- [{sed: 1}, unknown key 'sed'. Did you mean 'seed']
- [{contestants: {}}, field 'contestants' is empty]
- [{contestants: {a: {model: spotbot:eliza}}}, one contestant makes no pair]
- [{contestants: {a: {model: m, role: user}, b: {model: m, role: user}}}, nor do simulated]
- [{contestants: {a: {model: m, role: bot}}}, 'role: expected ''system'' or ''user'', found ''bot''']
- [{contestants: {a: {modle: x}}}, 'contestant ''a'': unknown key ''modle''. Did you mean ''model''']
- [{contestants: {a: {opt: {}}}}, neither 'model_file' nor 'model']
- [{contestants: {human: {model: x}}}, not a valid name]
- [{pairs: [[eliza, alise]]}, 'names ''alise'', which is no contestant. Did you mean ''alice''']
- [{batchsize: 0}, 'batchsize: expected greater than or equal to 1']
""",
)
def test_a_wrong_plan_is_named_with_its_remedy(tmp_path, changes, says):
    folder = write_plan(tmp_path / "s", **changes)
    with pytest.raises(UserError) as caught:
        Study.open(folder)
    assert says in str(caught.value)
    assert "study.yaml" in str(caught.value)


def test_extensions_add_up_and_survive_a_torn_line(tmp_path):
    study = Study.create(tmp_path / "s", Plan("chitchat", POOL))
    study.extend(contestants={"tfidf": {"model": "spotbot:tfidf"}})
    study.extend(conversations_per_pair=50)
    with open(study.history_path, "a") as file:  # as older versions could leave it
        file.write('{"extend": {"conver')
    sealed(study.path)
    again = Study.open(tmp_path / "s")
    assert list(again.plan.contestants) == ["eliza", "alice", "tfidf"]
    assert again.plan.conversations_per_pair == 50
    assert [len(plan.contestants) for plan in again.plans()] == [2, 3, 3]


@cases(
    "add says",
    """
- [{contestants: {eliza: {model: spotbot:alice}}}, is in the study with other options]
- [{conversations_per_pair: 3}, is less than the study's 45]
- [{seed: 1}, unknown key 'seed']
""",
)
def test_an_extension_never_changes_what_is_there(tmp_path, add, says):
    study = Study.create(tmp_path / "s", Plan("chitchat", POOL))
    with pytest.raises(UserError, match=says):
        study.extend(**add)
    assert not study.history_path.exists()


def test_a_file_is_read_once_until_it_changes(tmp_path, monkeypatch):
    study = Study.create(tmp_path / "s", Plan("chitchat", POOL))
    row = spoken("c", ("eliza", "alice"), ["hi"], seed_exchanges=0)
    checksums.write_jsonl(study.conversations_path, [row])
    os.utime(study.conversations_path, (1, 1))  # else a change right after it would not show
    study.conversations().clear()
    with monkeypatch.context() as patch:
        patch.setattr(files, "read_jsonl", None)
        assert study.conversations() == study.load("spot_the_bot").conversations == [row]
        assert study.load("spot_the_bot").units == study.load("spot_the_bot").judgements == []
    checksums.write_jsonl(study.conversations_path, [row, replace(row, conversation_id="d")])
    assert len(study.conversations()) == 2
    study.conversations_path.unlink()
    with pytest.raises(UserError, match="no such conversations file"):
        study.conversations()


def test_conversations_hide_the_seed_and_count_exchanges_after_it():
    conversation = spoken("a:b:0000", ("a", "b"), (f"t{i}" for i in range(9)), context=("", "likes tea"))
    assert conversation.exchanges == 3
    assert [turn.text for turn in conversation.segment(2)] == ["t2", "t3", "t4", "t5"]
    with pytest.raises(ValueError, match="k=4"):
        conversation.segment(4)
    assert Conversation.from_json(conversation.to_json(), "here") == conversation
