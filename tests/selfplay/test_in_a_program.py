"""Self-play from a program or a notebook: functions, classes and servers as contestants, errors as ValueErrors."""

import importlib
import random
import subprocess
import sys

import numpy as np
import pytest

import parlai_spotbot as sb
from parlai_spotbot.models import plain_python
from parlai_spotbot.study import Study

MODULE = "bots_of_a_program"
BOTS = """
import random

def NAMED(history):
    return f"{len(history)} turns, {random.random()}"

class Kim:
    async def reset(self):
        self.said = 0
    async def reply(self, text):
        self.said += 1
        return f"{self.said}: {text[:9]}"

def echo(text):
    return "well, " + text[:5]
"""
CODE = BOTS.replace("NAMED", "importable")
OPTIONS = {"conversations_per_pair": 2, "segments": [2], "human_conversations": 0}
PROGRAM = f"""{BOTS.replace("NAMED", "mine")}
import parlai_spotbot as sb

print("THE PROGRAM")
study = sb.selfplay({{"kim": Kim, "one": mine, "echo": lambda text: echo(text)}}, "s", **{OPTIONS})
print(len(study.conversations()))
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / f"{MODULE}.py").write_text(CODE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    monkeypatch.setattr(plain_python, "_HERE", {})
    importlib.invalidate_caches()
    return tmp_path


def turns(path):
    return [row.turns for row in Study.open(path).conversations()]


@pytest.mark.slow
def test_a_program_without_a_guard_plays_and_its_functions_say_what_importable_ones_say(folder, capsys):
    (folder / "program.py").write_text(PROGRAM)
    done = subprocess.run([sys.executable, "program.py"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("THE PROGRAM\n")
    assert done.stdout.count("THE PROGRAM") == 1  # it doesn't run again in contestants' processes
    assert done.stdout.endswith("\n6\n")
    assert "6 of 6 conversations between bots" in done.stdout
    assert Study.open(folder / "s").plan.contestants["kim"].opt == {"plain_python": "__main__:Kim"}
    module = importlib.import_module(MODULE)
    bots = {"kim": module.Kim, "one": module.importable, "echo": module.echo}
    assert turns(sb.selfplay(bots, "importable", progress=False, **OPTIONS).path) == turns(folder / "s")
    assert "6 of 6 conversations between bots" not in capsys.readouterr().out
    plan = Study.open(folder / "importable").plan.contestants
    assert plan["one"].opt == {"plain_python": f"{MODULE}:importable"}
    assert plan["one"].code == str(folder)


def test_the_same_call_goes_on_and_chances_stay_the_program_s(folder):
    def here(text):
        random.random()
        np.random.random()
        return f"{text[:4]} {random.random()} {np.random.random()}"

    bots = {"here": here, "el": "spotbot:eliza", "fixed": {"model": "fixed_response", "opt": {"fixed_response": "oh"}}}
    study = sb.selfplay(bots, folder / "s", progress=False, **OPTIONS)
    assert isinstance(study, Study)
    assert len(study.conversations()) == 6
    stored = study.conversations_path.read_bytes()
    sb.selfplay(bots, folder / "s", progress=False, **OPTIONS)
    assert study.conversations_path.read_bytes() == stored
    random.seed(3)
    np.random.seed(3)
    before = random.getstate(), np.random.get_state()[1].tolist()
    sb.selfplay(bots, folder / "again", progress=False, **OPTIONS)
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before
    assert (folder / "again" / "conversations.jsonl").read_bytes() == stored
    more = sb.selfplay(bots, folder / "s", progress=False, **{**OPTIONS, "conversations_per_pair": 3})
    assert len(more.conversations()) == 9


def respond(text):
    return text


def odd(words):
    return ""


@pytest.mark.parametrize(
    ("bots", "options", "says"),
    [
        ({}, {}, "contestants: expected names and contestants"),
        ([respond], {}, "contestants: expected names and contestants"),
        ({"a": 3}, {}, "contestants: contestant 'a' is a int, expected a function"),
        ({"a": (word for word in "ab")}, {}, "contestants: contestant 'a' is a generator, expected a function"),
        ({"a": odd}, {}, "contestants: contestant 'a': .*odd.words.: expected parameters called text"),
        ({"a*b": respond}, {}, r"contestants: contestant 'a\*b': not a valid name"),
        ({"a": "spotbot:elisa"}, {}, "contestants: contestant 'a': .*Did you mean 'spotbot:eliza'"),
        ({"a": sb.openai("htp://x", "m")}, {}, "contestants: contestant 'a': .*begins with http://"),
        ({"a": sb.openai("http://127.0.0.1:1/v1", "m", key="NOT_SET")}, {}, "contestants: .* NOT_SET, which is not"),
        ({"a": respond}, {"segment": [2]}, "^segment: there is no such option. Did you mean 'segments'"),
        ({"a": respond}, OPTIONS, "^study: .*one contestant makes no pair"),
        ({"a": lambda text: "a", "b": lambda text: "b"}, {}, "'a' and 'b' are both called .*<lambda>"),
    ],
)
def test_what_is_wrong_is_a_value_error_that_names_the_argument(folder, bots, options, says):
    with pytest.raises(ValueError, match=says):
        sb.selfplay(bots, "s", progress=False, **options)
    assert not (folder / "s").exists()
