"""Servers that answer anything but what they should: judges and contestants end in counted gaps or a clear error."""

import gzip
import json
import time
from pathlib import Path

import openai._base_client as openai_client
import pytest
import yaml

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges import language_model
from parlai_spotbot.judges.language_model.options import read_options
from parlai_spotbot.judges.run import judge_study
from parlai_spotbot.models.chat.client import ChatClient
from parlai_spotbot.models.chat.keys import Key
from tests.agents.chat_servers import Sending, Served, chat_agents, replies
from tests.judges.small_study import SURVEY, spot_study

TIMEOUT = 0.7
TABLE = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
NAMES = [*TABLE["bodies"], *TABLE["statuses"], *TABLE["drips"]]
GOOD = b'{"choices": [{"message": {"content": "fine"}}]}'
PLACES = {
    b"@DEEP@": b"[" * 200_000,
    b"@DIGITS@": b"9" * 6000,
    b"@HUGE@": b"1" + b"0" * 400,
    b"@LONG@": b"a" * 2_500_000,
    b"@ESCAPES@": rb"\u001b[2J\u001b]0;title\u0007\u009b31m\u202e\ud83d",
    b"@GZIP@": gzip.compress(b'{"choices": [{"message": {"content": "' + b"a" * 10_000_000 + b'"}}]}'),
    b"@NOGZIP@": b"\x1f\x8bno gzip\xff\x00",
}


def filled(text):
    """The bytes that a text of the table stands for."""
    raw = text.encode()
    for place, meaning in PLACES.items():
        raw = raw.replace(place, meaning)
    return raw


class Hostile(Served):
    """Answers every request with what `name` stands for; after `honest` requests that are answered well."""

    def __init__(self, name, honest=0):
        super().__init__(_HostileHandler)
        self.name, self.honest, self.asked = name, honest, 0


class _HostileHandler(Sending):
    owner: Hostile

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.owner.asked += self.command == "POST"
        name = self.owner.name
        if self.owner.asked <= self.owner.honest:
            return self.send(200, GOOD)
        if name in TABLE["drips"] or name == "silent chat":
            return self._drip(name)
        status, headers, text = TABLE["statuses"].get(name) or (200, {}, TABLE["bodies"][name])
        raw = filled(text)
        self.send(status, raw, **headers, **({"Content-Encoding": "gzip"} if raw[:2] == b"\x1f\x8b" else {}))

    do_GET = do_POST

    def _drip(self, name):
        self.close_connection = True
        if name == "silent chat" and self.command == "GET":
            self.send(200, {"data": [{"id": "m"}]})
        elif name.startswith("silent"):
            self.owner.closing.wait(30)
        elif name == "no HTTP":
            self.wfile.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")
        elif name == "claims more":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99999\r\n\r\n{}")
        elif name != "closes":
            start = b"HTTP/1.1 200 OK\r\nX: " + (b"" if name == "endless header" else b"1\r\n\r\n")
            self.wfile.write(start)
            while not self.owner.closing.is_set():
                self.wfile.write(b" " if name == "drip" else b"a" * 65536)
                time.sleep(0.05 if name == "drip" else 0)


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(openai_client, "INITIAL_RETRY_DELAY", 0.01)
    monkeypatch.setattr(openai_client, "MAX_RETRY_DELAY", 0.01)


def is_clean(text):
    return not any(mark in text for mark in "\x1b\x07\x9b\u202e\ud83d")


@pytest.mark.parametrize("name", NAMES)
def test_a_judge_behind_it_ends_in_counted_gaps_or_a_clear_error(tmp_path, capfd, name):
    study = spot_study(tmp_path / "study")
    given = {"timeout": TIMEOUT, "retries": 1, "price_prompt": 1.0}
    began = time.monotonic()
    with Hostile(name) as server:
        options = read_options({"url": server.url, "model": "m", **given}, "test")
        try:
            summary = judge_study(study.load(SURVEY), language_model.JUDGE(0, "hostile", options), progress=False)
            said = files.dumps(summary)
            assert summary["missing"]["n"] + summary["not_asked"] == 40
            assert summary["stopped"] or summary["missing"]["n"] == 40
        except UserError as err:
            said = f"{err} {err.remedy}"
    assert time.monotonic() - began < 15
    path = study.survey_path(SURVEY) / "judges" / "hostile" / "raw.jsonl"
    kept = path.read_text(encoding="utf-8") if path.exists() else ""
    assert is_clean(said + kept + "".join(capfd.readouterr()))
    assert len(kept) < 300_000


@pytest.mark.parametrize("name", NAMES)
def test_a_contestant_behind_it_ends_in_a_reason_or_a_clear_error(capfd, name):
    given = {"openai_timeout": TIMEOUT, "openai_retries": 1}
    began = time.monotonic()
    with chat_agents() as new:
        with Hostile(name) as server:
            try:
                agent = new(server.url, **given)
                said = str(replies(agent, "hi"))
            except UserError as err:
                said = f"{err} {err.remedy}"
        with Hostile(name, honest=1) as server:
            (act,) = replies(agent := new(server.url, **given), "hi")
            assert bool(act["text"]) != bool(act.get("failure"))
            assert len(act["text"]) < 5000
            usage = json.dumps(agent.provenance())
    assert time.monotonic() - began < 15
    assert is_clean(said + str(act) + usage + "".join(capfd.readouterr()))


def test_a_server_that_hangs_at_first_is_waited_for_once_and_that_is_said(tmp_path, capfd, monkeypatch):
    from parlai_spotbot.models.chat import client

    monkeypatch.setattr(client, "PATIENCE", 0.2)
    study, given = spot_study(tmp_path / "study"), {"timeout": TIMEOUT, "retries": 5}

    def judge(url):
        options = read_options({"url": url, "model": "m", **given}, "test")
        judge_study(study.load(SURVEY), language_model.JUDGE(0, "hostile", options), progress=False)

    def play(url):
        with chat_agents() as new:
            new(url, **{f"openai_{name}": value for name, value in given.items()})

    def play_on(url):
        client = ChatClient(read_options({"url": url, "model": "m", **given}, "test"), Key())
        assert client.unreachable() is None
        (answer,) = client.ask([{}])
        raise UserError(str(answer))

    for ask, silent in [(judge, "silent"), (play, "silent"), (play, "silent chat"), (play_on, "silent chat")]:
        with Hostile(silent) as server, pytest.raises(UserError, match=f"no whole answer within {TIMEOUT}"):
            ask(server.url)
        assert server.asked == 1
        assert f"{server.url}: no answer yet, waiting {TIMEOUT} s at most" in capfd.readouterr().out
