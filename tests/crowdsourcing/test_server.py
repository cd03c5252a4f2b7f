"""What the server lets whom ask, over real sockets: tokens, addresses, bodies, sizes, previews."""

import json
import socket
import sys
import threading
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from asking import SECRET, RecordingDesk, api, raw, request, token_of

from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.crowdsourcing.platforms.sign_in import MTurkDoor
from parlai_spotbot.crowdsourcing.server.api_requests import ROUTES
from parlai_spotbot.crowdsourcing.server.page_server import PageServer, ServerFiles


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


@pytest.mark.parametrize("name", sorted(set(ROUTES) - {"enter"}))
def test_nothing_is_done_without_a_valid_token(served, name):
    forged = tokens.sign_session(bytes(32), {"door": "in_house", "worker": "ann", "registration": "", "data": {}}, 9e9)
    for token, expected in (
        (None, (401, "token")),
        (forged, (403, "forged")),
        ("x", (403, "forged")),
        (token_of("ann", now=0), (401, "expired")),
    ):
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


@pytest.mark.parametrize(
    "body",
    [
        "",
        "{",
        "[]",
        "null",
        '"text"',
        '{"a": NaN}',
        '{"a": Infinity}',
        '{"a": 1e999}',
        '{"a": -1e999}',
        b"\xff\xfe{}",
        "[" * 100_000,
        '{"a":' * 50_000,
        '{"a": ' + "9" * 5000 + "}",
        '{"a": 1}{"b": 2}',
    ],
)
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


@pytest.mark.parametrize(
    "data",
    [
        b"POST /api/submit HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n{}",
        b"POST /api/submit HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n{}",
        b"POST /api/submit HTTP/1.1\r\nHost: a\r\nContent-Length: 2, 3\r\n\r\n{}",
        b"POST /api/submit HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
        b"nonsense\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 100_000 + b"\r\n\r\n",
        b"\x00" * 100_000,
    ],
)
def test_broken_http_gets_400_at_most(served, data):
    answer = raw(served, data, wait=2.0)
    assert answer[:12] in (b"", b"HTTP/1.1 400", b"HTTP/1.1 401")
    assert api(served, "session", token=token_of("ann"))[0] == 200
    assert [call[0] for call in served.desk.calls] == ["session"]


# -- previews ---------------------------------------------------------------------------------------------------------
def test_a_preview_sees_and_does_nothing_else(tmp_path, page):
    desk = RecordingDesk()
    door = MTurkDoor(lambda hit: True, lambda hit: True, True)
    with PageServer(desk, door, ServerFiles(page, tmp_path / "r"), SECRET) as server:
        token = api(server, "enter", {"query": {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}})[1]["token"]
        assert api(server, "session", token=token)[1]["state"] == "preview"
        for name in sorted(set(ROUTES) - {"enter", "session"}):
            status, answer = api(server, name, {}, token)
            assert (status, answer["error"]["code"]) == (403, "preview")
    assert [call[0] for call in desk.calls] == ["session"]
