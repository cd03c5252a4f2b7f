"""What the tests of the server share: a desk that notes what it is asked, and requests over real sockets."""

import contextlib
import functools
import http.client
import json
import socket
import threading
import time
from urllib.parse import parse_qsl, urlsplit

from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.crowdsourcing.platforms.in_house import InHouseDoor
from parlai_spotbot.crowdsourcing.server.page_server import PageServer, PageServerOptions
from tests.crowdsourcing.office import SECRET, practised


def server_of(desk, page, door=None, **options):
    """Return a server of a desk, or of what makes one."""
    make = desk if callable(desk) else lambda: desk
    return PageServer(make, door or InHouseDoor(SECRET), SECRET, PageServerOptions(page, **options))


class RecordingDesk:
    """Answers with what it was asked; `fail` is raised instead, `gate` holds everything up while it is cleared."""

    def __init__(self):
        self.calls, self.threads, self.fail = [], set(), None
        self.expired = self.done = 0
        self.gate = threading.Event()
        self.gate.set()
        self.clock, self.waited_at = time.time, 0.0

    def _answer(self, name, visitor, body=None):
        self.threads.add(threading.get_ident())
        self.gate.wait(20)
        if self.fail is not None:
            raise self.fail
        self.calls.append((name, visitor.worker, body))
        return {"state": "ready" if visitor.worker else "preview", "progress": {"done": 1, "allowance": 3}}

    def __getattr__(self, name):
        """Answer a request of any kind."""
        if name in ("session", "consent", "next_unit", "onboarding", "give_back", "submit", "open_exchange", "decide"):
            return functools.partial(self._answer, name)
        raise AttributeError(name)

    def counts(self):
        return {"units": 2, "done": self.done, "open": 0, "free": 2 - self.done, "annotators": 0, "stopped": 0}

    def expire(self):
        self.threads.add(threading.get_ident())
        self.expired += 1
        return 0


class Client:
    """A browser's requests without its page; `seen` holds every byte of the server's answers."""

    def __init__(self, link: str):
        parts = urlsplit(link)
        self.address, self.seen, self.token = (parts.hostname, parts.port), b"", ""
        self.token = self.ok("enter", {"query": dict(parse_qsl(parts.query or parts.fragment))})["token"]

    def get(self, method, path, body=b"", more=""):
        """The whole response, headers and all."""
        head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body)}\r\n{more}\r\n"
        with socket.create_connection(self.address, timeout=60) as connection:
            connection.sendall(head.encode() + body)
            received = b"".join(iter(lambda: connection.recv(65536), b""))
        self.seen += received
        return received

    def ask(self, name, body=None):
        """(status, JSON) of POST /api/name with a body, of GET without one."""
        content = b"" if body is None else json.dumps(body).encode()
        response = self.get(
            "GET" if body is None else "POST", f"/api/{name}", content, f"Authorization: Bearer {self.token}\r\n"
        )
        return int(response.split()[1]), json.loads(response.partition(b"\r\n\r\n")[2])

    def ok(self, name, body=None):
        """The answer to a request that must be granted."""
        status, answer = self.ask(name, body)
        assert status == 200, (name, status, answer)
        return answer

    def begin(self, survey):
        """Agree, pass the onboarding, take a unit; returns the session."""
        session = self.ok("session")
        if session["state"] == "consent":
            session = self.ok("consent", {})
        if session["state"] == "onboarding":
            session = self.ok("onboarding", practised(survey, session["onboarding"]))
            assert session["onboarding_result"]["passed"], session["onboarding_result"]
        return self.ok("unit", {}) if session["state"] == "ready" else session


def token_of(worker, now=None):
    payload = {"door": "in_house", "worker": worker, "registration": "", "data": {}}
    return tokens.sign_session(SECRET, payload, time.time() if now is None else now, 60.0)


def request(server, method, path, body=None, token=None, headers=None):
    """(status, headers, body) of one request on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    fields = dict(headers or {})
    if token:
        fields["Authorization"] = f"Bearer {token}"
    if isinstance(body, (dict, list)):
        body = json.dumps(body)
    try:
        connection.request(method, path, body=body, headers=fields)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


def api(server, name, body=None, token=None):
    """(status, JSON) of an address below /api/."""
    method = "GET" if name == "session" else "POST"
    status, _, content = request(server, method, f"/api/{name}", body, token)
    return status, json.loads(content)


def raw(server, data, wait=5.0):
    """What comes back for these bytes until the server closes or `wait` seconds have passed."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=wait) as connection:
        connection.sendall(data)
        received = b""
        with contextlib.suppress(TimeoutError, ConnectionResetError):
            while chunk := connection.recv(65536):
                received += chunk
        return received
