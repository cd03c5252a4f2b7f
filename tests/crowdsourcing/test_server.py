"""The server over real sockets: statuses, limits, headers, what is logged and kept, many and slow clients, its end."""

import contextlib
import errno
import http.client
import json
import logging
import socket
import sqlite3
import threading
import time

import pytest

from parlai_spotbot.crowdsourcing import handlers, tokens
from parlai_spotbot.crowdsourcing import server as server_module
from parlai_spotbot.crowdsourcing.contract import Refusal
from parlai_spotbot.crowdsourcing.doors import InHouseDoor, MTurkDoor
from parlai_spotbot.crowdsourcing.server import Server, listen
from parlai_spotbot.errors import UserError

SECRET = bytes(range(32))


class RecordingDesk:
    """Answers with what it was asked; `fail` is raised instead, `gate` holds everything up while it is cleared."""

    def __init__(self):
        self.calls, self.threads, self.fail = [], set(), None
        self.expired = self.done = 0
        self.gate = threading.Event()
        self.gate.set()
        self.state = "ready"

    def _answer(self, name, visitor, body=None):
        self.threads.add(threading.get_ident())
        self.gate.wait(20)
        if self.fail is not None:
            raise self.fail
        self.calls.append((name, visitor.worker, body))
        return {"state": self.state if visitor.worker else "preview", "progress": {"done": 1, "allowance": 3}}

    def session(self, visitor):
        return self._answer("session", visitor)

    def consent(self, visitor):
        return self._answer("consent", visitor)

    def next_unit(self, visitor):
        return self._answer("unit", visitor)

    def onboarding(self, visitor, body):
        return self._answer("onboarding", visitor, body)

    def give_back(self, visitor, body):
        return self._answer("return", visitor, body)

    def submit(self, visitor, body):
        return self._answer("submit", visitor, body)

    def open_exchange(self, visitor, body):
        return self._answer("open", visitor, body)

    def decide(self, visitor, body):
        return self._answer("decide", visitor, body)

    def counts(self):
        return {"units": 2, "done": self.done}

    def expire(self):
        self.threads.add(threading.get_ident())
        self.expired += 1
        return 0


@pytest.fixture
def page(tmp_path):
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>page</title>" + "x" * 2000)
    (folder / "assets" / "main.0123abcd.js").write_text("console.log(1);" * 100)
    (folder / "icon.svg").write_text("<svg/>")
    (tmp_path / "secret.txt").write_text("not to be served")
    return folder


@pytest.fixture
def served(tmp_path, page):
    desk = RecordingDesk()
    server = Server(desk, [InHouseDoor(SECRET)], page, tmp_path / "refused.jsonl", secret=SECRET,
                    log_path=tmp_path / "server.log", expire_every=0.05)  # fmt: skip
    server.start()
    yield server
    desk.gate.set()
    server.stop()


def token_of(worker, seconds=60.0, now=None):
    payload = {"door": "in_house", "worker": worker, "registration": "", "data": {}}
    return tokens.sign_session(SECRET, payload, time.time() if now is None else now, seconds)


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


def api(server, name, body=None, token=None, method=None):
    """(status, JSON) of an address below /api/."""
    method = method or ("GET" if name == "session" else "POST")
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


# -- who asks ----------------------------------------------------------------------------------------------------------
def test_a_signed_link_opens_a_session(served):
    link = tokens.in_house_link(served.url, SECRET, "Zoë 🦉")
    query = {"t": link.partition("?t=")[2]}
    status, answer = api(served, "enter", {"query": query})
    assert status == 200
    assert api(served, "session", token=answer["token"]) == (
        200,
        {"state": "ready", "progress": {"done": 1, "allowance": 3}},
    )
    assert served.desk.calls == [("session", "Zoë 🦉", None)]


@pytest.mark.parametrize("query", [{}, {"worker_id": "ann"}, {"t": ""}, {"t": "ann"}, {"workerId": "ann"}])
def test_a_bare_name_opens_nothing(served, query):
    status, answer = api(served, "enter", {"query": query})
    assert (status, answer["error"]["code"]) == (403, "link")
    assert served.desk.calls == []


def test_a_link_is_no_session_and_a_session_no_link(served):
    link = tokens.sign(SECRET, tokens.LINK, {"worker": "ann"})
    assert api(served, "session", token=link)[0] == 403
    assert api(served, "enter", {"query": {"t": token_of("ann")}})[0] == 403


@pytest.mark.parametrize("name", sorted(set(handlers.ROUTES) - {"enter"}))
def test_nothing_is_done_without_a_valid_token(served, name):
    forged = tokens.sign_session(bytes(32), {"door": "in_house", "worker": "ann", "registration": "", "data": {}}, 9e9)
    for token, expected in ((None, (401, "token")), (forged, (403, "forged")), ("x", (403, "forged")),
                            (token_of("ann", now=0), (401, "expired"))):  # fmt: skip
        status, answer = api(served, name, {}, token)
        assert (status, answer["error"]["code"]) == expected
    assert served.desk.calls == []


def test_a_token_of_a_door_that_is_not_open_now_is_refused(served):
    payload = {"door": "mturk", "worker": "ann", "registration": "", "data": {}}
    assert api(served, "session", token=tokens.sign_session(SECRET, payload, time.time()))[0] == 401


# -- what is asked -----------------------------------------------------------------------------------------------------
def test_every_address_reaches_the_desk_in_its_one_thread(served):
    token = token_of("ann")
    body = {"unit": "u", "items": [], "comment": "é 🦉"}
    for name in ("onboarding", "return", "submit"):
        assert api(served, name, body, token)[0] == 200
    assert api(served, "consent", {"agree": True}, token)[0] == 200
    assert api(served, "unit", {}, token)[0] == 200
    for name in ("open", "decide"):
        assert set(api(served, name, body, token)[1]) == {"item"}
    names = [name for name, _, _ in served.desk.calls]
    assert names == ["onboarding", "return", "submit", "consent", "unit", "open", "decide"]
    assert all(sent in (None, body) for _, _, sent in served.desk.calls)
    while not served.desk.expired:
        time.sleep(0.01)
    served.call(lambda: served.desk.threads.add(threading.get_ident()))
    assert len(served.desk.threads) == 1


@pytest.mark.parametrize("body", [
    "", "{", "[]", "null", '"text"', '{"a": NaN}', '{"a": Infinity}', '{"a": 1e999}', '{"a": -1e999}', b"\xff\xfe{}",
    "[" * 100_000, '{"a":' * 50_000, '{"a": ' + "9" * 5000 + "}", '{"a": 1}{"b": 2}',
])  # fmt: skip
def test_malformed_bodies(served, body):
    for name in ("submit", "unit", "enter"):
        status, answer = api(served, name, body, token_of("ann"))
        assert (status, answer["error"]["code"]) == (400, "malformed")
    assert served.desk.calls == []


@pytest.mark.parametrize("body", [{}, {"agree": "yes"}, {"agree": False}, {"agree": 1}])
def test_consent_is_said_in_so_many_words(served, body):
    assert api(served, "consent", body, token_of("ann"))[0] == 400


@pytest.mark.parametrize("query", [None, [], "t", {"t": 1}, {"t": ["a"]}])
def test_wrong_types_at_the_door(served, query):
    assert api(served, "enter", {"query": query})[0] == 400


def test_half_an_emoji_does_not_cost_a_unit(served):
    body = '{"comment": "cut \\ud83e", "whole": "\\ud83e\\udd89", "\\udc00": []}'
    assert api(served, "submit", body, token_of("ann"))[0] == 200
    assert served.desk.calls[0][2] == {"comment": "cut \ufffd", "whole": "🦉", "\ufffd": []}


def test_unknown_addresses_and_wrong_methods(served):
    token = token_of("ann")
    for path in ("/api/", "/api/nothing", "/api/session/", "/api/enter/x", "/nothing", "/index.html", "/api", "//"):
        status, _, content = request(served, "GET", path, token=token)
        assert (status, json.loads(content)["error"]["code"]) == (404, "unknown"), path
    wrong = "GET /api/submit,POST /api/session,PUT /api/enter,HEAD /api/unit,DELETE /,POST /,HEAD /api/session,TRACE /"
    for method, path in (line.split() for line in f"{wrong},BREW /api/unit".split(",")):
        assert request(served, method, path, token=token)[0] == 405, (method, path)
    assert request(served, "GET", "/api/submit", token=token)[1]["Allow"] == "POST, OPTIONS"
    assert served.desk.calls == []


def test_head_and_options(served):
    status, headers, content = request(served, "HEAD", "/")
    assert (status, content) == (200, b"")
    assert int(headers["Content-Length"]) > 2000
    expected = {"/": "GET, HEAD, OPTIONS", "/api/submit": "POST, OPTIONS", "/api/session": "GET, OPTIONS"}
    for path, allow in expected.items():
        status, headers, content = request(served, "OPTIONS", path, headers={"Origin": "http://evil.example"})
        assert (status, headers["Allow"], content) == (204, allow, b"")
        assert not [name for name in headers if name.lower().startswith("access-control")]


# -- sizes -------------------------------------------------------------------------------------------------------------
def sized(size):
    """A valid body of `size` bytes."""
    frame = len(json.dumps({"comment": ""}))
    return json.dumps({"comment": "x" * (size - frame)})


def test_the_limit_is_exact(served):
    assert api(served, "submit", sized(256 * 1024), token_of("ann"))[0] == 200
    status, answer = api(served, "submit", sized(256 * 1024 + 1), token_of("ann"))
    assert (status, answer["error"]["code"]) == (413, "too_large")
    assert len(served.desk.calls) == 1


def test_too_large_a_body_is_refused_before_it_is_sent(served):
    head = b"POST /api/submit HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"
    for length in (256 * 1024 + 1, 4 * 256 * 1024 + 1, 10**12):
        with socket.create_connection(("127.0.0.1", served.port), timeout=10) as connection:
            connection.sendall(head % length)
            assert connection.recv(65536).startswith(b"HTTP/1.1 413 ")
    assert raw(served, head % 10**12).count(b"HTTP/1.1") == 1  # and then the connection is closed


def test_a_body_in_chunks_that_grows_too_large_is_refused(served):
    head = b"POST /api/submit HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"10000\r\n" + b"x" * 0x10000 + b"\r\n"
    answer = raw(served, head + chunk * 5 + b"0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"HTTP/1.1 200" not in answer
    ok = head.replace(b"\r\n\r\n", f"\r\nAuthorization: Bearer {token_of('a')}\r\nConnection: close\r\n\r\n".encode())
    assert raw(served, ok + b"8\r\n" + b'{"a": 1}' + b"\r\n0\r\n\r\n").startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("data", [
    b"POST /api/submit HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n{}",
    b"POST /api/submit HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n{}",
    b"POST /api/submit HTTP/1.1\r\nHost: a\r\nContent-Length: 2, 3\r\n\r\n{}",
    b"POST /api/submit HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
    b"nonsense\r\n\r\n", b"GET / HTTP/9.9\r\nHost: a\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 100_000 + b"\r\n\r\n", b"\x00" * 100_000,
])  # fmt: skip
def test_broken_http_gets_400_at_most(served, data):
    answer = raw(served, data, wait=2.0)
    assert answer[:12] in (b"", b"HTTP/1.1 400", b"HTTP/1.1 401")
    assert api(served, "session", token=token_of("ann"))[0] == 200
    assert [call[0] for call in served.desk.calls] == ["session"]


# -- errors ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("error", "status", "code"), [
    (Refusal(410, "late", "Too late."), 410, "late"),
    (sqlite3.OperationalError("database or disk is full"), 503, "storage"),
    (OSError(errno.ENOSPC, "No space left on device"), 503, "storage"),
    (UserError("x: cannot write: No space left on device."), 503, "storage"),
    (RuntimeError("the inside of the desk"), 500, "error"),
    (KeyError("secret thing"), 500, "error"),
])  # fmt: skip
def test_errors_of_the_desk(served, error, status, code):
    served.desk.fail = error
    got, headers, content = request(served, "POST", "/api/submit", {"unit": "u"}, token_of("ann"))
    assert (got, json.loads(content)["error"]["code"]) == (status, code)
    assert (headers["Retry-After"] is not None) == (status == 503)
    assert b"inside" not in content
    assert b"secret" not in content
    assert b"Traceback" not in content


def test_refused_submissions_are_kept_once_and_without_credentials(served, tmp_path):
    served.desk.fail = Refusal(410, "late", "Too late.")
    token = token_of("ann")
    body = {"unit": "u", "items": [{"item": 0}], "comment": f"my link is http://x/?t={token}"}
    for _ in range(3):
        assert api(served, "submit", body, token)[0] == 410
    assert api(served, "submit", "{broken", token)[0] == 400
    assert api(served, "decide", {"unit": "u", "answer": "bot"}, token)[0] == 410
    assert api(served, "submit", body, token_of("ann", now=0))[0] == 401  # an honest page that was open for too long
    assert api(served, "unit", {}, token)[0] == 410
    assert api(served, "submit", body, "forged")[0] == 403
    rows = [json.loads(line) for line in (tmp_path / "refused.jsonl").read_text().splitlines()]
    assert [(row["request"], row["status"], row["code"]) for row in rows] == [
        ("submit", 410, "late"), ("submit", 400, "malformed"), ("decide", 410, "late"), ("submit", 401, "expired"),
    ]  # fmt: skip
    assert {row["annotator"] for row in rows} == {tokens.pseudonym(SECRET, "ann")}
    assert json.loads(rows[0]["body"])["items"] == [{"item": 0}]
    assert rows[1]["body"] == "{broken"
    assert tokens.VERSION not in (tmp_path / "refused.jsonl").read_text()
    assert "ann" not in {row["annotator"] for row in rows}


def test_one_annotator_cannot_fill_the_disk_with_refused_bodies(served, tmp_path, monkeypatch):
    from parlai_spotbot.crowdsourcing import intake

    monkeypatch.setattr(intake, "MOST_KEPT", 3)
    served.desk.fail = Refusal(404, "unknown", "No such task.")
    for number in range(6):
        assert api(served, "submit", {"unit": str(number)}, token_of("ann"))[0] == 404
    assert api(served, "submit", {"unit": "0"}, token_of("bob"))[0] == 404
    assert len((tmp_path / "refused.jsonl").read_text().splitlines()) == 4


def test_the_log_has_a_line_a_refusal_and_no_secrets(served, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    token = token_of("ann")
    link = tokens.in_house_link(served.url, SECRET, "ann").partition("?")[2]
    served.desk.fail = Refusal(409, "doubled", "Twice.")
    api(served, "submit", {"unit": "u", "comment": "private words"}, token)
    served.desk.fail = RuntimeError(f"broke on {token}")
    api(served, "submit", {"unit": "u", "comment": "private words"}, token)
    request(served, "GET", f"/?{link}")
    request(served, "GET", f"/api/nothing?{link}", token=token)
    request(served, "POST", "/api/enter", {"query": {"t": token}})
    raw(served, f"GET /?{link} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\x01\r\n\r\n".encode(), wait=1.0)
    raw(served, f"GET /?{link}\r\n\r\n".encode(), wait=1.0)
    raw(served, f"GET /?{link} HTTP/1.1\r\nHost: {token}/\r\n\r\n".encode(), wait=1.0)
    served.stop()
    log = (tmp_path / "server.log").read_text()
    assert log.count("refused POST /api/submit 409 doubled") == 1
    assert f"annotator={tokens.pseudonym(SECRET, 'ann')}" in log
    assert "RuntimeError: broke on [token]" in log
    for text in (log, caplog.text):
        assert tokens.VERSION not in text
        assert "private words" not in text
    assert "ann " not in log


def test_a_full_disk_still_answers(served, monkeypatch):
    from parlai_spotbot import files

    def full(self, *rows):
        raise UserError("refused.jsonl: cannot write: No space left on device.")

    monkeypatch.setattr(files.Journal, "append", full)
    served.desk.fail = sqlite3.OperationalError("database or disk is full")
    assert api(served, "submit", {"unit": "u"}, token_of("ann"))[0] == 503


# -- the page ----------------------------------------------------------------------------------------------------------
def test_page_and_assets(served, page):
    status, headers, content = request(served, "GET", "/?t=anything")
    assert (status, content) == (200, (page / "index.html").read_bytes())
    assert headers["Cache-Control"] == "no-store"
    assert headers["Content-Type"].startswith("text/html")
    status, headers, content = request(served, "GET", "/assets/main.0123abcd.js", headers={"Accept-Encoding": "gzip"})
    assert (status, headers["Content-Encoding"]) == (200, "gzip")
    assert "immutable" in headers["Cache-Control"]
    assert request(served, "GET", "/assets/main.0123abcd.js")[2] == (page / "assets" / "main.0123abcd.js").read_bytes()
    assert request(served, "GET", "/icon.svg")[1]["Cache-Control"] == "no-store"


def test_every_answer_has_the_security_headers(served):
    served.desk.fail = RuntimeError("x")
    token = token_of("ann")
    for method, path, body in (("GET", "/", None), ("GET", "/assets/main.0123abcd.js", None), ("GET", "/nothing", None),
                               ("GET", "/api/session", None), ("POST", "/api/submit", "{"), ("BREW", "/", None),
                               ("POST", "/api/submit", "x" * 300_000), ("OPTIONS", "/", None)):  # fmt: skip
        _, headers, _ = request(served, method, path, body, token)
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "Server" not in headers
        assert "immutable" in headers["Cache-Control"] or headers["Cache-Control"] == "no-store"


def test_only_mturk_may_frame_the_page_and_only_where_it_is_used(tmp_path, page):
    with Server(RecordingDesk(), MTurkDoor(lambda hit: True, True), page, tmp_path / "r", secret=SECRET) as server:
        policy = request(server, "GET", "/")[1]["Content-Security-Policy"]
    assert "frame-ancestors https://worker.mturk.com https://workersandbox.mturk.com" in policy
    assert "form-action 'self' https://" in policy


@pytest.mark.parametrize("path", [
    "/../secret.txt", "/..%2fsecret.txt", "/%2e%2e/secret.txt", "/assets/../../secret.txt",
    "/assets/..%2f..%2fsecret.txt", "/%2e%2e%2fsecret.txt", "/..\\secret.txt", "/..%5csecret.txt", "/assets/%00",
    "//etc/passwd", "/%2fetc/passwd", "/..%252fsecret.txt", "/download_file/..%2F..%2Fsecret.txt", "/assets",
    "/assets/", "/.", "/%c0%ae%c0%ae/secret.txt",
])  # fmt: skip
def test_nothing_but_the_page_s_files_is_served(served, path):
    answer = raw(served, f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400"))
    assert b"not to be served" not in answer


def test_a_page_that_is_not_built_is_said_before_anything_starts(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="not built"):
        Server(RecordingDesk(), [], tmp_path / "empty", tmp_path / "r", secret=SECRET).start()
    assert not (tmp_path / "r").exists()


# -- previews ---------------------------------------------------------------------------------------------------------
def test_a_preview_sees_and_does_nothing_else(tmp_path, page):
    desk = RecordingDesk()
    with Server(desk, [MTurkDoor(lambda hit: True, True)], page, tmp_path / "r", secret=SECRET) as server:
        token = api(server, "enter", {"query": {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}})[1]["token"]
        assert api(server, "session", token=token)[1]["state"] == "preview"
        for name in sorted(set(handlers.ROUTES) - {"enter", "session"}):
            status, answer = api(server, name, {}, token)
            assert (status, answer["error"]["code"]) == (403, "preview")
    assert [call[0] for call in desk.calls] == ["session"]


# -- many and slow clients ---------------------------------------------------------------------------------------------
def test_idle_and_slow_clients_do_not_hold_up_others(served):
    slow = []
    try:
        for number in range(300):
            connection = socket.create_connection(("127.0.0.1", served.port), timeout=10)
            if number % 3:  # some send nothing, some half a header, some half a body
                part = b"POST /api/submit HTTP/1.1\r\nHost: a\r\n"
                connection.sendall(part if number % 3 == 1 else part + b"Content-Length: 1000\r\n\r\n{")
            slow.append(connection)
        assert api(served, "session", token=token_of("ann"))[0] == 200
    finally:
        for connection in slow:
            connection.close()


def test_more_connections_than_there_is_room_for_push_out_the_idle_ones(served, monkeypatch):
    monkeypatch.setattr(server_module.Connections, "most", 20)
    working = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
    idle = []
    try:
        for _ in range(4):
            idle += [socket.create_connection(("127.0.0.1", served.port), timeout=10) for _ in range(15)]
            working.request("GET", "/api/session", headers={"Authorization": f"Bearer {token_of('ann')}"})
            answer = working.getresponse()
            assert answer.status == 200
            answer.read()
        assert not working.sock._closed
        idle[0].settimeout(5)
        assert idle[0].recv(1) == b""  # closed by the server
    finally:
        working.close()
        for connection in idle:
            connection.close()


def test_one_annotator_s_flood_leaves_room_for_others(served):
    served.desk.gate.clear()
    statuses = []
    flood = [
        threading.Thread(target=lambda: statuses.append(api(served, "unit", {}, token_of("eve"))[0])) for _ in range(40)
    ]
    for thread in flood:
        thread.start()
    while len(statuses) < 40 - 16:
        time.sleep(0.01)
    other = threading.Thread(target=lambda: statuses.append(api(served, "unit", {}, token_of("ann"))[0]))
    other.start()
    served.desk.gate.set()
    for thread in [*flood, other]:
        thread.join()
    assert sorted(statuses) == [200] * 17 + [503] * 24
    assert ("unit", "ann", None) in served.desk.calls


def test_one_connection_serves_many_requests(served):
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=10)
    for number in range(50):
        path = ("/api/session", "/", "/api/nothing", "/assets/main.0123abcd.js")[number % 4]
        connection.request("GET", path, headers={"Authorization": f"Bearer {token_of('ann')}"})
        response = connection.getresponse()
        response.read()
        assert response.status == (200, 200, 404, 200)[number % 4]
    connection.close()


# -- beginning and end -------------------------------------------------------------------------------------------------
def test_it_listens_on_the_loopback_address_alone(served):
    assert served.url == f"http://127.0.0.1:{served.port}"
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in others - {"127.0.0.1"}:
        if not address.startswith("127."):
            with pytest.raises(OSError, match=r".*"):
                socket.create_connection((address, served.port), timeout=2)


def test_a_taken_port_is_named_and_a_preferred_one_given_up(served, tmp_path, page):
    with pytest.raises(UserError, match=f"--port {served.port}: taken"):
        listen("127.0.0.1", served.port)
    for port in (-1, 65536):
        with pytest.raises(UserError, match="expected a number from 0 to 65535"):
            listen("127.0.0.1", port)
    with pytest.raises(UserError, match="Name an address of this machine"):
        listen("192.0.2.1", 0)
    sockets = listen("127.0.0.1", 0, prefer=served.port)
    assert sockets[0].getsockname()[1] != served.port
    free = sockets[0].getsockname()[1]
    sockets[0].close()
    again = listen("127.0.0.1", 0, prefer=free)
    assert again[0].getsockname()[1] == free
    again[0].close()


def test_it_comes_back_at_its_old_port_at_once(tmp_path, page):
    port = 0
    for _ in range(3):
        with Server(RecordingDesk(), InHouseDoor(SECRET), page, tmp_path / "r", secret=SECRET, prefer=port) as server:
            assert port in (0, server.port)
            port = server.port
            assert api(server, "session", token=token_of("ann"))[0] == 200


def test_stopping_answers_what_was_asked_and_ends_the_threads(served):
    served.desk.gate.clear()
    answers = []
    client = threading.Thread(target=lambda: answers.append(api(served, "submit", {"unit": "u"}, token_of("ann"))))
    client.start()
    while not served.intake.running:
        time.sleep(0.01)
    threading.Timer(0.3, served.desk.gate.set).start()
    served.stop()
    client.join()
    assert answers[0][0] == 200
    assert not [thread for thread in threading.enumerate() if thread.name.startswith(("server", "desk", "refused"))]
    with pytest.raises(OSError, match=r".*"):
        socket.create_connection(("127.0.0.1", served.port), timeout=2)
    served.stop()  # twice is fine


def test_it_says_when_every_unit_is_done(served):
    seen = served.desk.expired
    while served.desk.expired < seen + 3:
        time.sleep(0.01)
    assert not served.finished()
    assert served.failed() is None
    served.desk.done = 2
    while not served.finished():
        time.sleep(0.01)


def test_errors_of_the_clockwork_are_logged_and_go_by(served, tmp_path, monkeypatch):
    def broken():
        raise RuntimeError("no time")

    monkeypatch.setattr(served.desk, "expire", broken)
    log = tmp_path / "server.log"
    while not log.exists() or "error in expire: RuntimeError: no time" not in log.read_text():
        time.sleep(0.02)
    assert api(served, "session", token=token_of("ann"))[0] == 200


def test_a_desk_that_is_made_in_its_thread(tmp_path, page):
    made = []

    def make():
        made.append(threading.get_ident())
        return RecordingDesk()

    with Server(make, InHouseDoor(SECRET), page, tmp_path / "r", secret=SECRET) as server:
        api(server, "session", token=token_of("ann"))
        assert server.desk.threads == set(made)

    def broken():
        raise UserError("the ledger is damaged.")

    with pytest.raises(UserError, match="damaged"):
        Server(broken, InHouseDoor(SECRET), page, tmp_path / "r", secret=SECRET).start()
    assert not [thread for thread in threading.enumerate() if thread.name.startswith(("server", "desk", "refused"))]
