"""How a study is played may change from run to run; what goes wrong has the right remedy, and leaves nothing."""

import importlib
import json
import tempfile

import pytest

from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.plan import SelfPlayRequest
from parlai_spotbot.selfplay.play import play

BOTS = {name: Contestant(name, model="fixed_response", opt={"fixed_response": name}) for name in ("a", "b", "c")}


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


def test_whoever_stops_a_run_leaves_no_folder_behind(tmp_path, temporary, monkeypatch):
    def stopped(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(importlib.import_module("parlai_spotbot.selfplay.play"), "Runner", stopped)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "s", asked(conversations_per_pair=1))
    assert not list(temporary.glob("spotbot-*"))
