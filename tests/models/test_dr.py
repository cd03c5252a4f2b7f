"""DR, the paper's weak baseline: trained through ParlAI, found through its zoo, reproducible."""

import importlib
from pathlib import Path

import pytest
import torch
from parlai.core.agents import create_agent
from parlai.core.build_data import modelzoo_path
from parlai.core.opt import Opt

from parlai_spotbot import compat, plugin
from parlai_spotbot.zoo.spotbot import dr


def talk(agent, texts):
    replies = []
    for text in texts:
        agent.observe({"text": text, "episode_done": False})
        replies.append(agent.act()["text"])
    return replies


@pytest.fixture
def zoo(monkeypatch, tmp_path):
    """DR in ParlAI's zoo, with a cache of its own and a training of some steps in this process."""
    monkeypatch.setenv("SPOTBOT_CACHE", str(tmp_path / "cache"))
    compat.install()
    plugin.register()
    module = importlib.import_module("parlai.zoo.spotbot.dr")
    monkeypatch.setattr(module, "_train_apart", lambda folder: module.train(folder, num_epochs=0.03))
    return module


def test_the_zoo_trains_it_once_and_parlai_loads_it(zoo, tmp_path):
    model_file = modelzoo_path(str(tmp_path / "data"), "zoo:spotbot/dr/model")
    trained = Path(model_file).stat().st_mtime_ns
    zoo.download(str(tmp_path / "other"))
    assert (tmp_path / "other" / "models" / "spotbot" / "dr" / "model").stat().st_mtime_ns == trained
    agent = create_agent(Opt({"model_file": model_file, "override": {}}), requireModelExists=True)
    assert (agent.opt["numlayers"], agent.opt["hiddensize"], agent.opt["rnn_class"]) == (1, 128, "gru")
    for reply in talk(agent, ["hello there", "xyzzy plugh foobarbaz", "bye"]):
        assert reply
        assert "unk" not in reply.lower()


def test_the_same_training_gives_the_same_bytes(zoo, tmp_path):
    weights = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        zoo.train(tmp_path / name, num_epochs=0.01)
        weights.append(torch.load(tmp_path / name / "model", weights_only=False)["model"])
    assert all(torch.equal(weights[0][key], weights[1][key]) for key in weights[0])


@pytest.mark.slow
def test_the_whole_training_gives_a_dull_but_real_bot(tmp_path):
    compat.install()
    plugin.register()
    dr.download(str(tmp_path))
    opt = Opt({"model_file": "zoo:spotbot/dr/model", "datapath": str(tmp_path), "override": {}})
    agent = create_agent(opt)
    replies = talk(agent, ["hey how are you?", "what do you do for fun?", "do you like movies?"])
    assert all(len(reply.split()) >= 2 for reply in replies)
    clones = [agent.clone() for _ in range(3)]
    observed = [c.observe({"text": "hey how are you?", "episode_done": False}) for c in clones]
    assert {act["text"] for act in agent.batch_act(observed)} == {replies[0]}
