"""Chat servers for the tests of `openai_chat`: one that keeps to OpenAI's protocol, and a proxy that breaks things.

The server checks requests as strictly as the real ones do, and answers what the test says. The proxy stands before any
server, that one or a real one, and lets the faults of a list happen, one a request.
"""

import base64
import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from parlai_spotbot import compat, plugin

FIELDS = {
    "model": str,
    "messages": list,
    "max_tokens": int,
    "response_format": dict,
    "temperature": (int, float),
    "top_p": (int, float),
    "seed": int,
    "stop": (str, list),
    "stream": bool,
    "n": int,
    "user": str,
    "reasoning_effort": str,
    "max_completion_tokens": int,
    "stream_options": dict,
}
CREATED = 1_700_000_000


KEY = "sk-test-T0psecret/4+notToBeSeen="
FORMS = [KEY, base64.b64encode(KEY.encode()).decode().rstrip("="), "sk-test-T0psecret%2F4%2BnotToBeSeen%3D"]
BLABBING = {"model": f"parrot-{KEY}", "system_fingerprint": KEY}


def answers_to(body: dict, pick: Callable[[list, str], str] = lambda labels, question: labels[0]) -> str:
    """JSON with an answer to every question of a judge's request; `pick` gets a question's labels and its text."""
    text, said = body["messages"][-1]["content"], {}
    forms = re.findall(r'^"(Q\d+)" is (.*)$', text, re.MULTILINE) or [("answer", text.splitlines()[-1])]
    for name, form in forms:  # in words, since not all servers take a schema
        labels = re.findall(r'"(\w+)"', form.rpartition(" of ")[2]) or ["It is well."]
        picked = pick(labels, text.partition(f"\n\n{name}. ")[2].partition("\n\nQ")[0] or text)
        said[name] = [picked] if "list" in form else picked
    return json.dumps(said)


def judged(body: dict) -> str:
    """The answers of a judge that takes everybody for human who doesn't say "hm"."""
    spoken = body["messages"][-1]["content"].splitlines()

    def pick(labels: list, question: str) -> str:
        lines = question.splitlines()
        numbers = {line.split(". ", 1)[1]: line.split(".")[0] for line in lines if re.match(r"\d\. ", line)}
        asked = next((match[1] for line in lines if (match := re.match(r"Is (Entity .) a human", line))), None)
        hums = any(line.startswith(f"{asked}:") and "hm" in line for line in spoken)
        return numbers.get("No difference" if asked is None else "Bot" if hums else "Human", labels[0])

    return answers_to(body, pick)


class Refused(Exception):
    """What the server answers instead of a completion."""

    def __init__(self, status: int, message: str, code: str | None = None, **headers: str):
        self.status, self.headers = status, headers
        self.body = {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": code}}
        super().__init__(message)


def checked(body: dict, models: tuple[str, ...]) -> None:
    """Refuse a request that OpenAI's protocol doesn't allow."""
    for name, value in body.items():
        if name not in FIELDS:
            raise Refused(400, f"Unrecognized request argument supplied: {name}")
        if not isinstance(value, FIELDS[name]):
            raise Refused(400, f"Invalid type for '{name}'.")
    if body.get("model") not in models:
        raise Refused(404, f"The model `{body.get('model')}` does not exist.", "model_not_found")
    if not 0 <= body.get("temperature", 1) <= 2 or body.get("max_tokens", 1) < 1:
        raise Refused(400, "Out of range.")
    rows = body.get("messages") or []
    for row in rows:
        if set(row) != {"role", "content"} or row["role"] not in ("system", "developer", "user", "assistant"):
            raise Refused(400, "Invalid message.")
    if not rows or rows[-1]["role"] != "user":
        raise Refused(400, "The last message must be the user's.")


class _Listening(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128  # of the usual 5, some of many that come at once are turned away


class Served:
    """A server in threads of its own, until the end of the ``with``; ``url`` is what clients are told."""

    def __init__(self, handler: type[BaseHTTPRequestHandler]):
        ours = self
        self.closing = threading.Event()

        class Handler(handler):
            protocol_version = "HTTP/1.1"
            owner = ours

            def log_message(self, *args):
                pass

        self._server = _Listening(("127.0.0.1", 0), Handler)
        self._server.handle_error = lambda *args: None  # clients that hang up are part of the tests
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *exc):
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class ChatServer(Served):
    """OpenAI's protocol. `say` gets a request's body and gives a text, fields of a choice, or `Refused`."""

    def __init__(
        self,
        say: Callable[[dict], str | dict] = lambda body: f"You said: {body['messages'][-1]['content']}",
        models: tuple[str, ...] = ("parrot-1",),
        key: str = "",
        answer: dict | None = None,
    ):
        super().__init__(_ChatHandler)
        self.say, self.models, self.key = say, models, key
        self.answer = answer or {}
        self.bodies: list[dict] = []
        self.headers: list[dict] = []
        self.paths: list[str] = []
        self.lock = threading.Lock()

    @property
    def played(self) -> list[dict]:
        """The requests after the first, which is the agent's greeting."""
        return self.bodies[1:]

    def kill_after(self, process: subprocess.Popen, requests: int) -> None:
        """Kill a running process once it has sent so many requests, and wait for those under way."""
        deadline = time.monotonic() + 240
        while len(self.bodies) < requests:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.002)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        time.sleep(0.3)


def blab(body: dict) -> str:
    """Say the key wherever that is possible: in errors when asked for trouble, else in the reply."""
    last = body["messages"][-1]["content"]
    if "trouble" in last:
        raise Refused(500 if "big" in last else 400, f"your key was {KEY}, {FORMS[1]} and {FORMS[2]}", KEY)
    return f"I know your key, {KEY}! It is {FORMS[1]}."


def seen(text: object) -> bool:
    """Whether the key is in what `text` prints as."""
    return any(form in str(text) for form in FORMS)


class Sending(BaseHTTPRequestHandler):
    def send(self, status: int, body: bytes | dict, kind: str = "application/json", **headers) -> None:
        """An answer; headers that are not said otherwise are those of a whole one."""
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in ({"Content-Type": kind, "Content-Length": len(raw)} | headers).items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(raw)


class _ChatHandler(Sending):
    owner: ChatServer

    def do_GET(self):
        rows = [{"id": name, "object": "model", "created": CREATED, "owned_by": "us"} for name in self.owner.models]
        self.send(200, {"object": "list", "data": rows})

    def do_POST(self):
        owner = self.owner
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with owner.lock:
            owner.bodies.append(body)
            owner.headers.append(dict(self.headers))
            owner.paths.append(self.path)
            number = len(owner.bodies)
        try:
            if not urlsplit(self.path).path.endswith("/v1/chat/completions"):
                raise Refused(404, "Not Found")
            given = self.headers.get("Authorization", "").removeprefix("Bearer ")
            if owner.key and given != owner.key:
                raise Refused(401, f"Incorrect API key provided: {given}.", "invalid_api_key")
            checked(body, owner.models)
            said = owner.say(body)
        except Refused as err:
            return self.send(err.status, err.body, **err.headers)
        choice = {"message": {"role": "assistant", "content": said}} if isinstance(said, str) else said
        choice = {"index": 0, "finish_reason": "stop", **choice}
        words = sum(len(row["content"].split()) for row in body["messages"])
        made = len(str(choice["message"].get("content") or "").split())
        whole = {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "created": CREATED + number,
            "model": f"{body['model']}-2026-01-31",
            "system_fingerprint": "fp_1",
            "choices": [choice],
            "usage": {"prompt_tokens": words, "completion_tokens": made, "total_tokens": words + made},
            **owner.answer,
        }
        if not body.get("stream"):
            return self.send(200, whole)
        events = [": a comment"]
        content = choice["message"].get("content") or ""
        for at in range(0, len(content), 7):
            delta = {"index": 0, "delta": {"content": content[at : at + 7]}, "finish_reason": None}
            events.append("data: " + json.dumps({**whole, "usage": None, "choices": [delta]}))
        last = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
        events.append("data: " + json.dumps({**whole, "usage": None, "choices": [last]}))
        if body.get("stream_options", {}).get("include_usage"):
            events.append("data: " + json.dumps({**whole, "choices": []}))
        self.send(200, "\n\n".join([*events, "data: [DONE]", ""]).encode(), "text/event-stream")


SAID = {
    "malformed": (200, b'{"choices": [{"message": {"content": "hel'),
    "html": (200, b"<html><body>Please log in</body></html>", "text/html; charset=utf-8"),
    "text": (200, b'{"status": "fine"}'),
}


class Proxy(Served):
    """Passes requests on to the server at `url`, except where a fault is due: the next of `faults`.

    Faults: a status; (status, headers); silent, refuse (hangs up at once), cut (in the middle of the answer), slow
    (a byte now and then, for ever), endless (bytes without end), malformed, html, text (no chat completion), moved,
    None (none).
    """

    def __init__(self, url: str, faults: list | None = None, greeting: bool = True):
        super().__init__(_ProxyHandler)
        self.to = urlsplit(url)
        self.faults = ([None] if greeting else []) + list(faults or [])
        self.seen: list = []
        self.bodies: list[dict] = []
        self.lock = threading.Lock()

    def fault(self):
        """What is to happen to a request."""
        with self.lock:
            self.seen.append(self.faults.pop(0) if self.faults else None)
            return self.seen[-1]


class _ProxyHandler(Sending):
    owner: Proxy

    def do_GET(self):
        self._pass_on(b"")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        fault = self.owner.fault()
        self.owner.bodies.append(json.loads(body))
        status, headers = fault if isinstance(fault, tuple) else (fault, {})
        if isinstance(status, int):
            return self.send(status, b'{"error": {"message": "made up"}}', **headers)
        if status in SAID:
            return self.send(*SAID[status])
        with contextlib.suppress(OSError):
            getattr(self, f"_{status}", self._pass_on)(body)

    def _fetch(self, body: bytes) -> tuple[int, str, bytes]:
        to = self.owner.to
        upstream = http.client.HTTPConnection(to.hostname, to.port, timeout=120)
        headers = {n: v for n, v in self.headers.items() if n.lower() not in ("host", "connection", "accept-encoding")}
        try:
            upstream.request(self.command, self.path, body or None, headers)
            answer = upstream.getresponse()
            return answer.status, answer.getheader("Content-Type", ""), answer.read()
        finally:
            upstream.close()

    def _pass_on(self, body: bytes):
        status, kind, raw = self._fetch(body)
        self.send(status, raw, kind)

    def _hang_up(self):
        self.close_connection = True
        self.wfile.flush()

    def _silent(self, body: bytes):
        self.owner.closing.wait(60)
        self._hang_up()

    def _refuse(self, body: bytes):
        self._hang_up()

    def _cut(self, body: bytes):
        status, kind, raw = self._fetch(body)
        self.send(status, raw[: len(raw) // 2], kind, **{"Content-Length": len(raw)})
        self._hang_up()

    def _slow(self, body: bytes):
        self.send(200, b"{", **{"Content-Length": 10**6})
        while not self.owner.closing.is_set():
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.05)

    def _endless(self, body: bytes):
        self.send(200, b'{"choices": [{"message": {"content": "', **{"Content-Length": 10**12})
        while not self.owner.closing.is_set():
            self.wfile.write(b"and so on " * 1000)

    def _moved(self, body: bytes):
        self.send(307, b"", Location="https://elsewhere.example/v1/chat/completions")


@contextlib.contextmanager
def chat_agents():
    """Give a function that makes an agent for the server at `url`; all are closed in the end."""
    from parlai.core.agents import create_agent
    from parlai.core.opt import Opt

    compat.install()
    plugin.register()
    made = []

    def new(url, **options):
        given = {"openai_url": url, "openai_model": "parrot-1", "openai_timeout": 20.0, **options}
        made.append(create_agent(Opt({"model": "spotbot:openai_chat", "override": {}, **given})))
        return made[-1]

    try:
        yield new
    finally:
        for agent in made:
            agent.shutdown()


def hear(agent, *texts, seed=0):
    """A clone that has heard `texts`, one from each side in turn, the last from the partner; and what it observed."""
    clone = agent.clone()
    clone.reset()
    clone.set_conversation_seed(seed)
    for index, text in enumerate(texts):
        if (len(texts) - index) % 2:
            observed = clone.observe({"id": "partner", "text": text, "episode_done": False})
        else:
            clone.self_observe({"id": "self", "text": text})
    return clone, observed


def replies(agent, *texts):
    """What `agent` answers to each of `texts`, each the first turn of a conversation of its own."""
    return agent.batch_act([hear(agent, text)[1] for text in texts])
