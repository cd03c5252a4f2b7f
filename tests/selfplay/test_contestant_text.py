"""Contestants written as one text: a server's model, a function, a model of a folder, an agent, with settings."""

import importlib
import sys
from pathlib import Path

import pytest
from in_process import spotbot

from parlai_spotbot.errors import UserError
from parlai_spotbot.scripts.spotbot_contestants import SpotbotContestants
from parlai_spotbot.selfplay.contestant_text import contestant_of, split
from parlai_spotbot.selfplay.named_bots import NamedBot, asked_contestants
from parlai_spotbot.selfplay.pool import read_pool
from parlai_spotbot.study import Study

MODULE = "bots_that_are_named_one_by_one"
CODE = """
def respond(history):
    return f"turn {len(history)} it is"

async def later(text):
    return "so you say " + text[:9]

class Kim:
    def __init__(self):
        self.turns = None
    def reset(self):
        self.turns = 0
    async def reply(self, messages):
        self.turns += 1
        return f"{self.turns}: {messages[0]['content']}"

def fails(text):
    return {}["no idea"]

def silent(text):
    return None

NUMBER = 3
"""
SERVER = "http://127.0.0.1:1/v1#m"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The current folder, with code and words in it."""
    (tmp_path / f"{MODULE}.py").write_text(CODE)
    (tmp_path / "kim.txt").write_text("your persona: i am kim.\n")
    (tmp_path / "told.txt").write_text("Be short, please.\n")
    (tmp_path / "models" / "mine").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    importlib.invalidate_caches()
    return tmp_path


def asked(*named, pool=None):
    return asked_contestants(pool, NamedBot(), NamedBot(), named)[0]


def test_what_a_text_says_is_an_entry_of_a_pool(folder):
    entry = contestant_of("a", f"{SERVER},key=A_KEY,system=told.txt,temperature=0.5,turn_timeout=9", "here", folder)
    assert entry.to_json() == {
        "model": "spotbot:openai_chat",
        "opt": {
            "openai_url": "http://127.0.0.1:1/v1",
            "openai_model": "m",
            "openai_key_variable": "A_KEY",
            "openai_system": "Be short, please.",
            "temperature": 0.5,
        },
        "turn_timeout": 9.0,
    }
    entry = contestant_of("a", f"{MODULE}:Kim,persona=kim.txt", "here", folder)
    assert entry.to_json() == {"model": f"{MODULE}:Kim", "persona": "your persona: i am kim.", "code": str(folder)}
    entry = contestant_of("a", "hf:models/mine,system=told.txt,lm_dtype=fp32", "here", folder)
    told = {"lm_model": str(folder / "models" / "mine"), "lm_dtype": "fp32", "lm_system": "Be short, please."}
    assert entry.to_json() == {"model": "spotbot:causal_lm", "opt": told}
    assert contestant_of("a", "hf:Qwen/Qwen2.5-0.5B", "here", folder).opt == {"lm_model": "Qwen/Qwen2.5-0.5B"}
    assert contestant_of("a", "models/mine,beam_size=4", "here", folder).to_json() == {
        "model_file": "models/mine",
        "opt": {"beam_size": 4},
    }


def test_commas_and_signs_of_an_address_stay_in_it():
    address = "https://example.org/v1?api-version=2,5#my,model"
    assert split(f"{address},temperature=1,topp=0.9") == (address, "temperature=1,topp=0.9")
    assert split(address) == (address, "")


def test_a_pool_s_texts_are_read_in_the_same_way(folder):
    pool = folder / "sub" / "pool.yaml"
    pool.parent.mkdir()
    (pool.parent / "kim.txt").write_text("your persona: i am another kim.")
    pool.write_text(f"a: '{SERVER},temperature=0.5'\nb: spotbot:eliza,persona=kim.txt\n")
    found = read_pool(str(pool))
    assert found["a"] == asked(f"a={SERVER},temperature=0.5", "b=spotbot:eliza")["a"]
    assert found["b"].persona == "your persona: i am another kim."  # the one beside the pool


def test_the_code_of_a_pair_lies_in_the_current_folder_too(folder):
    """Where commands are scripts the folder they are started in isn't on Python's path."""
    sys.path[:] = [path for path in sys.path if path not in ("", str(folder))]
    found, pairs = asked_contestants(None, NamedBot(model=f"{MODULE}:respond"), NamedBot(model=f"{MODULE}:later"))
    assert pairs == (("respond", "later"),)
    assert found["later"].code == str(folder)


def test_they_go_with_a_pool_or_without_one(folder):
    assert list(asked(f"mine={MODULE}:respond", "el=spotbot:eliza")) == ["mine", "el"]
    assert set(asked(f"mine={MODULE}:respond", pool="rules")) == {"mine", *read_pool("rules")}


@pytest.mark.parametrize(
    ("named", "says"),
    [
        (["mine"], "--contestant …: expected NAME=WHAT. Write for example --contestant mine=my_bot:respond."),
        (["mine="], "--contestant mine: expected NAME=WHAT."),
        (["a b=spotbot:eliza"], "--contestant a b: expected NAME=WHAT."),
        (["human=spotbot:eliza"], "contestant 'human': not a valid name"),
        (["a=spotbot:eliza", "a=spotbot:alice"], "--contestant a: the name is in another --contestant too."),
        (["a=http://127.0.0.1:1/v1"], "'a': http://127.0.0.1:1/v1: which model of that server?"),
        (["a=http://127.0.0.1:1/v1,key=K"], "which model of that server?"),
        (["a=htp://127.0.0.1:1/v1#m"], "'a': htp://… is no server."),
        (["a=http://#m"], "input should be an address that begins with http:// or https://."),
        ([f"a={SERVER},key=NOT_SET_ANYWHERE"], "from the environment variable NOT_SET_ANYWHERE, which is not set."),
        ([f"a={SERVER},key="], "'a': 'key=' names nothing. Name an environment variable."),
        ([f"a={SERVER},system=no.txt"], "'a': system=no.txt: can't be read: No such file"),
        ([f"a={SERVER},tempreature=1"], "has no option 'tempreature'. Did you mean 'temperature'?"),
        ([f"a={SERVER},turn_timeout=soon"], "field 'turn_timeout' is 'soon'"),
        (["a=no_such_module:respond"], "Put no_such_module.py into the folder of the pool, or where you start"),
        ([f"a={MODULE}:nix"], "has no attribute 'nix'). Check the module and class."),
        ([f"a={MODULE}:repsond"], "has no attribute 'repsond'). Did you mean 'respond'?"),
        ([f"a={MODULE}:NUMBER"], "is a int, no function and no class."),
        ([f"a={MODULE}:respond,key=K"], f"'a': 'key=' isn't for {MODULE}:respond: spotbot:openai_chat has it."),
        ([f"a={MODULE}:respond,system=told.txt"], "What a function is told of itself is its 'persona='."),
        (["a=hf:./models/none"], "'a': hf:./models/none: no such folder."),
        (["a=models/none"], "models/none does not exist"),
    ],
)
def test_what_is_wrong_is_named(folder, named, says):
    with pytest.raises(UserError) as caught:
        asked(*named)
    assert says in str(caught.value)


def test_a_key_in_the_place_of_its_variable_is_not_repeated(folder):
    key = "sk-abcdefghijk1234567890"
    out, err = spotbot("contestants", "--contestant", f"a={SERVER},key={key}", code=2)
    assert "it looks like a key" in err
    assert key not in out + err


def test_a_name_of_the_pool_and_a_pair_beside_are_errors(folder):
    with pytest.raises(UserError, match="--contestant eliza: the name is in --pool rules too"):
        asked("eliza=spotbot:eliza", pool="rules")
    with pytest.raises(UserError, match="--contestant and -mf/-m are both given"):
        asked_contestants(None, NamedBot(model="spotbot:alice"), NamedBot(), ["a=spotbot:eliza"])


def test_options_by_name_are_the_same(folder, capsys):
    SpotbotContestants.main(contestant=["one=spotbot:eliza", f"mine={MODULE}:respond"])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()[2:4]] == ["one", "mine"]


def test_all_problems_come_at_once(folder):
    with pytest.raises(UserError, match="2 problems") as caught:
        asked("a=htp://x#m", f"b={MODULE}:nix")
    assert "contestant 'a'" in str(caught.value)
    assert "contestant 'b'" in str(caught.value)


def test_a_server_a_function_a_class_and_an_agent_play(folder, monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "agents"))
    import chat_servers

    monkeypatch.setenv("ITS_KEY", chat_servers.KEY)
    with chat_servers.ChatServer(key=chat_servers.KEY) as server:
        named = {
            "served": f"{server.url}#parrot-1,key=ITS_KEY,system=told.txt,persona=kim.txt",
            "kim": f"{MODULE}:Kim,persona=kim.txt",
            "later": f"{MODULE}:later",
            "el": "spotbot:eliza",
        }
        words = [word for name, what in named.items() for word in ("--contestant", f"{name}={what}")]
        spotbot("contestants", *words, "--try")
        play = ["selfchat", "--study", "s", "--conversations-per-pair", 1, "--segments", 2, *words]
        spotbot(*play)
        before = (folder / "s" / "conversations.jsonl").read_bytes()
        spotbot(*play)  # goes on: there is nothing left to play
        spotbot("selfchat", "--study", "again", *play[3:])
        assert (folder / "again" / "conversations.jsonl").read_bytes() == before
    assert server.bodies[-1]["messages"][0] == {
        "role": "system",
        "content": "Be short, please.\nyour persona: i am kim.",
    }
    study = Study.open(folder / "s")
    assert list(study.plan.contestants) == list(named)
    assert study.plan.contestants["kim"].persona == "your persona: i am kim."
    said = {turn.text for row in study.conversations() for turn in row.turns[2:] if turn.speaker == "kim"}
    assert "1: your persona: i am kim." in said
    assert "2: your persona: i am kim." in said
    assert chat_servers.KEY not in (folder / "s" / "study.yaml").read_text()


def test_one_that_fails_is_named_and_the_study_takes_a_further_one(folder):
    words = ["--contestant", "el=spotbot:eliza", "--contestant", f"mine={MODULE}:respond"]
    play = ["selfchat", "--study", "s", "--conversations-per-pair", 1, "--segments", 2]
    spotbot(*play, *words)
    bad = ["--contestant", f"bad={MODULE}:fails", "--contestant", f"none={MODULE}:silent"]
    spotbot(*play, *bad, code=1)
    failed = (folder / "s" / "failures.jsonl").read_text()
    assert "KeyError: 'no idea'" in failed
    assert f"{MODULE}:silent returned None, which is no text" in failed
    assert list(Study.open(folder / "s").plan.contestants) == ["el", "mine", "bad", "none"]


def test_nothing_is_left_where_a_text_is_wrong(folder):
    before = sorted(folder.rglob("*"))
    spotbot("selfchat", "--study", "s", "--contestant", "a=spotbot:elisa", code=2)
    _, err = spotbot("tournament", "--study", "s", "--contestant", "a=spotbot:eliza", code=2)
    assert "one contestant makes no pair" in err
    assert sorted(folder.rglob("*")) == before
