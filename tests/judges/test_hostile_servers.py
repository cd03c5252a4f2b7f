"""Servers that answer anything but what they should: judges and contestants end in counted gaps or a clear error."""

import gzip
import json
import time
from http.server import BaseHTTPRequestHandler

import openai._base_client as openai_client
import pytest
from chat_servers import Served, chat_agents, replies
from small_study import SURVEY, spot_study

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges import language_model
from parlai_spotbot.judges.language_model.options import read_options
from parlai_spotbot.judges.run import judge_study

TIMEOUT = 0.7
HUGE = 10**400


def completion(content="fine", **fields):
    choice = {"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    return {"choices": [choice], "model": "m", "usage": {"prompt_tokens": 5, "completion_tokens": 5}, **fields}


def message(**fields):
    return {"choices": [{"message": fields, "finish_reason": "stop"}]}


ESCAPES = "\x1b[2J\x1b]0;title\x07\x9b31m\u202e\ud83d"
BODIES = {
    "HTML": "<html><body>Log in</body></html>",
    "nothing": "",
    "no JSON": "{'choices': []}",
    "truncated": json.dumps(completion())[:40],
    "null": "null",
    "a number": "17",
    "a list": "[1, 2]",
    "deep": "[" * 200_000,
    "long number": '{"choices": ' + "9" * 6000 + "}",
    "half a character": '{"choices": [{"message": {"content": "\\ud83d"}}]}',
    "NUL bytes": b"\x00" * 5000,
    "no UTF-8": b'{"choices": "\xff\xfe"}',
    "an error": {"error": {"message": f"over{ESCAPES}loaded", "code": 503}},
    "an error of text": {"error": "overloaded"},
    "no choices": {},
    "empty choices": {"choices": []},
    "choices of text": {"choices": "fine"},
    "a choice of null": {"choices": [None]},
    "a message of text": {"choices": [{"message": "fine"}]},
    "content of a number": message(content=3),
    "content of a dict": message(content={"text": "fine"}),
    "content of odd parts": message(content=[None, 3, {"type": "text"}, {"text": 7}, {"text": {"value": "fine"}}]),
    "a list as finish_reason": {"choices": [{"message": {"content": ""}, "finish_reason": ["stop"]}]},
    "usage 10^400": completion(usage={"prompt_tokens": HUGE, "completion_tokens": HUGE}),
    "usage below 0": completion(usage={"prompt_tokens": -5, "completion_tokens": -1}),
    "usage of text": completion(usage={"prompt_tokens": "many", "completion_tokens": None}),
    "usage of a list": completion(usage=[1]),
    "usage NaN": json.dumps(completion(usage={"prompt_tokens": float("nan"), "completion_tokens": float("inf")})),
    "model of a dict": completion(model={"a": [1] * 500}, system_fingerprint=[ESCAPES] * 99),
    "escape sequences": completion(ESCAPES, model=ESCAPES, system_fingerprint=ESCAPES),
    "10 MB": completion("a" * 10_000_000),
    "10 MB packed": gzip.compress(json.dumps(completion("a" * 10_000_000)).encode()),
    "broken gzip": b"\x1f\x8b" + b"no gzip" * 9,
    "a stream that breaks off": 'data: {"choices": [{"delta": {"content": "fi"}}]}\n\n',
    "a stream of odd events": 'data: 3\n\ndata: {"choices": [3]}\n\ndata: {"choices": {"a": 1}}\n\n',
    "a stream with an error": 'data: {"error": {"message": "overloaded"}}\n\ndata: [DONE]\n\n',
}
STATUSES = {
    "204": (204, {}, b""),
    "201 without a body": (201, {}, b""),
    "302 in circles": (302, {"Location": "/v1/chat/completions"}, b""),
    "304": (304, {}, b""),
    "400 with escapes": (400, {}, json.dumps({"error": {"message": ESCAPES * 500, "code": [1]}}).encode()),
    "400 refuses all": (
        400,
        {},
        b'{"error": {"message": "max_tokens temperature seed stream json system not supported"}}',
    ),
    "422": (422, {}, b'{"detail": [{"loc": ["body", "model"], "msg": "no"}]}'),
    "429 for a day": (429, {"Retry-After": "86400"}, b"{}"),
    "429 for NaN seconds": (429, {"Retry-After": "nan"}, b"{}"),
    "500 in HTML": (500, {}, b"<html>\x1b[31m</html>"),
    "599": (599, {}, b"\xff"),
}
DRIPS = ("silent", "drip", "endless", "endless header", "no HTTP", "closes", "claims more")


class Hostile(Served):
    """Answers every request with what `name` stands for; after `honest` requests that are answered well."""

    def __init__(self, name, honest=0):
        super().__init__(_HostileHandler)
        self.name, self.honest, self.asked = name, honest, 0


class _HostileHandler(BaseHTTPRequestHandler):
    owner: Hostile

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.owner.asked += 1
        if self.owner.asked <= self.owner.honest:
            return self._send(200, {}, json.dumps(completion()).encode())
        if self.owner.name in STATUSES:
            return self._send(*STATUSES[self.owner.name])
        if self.owner.name in DRIPS:
            return self._drip(self.owner.name)
        body = BODIES[self.owner.name]
        raw = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
        self._send(200, {"Content-Encoding": "gzip"} if raw.startswith(b"\x1f\x8b") else {}, raw)

    do_GET = do_POST

    def _send(self, status, headers, raw):
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(raw)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(raw)

    def _drip(self, name):
        self.close_connection = True
        if name == "silent":
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


NAMES = [*BODIES, *STATUSES, *DRIPS]


@pytest.mark.parametrize("name", NAMES)
def test_a_judge_behind_it_ends_in_counted_gaps_or_a_clear_error(tmp_path, capfd, name):
    study = spot_study(tmp_path / "study")
    given = {"timeout": TIMEOUT, "retries": 1, "price_prompt": 1.0}
    began = time.monotonic()
    with Hostile(name) as server:
        options = read_options({"url": server.url, "model": "m", **given}, "test")
        try:
            summary = judge_study(study, SURVEY, language_model.JUDGE(0, "hostile", options), progress=False)
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
        judge_study(study, SURVEY, language_model.JUDGE(0, "hostile", options), progress=False)

    def play(url):
        with chat_agents() as new:
            new(url, **{f"openai_{name}": value for name, value in given.items()})

    for ask in (judge, play):
        with Hostile("silent") as server, pytest.raises(UserError, match=f"no whole answer within {TIMEOUT}"):
            ask(server.url)
        assert server.asked == 1
        assert f"{server.url}: no answer yet, waiting {TIMEOUT} seconds at most" in capfd.readouterr().out
