"""How a study is played may change from run to run; what goes wrong has the right remedy, and leaves nothing."""

import importlib
import json
import tempfile
from pathlib import Path

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.plan import SelfPlayRequest
from parlai_spotbot.selfplay.play import play
from parlai_spotbot.selfplay.pool import PoolEntry
from parlai_spotbot.selfplay.trial import try_pool

BOTS = {name: Contestant(name, model="fixed_response", opt={"fixed_response": name}) for name in ("a", "b", "c")}
DEAD = Contestant(
    "dead",
    model="spotbot:openai_chat",
    opt={"openai_url": "http://127.0.0.1:9/v1", "openai_model": "m", "openai_retries": 0},
)


@pytest.fixture(autouse=True)
def temporary(tmp_path, monkeypatch):
    """A folder for temporary files of this process's own."""
    (tmp_path / "t").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "t"))
    return tmp_path / "t"


def asked(bots=BOTS, **more):
    return SelfPlayRequest(contestants=bots, **more)


def run(path, request, say=lambda text: None):
    return play(path, request, progress=False, say=say)


def test_a_study_goes_on_with_other_limits_and_has_the_same_bytes(tmp_path, temporary):
    run(tmp_path / "whole", asked(conversations_per_pair=2))
    run(tmp_path / "whole", SelfPlayRequest(conversations_per_pair=4))
    said = []
    run(tmp_path / "s", asked(conversations_per_pair=2))
    plan = (tmp_path / "s" / "study.yaml").read_bytes()
    found = run(tmp_path / "s", SelfPlayRequest(conversations_per_pair=4, max_loaded=2, batchsize=3), said.append)
    assert found.complete
    whole = (tmp_path / "whole" / "conversations.jsonl").read_bytes()
    assert (tmp_path / "s" / "conversations.jsonl").read_bytes() == whole
    assert (tmp_path / "s" / "study.yaml").read_bytes() == plan
    assert said[0].startswith("to play: 60 of 120 turns (60 are there), in 6 of 12 conversations")
    assert said[1].startswith("loading 2 contestants (at most 2 of 3 at once): ")
    provenance = json.loads((tmp_path / "s" / "provenance.json").read_text())["selfplay"]
    assert provenance["played_otherwise"] == [{"batchsize": 3, "max_loaded": 2}]
    assert (provenance["plan"]["batchsize"], provenance["plan"]["max_loaded"]) == (32, 0)
    run(tmp_path / "s", SelfPlayRequest(max_loaded=3))  # there is nothing to be played
    again = json.loads((tmp_path / "s" / "provenance.json").read_text())["selfplay"]
    assert again["played_otherwise"] == provenance["played_otherwise"]
    assert not list(temporary.glob("spotbot-*"))


def test_a_limit_that_no_conversation_fits_into_is_refused(tmp_path):
    run(tmp_path / "s", asked(conversations_per_pair=1))
    with pytest.raises(UserError, match="'max_loaded' is 1, but a conversation takes two"):
        run(tmp_path / "s", SelfPlayRequest(max_loaded=1))


def test_a_server_that_is_down_is_told_of_by_its_own_remedy(tmp_path):
    with pytest.raises(UserError) as told:
        run(tmp_path / "s", asked({"a": BOTS["a"], "dead": DEAD}))
    message = str(told.value)
    assert "could not be loaded: openai_chat: model 'm' at http://127.0.0.1:9/v1: connection refused" in message
    assert told.value.remedy.startswith("Start the server or correct 'openai_url'")
    assert "Hugging Face" not in message
    assert "UserError" not in message
    assert ".." not in message
    log = Path(message.rpartition("What it printed is in ")[2].removesuffix("."))
    assert log.exists()  # it is named, so it stays


def test_a_trial_tells_the_same_and_keeps_what_was_printed_only_where_something_failed(temporary):
    entries = [PoolEntry(name=c.name, contestant=c, problems=[]) for c in (BOTS["a"], DEAD)]
    (fine, dead), logs = try_pool(entries)
    assert not fine.problem
    assert dead.remedy.startswith("Start the server or correct 'openai_url'")
    assert (logs / "dead.log").exists()
    _, logs = try_pool(entries[:1])
    assert not logs.exists()


def test_whoever_stops_a_run_leaves_no_folder_behind(tmp_path, temporary, monkeypatch):
    def stopped(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(importlib.import_module("parlai_spotbot.selfplay.play"), "Runner", stopped)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "s", asked(conversations_per_pair=1))
    assert not list(temporary.glob("spotbot-*"))
