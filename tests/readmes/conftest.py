"""What README's commands need: a server that answers, and a folder with the user's pool."""

import itertools
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
SAID = {"You are a helpful assistant.": "hm", "You chat with a stranger.": "i like it"}
"""What bots say, by what they are told, with a number: no two conversations are the same."""
# commands, pages, chat_servers, scripted


@pytest.fixture(scope="session")
def server():
    from tests.agents import chat_servers

    chat_servers.FIELDS["response_format"] = dict
    turns = itertools.count()

    def say(body):
        said = [said for told, said in SAID.items() if told in str(body["messages"])]
        return f"{said[0]} {next(turns)}" if said else chat_servers.judged(body)

    with chat_servers.ChatServer(say) as served:
        yield served.url


@pytest.fixture(scope="session")
def users(tmp_path_factory, server):
    """What somebody has who comes to the README of a room: a pool, a bot, and studies with and without answers."""
    from parlai_spotbot.scripts.main import main
    from tests.readmes.commands import POOL

    folder = tmp_path_factory.mktemp("users")
    (folder / "my_pool.yaml").write_text(POOL, encoding="utf-8")
    (folder / "my_bot.py").write_text("def respond(text):\n    return f'so you say {text}'\n", encoding="utf-8")
    votes = "ada,bob,model_a\nbob,cleo,tie\nada,cleo,model_a\n" * 20
    (folder / "arena.csv").write_text(f"model_a,model_b,winner\n{votes}", encoding="utf-8")
    ratings = "".join(
        f"{bot},{text},w{text % 3},{1 + (text + len(bot)) % 5}\n" for bot in ("ada", "bob") for text in range(20)
    )
    (folder / "ratings.csv").write_text(f"model,item,rater,fluency\n{ratings}", encoding="utf-8")
    (folder / "told.txt").write_text("Be brief.\n", encoding="utf-8")
    studies = folder / "studies"
    few = ["--conversations-per-pair", "4"]
    main(["selfchat", "--study", str(studies / "mine"), "--pool", "rules", *few])
    main(["pack", "--study", str(studies / "mine")])
    main(["judge", "--study", str(studies / "mine"), "--judge-url", server, "--judge-model", "parrot-1", "--yes"])
    main(["analyze", "--study", str(studies / "mine"), "--bootstraps", "20"])
    main(["selfchat", "--study", str(studies / "self"), "--pool", "rules", "--self", *few])
    shutil.copytree(studies / "self", studies / "nuc")
    main(["nuc", "--study", str(studies / "nuc"), "--questions", "128", "--only", "tfidf"])
    shutil.copytree(HERE.parent / "goldens" / "studies" / "people", studies / "people")
    shutil.copytree(studies / "mine", studies / "rules")
    shutil.copytree(studies / "mine", folder / "demo-study")
    return folder


@pytest.fixture
def run(monkeypatch, capfd):
    """Runs a command as words: ours in this process, others in one of their own; a wrong exit code fails."""
    from tests.in_process import spotbot

    bin_ = Path(sys.executable).parent

    def one(words):
        start = time.monotonic()
        if words[0] in ("parlai", "spotbot") and words[1].startswith("spotbot_"):
            print(*spotbot(*words[1:]))
        else:
            checkout = os.environ | {"PYTHONPATH": str(ROOT)}  # where scripts of the tests are run
            done = subprocess.run(
                [bin_ / words[0], *words[1:]],
                env=checkout,
                capture_output=True,
                text=True,
                input="[EXIT]\n",
                check=False,
            )
            assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}{done.stderr}"
        times.append((round(time.monotonic() - start, 1), " ".join(words)))
        return "".join(capfd.readouterr())

    times = one.times = []
    return one
