"""The pool file with a contestant of each kind that the README of pools shows: both ways to write it play the same."""

import importlib
import re
import sys
from pathlib import Path

import pytest

from parlai_spotbot import compat
from parlai_spotbot.selfplay.pool import read_pool
from parlai_spotbot.study import Study
from tests.agents import chat_servers
from tests.in_process import spotbot

ROOT = Path(__file__).parents[2]
EXAMPLES = [("hello there", "hi , how are you"), ("what do you like", "i like dogs"), ("any news", "no , none")] * 4
TINY = {
    "model": "transformer/generator",
    "n_layers": 1,
    "n_heads": 2,
    "embedding_size": 8,
    "ffn_size": 8,
    "n_positions": 256,
}


def train(path):
    """A tiny checkpoint, as ParlAI writes it."""
    compat.install()
    from parlai.scripts.train_model import TrainModel

    data = path.with_suffix(".txt")
    data.write_text("".join(f"text:{a}\tlabels:{b}\tepisode_done:True\n" for a, b in EXAMPLES))
    TrainModel.main(
        task="fromfile:parlaiformat",
        fromfile_datapath=str(data),
        fromfile_datatype_extension=False,
        num_epochs=30,  # fewer leave it to chance whether it says anything
        learningrate=0.02,
        batchsize=4,
        validation_every_n_epochs=-1,
        no_cuda=True,
        loglevel="error",
        model_file=str(path),
        optimizer="adam",
        truncate=128,
        **TINY,
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """What the page's pool files name."""
    (tmp_path / "models").mkdir()
    importlib.import_module("tests.agents.tiny_models").save(tmp_path / "models" / "small")
    train(tmp_path / "models" / "mine")
    (tmp_path / "my_bot.py").write_text("def respond(messages):\n    return 'as ' + messages[0]['content']\n")
    (tmp_path / "brief.txt").write_text("Be brief.\n")
    (tmp_path / "fish.txt").write_text("i like to fish.\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MY_KEY", chat_servers.KEY)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "my_bot", raising=False)
    return tmp_path


@pytest.mark.slow
def test_the_pool_files_of_the_page_play_and_are_the_same(folder):
    page = (ROOT / "parlai_spotbot" / "pools" / "README.md").read_text(encoding="utf-8")
    pools = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert [len(pool.splitlines()) for pool in pools] == [16, 4]
    with chat_servers.ChatServer(key=chat_servers.KEY) as server:
        for name, pool in zip(("long", "short"), pools, strict=True):
            written = pool.replace("http://127.0.0.1:8000/v1", server.url).replace("NAME", "parrot-1")
            (folder / f"{name}.yaml").write_text(written)
        long, short = (read_pool(str(folder / f"{name}.yaml")) for name in ("long", "short"))
        assert list(long) == ["served", "mine", "small", "trained"]
        small = {**long["small"].opt, "lm_model": str(folder / long["small"].opt["lm_model"])}
        assert small == short["small"].opt
        assert all(long[name].same_bot(short[name]) for name in long if name != "small")
        assert long["mine"] == short["mine"]
        out, _ = spotbot("contestants", "--pool", "short.yaml", "--try")
        assert "4 of 4 answered" in out
        play = ["--conversations-per-pair", 1, "--segments", 2]
        for name in ("long", "short"):
            spotbot("selfchat", "--study", name, "--pool", f"{name}.yaml", *play)
    told = {"role": "system", "content": "Be brief.\nyour persona: i like to fish."}
    assert server.bodies[-1]["messages"][0] == told
    said = [[row.turns for row in Study.open(folder / name).conversations()] for name in ("long", "short")]
    assert said[0] == said[1]
    assert any(turn.text == "as your persona: i like to fish." for turns in said[0] for turn in turns)
