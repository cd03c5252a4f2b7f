"""The server over real sockets: tokens, addresses, bodies, errors, limits of requests, the page's files and the log."""

import errno
import json
import logging
import sqlite3
import threading
import time

import pytest
import yaml

from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.crowdsourcing.platforms.mturk import MTurkDoor
from parlai_spotbot.crowdsourcing.server.api_requests import ROUTES
from parlai_spotbot.crowdsourcing.server.request_queue import Rate
from parlai_spotbot.errors import UserError
from tests.case_tables import case_table
from tests.crowdsourcing.asking import SECRET, RecordingDesk, api, raw, request, server_of, token_of


# -- identification ----------------------------------------------------------------------------------------------------
def test_a_signed_link_opens_a_session(served):
    link = tokens.in_house_link(served.url, SECRET, "Zoë 🦉")
    status, answer = api(served, "enter", {"query": {"t": link.partition("?t=")[2]}})
    assert status == 200
    assert api(served, "session", token=answer["token"])[1]["state"] == "ready"
    assert [call[:2] for call in served.desk.calls] == [("session", "Zoë 🦉")]


@pytest.mark.parametrize("query", [{}, {"worker_id": "ann"}, {"t": ""}, {"t": "ann"}, {"t": token_of("ann")}])
def test_a_bare_name_or_a_session_s_token_opens_nothing(served, query):
    status, answer = api(served, "enter", {"query": query})
    assert (status, answer["error"]["code"]) == (403, "link")
    assert served.desk.calls == []


@pytest.mark.parametrize("name", sorted(set(ROUTES) - {"enter"}))
def test_nothing_is_done_without_a_valid_token(served, name):
    payload = {"door": "in_house", "worker": "ann", "registration": "", "data": {}}
    for token, expected in (
        (None, (401, "token")),
        (tokens.sign_session(bytes(32), payload, 9e9), (403, "forged")),
        (tokens.sign(SECRET, tokens.LINK, {"worker": "ann"}), (403, "forged")),
        (tokens.sign_session(SECRET, {**payload, "door": "mturk"}, time.time()), (401, "token")),
        (token_of("ann", now=0), (401, "expired")),
    ):
        status, answer = api(served, name, {}, token)
        assert (status, answer["error"]["code"]) == expected
    assert served.desk.calls == []


def test_a_preview_sees_and_does_nothing_else(page):
    desk = RecordingDesk()
    with server_of(desk, page, MTurkDoor(None, True)) as server:
        token = api(server, "enter", {"query": {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}})[1]["token"]
        assert api(server, "session", token=token)[1]["state"] == "preview"
        for name in sorted(set(ROUTES) - {"enter", "session"}):
            status, answer = api(server, name, {}, token)
            assert (status, answer["error"]["code"]) == (403, "preview")
        policy = request(server, "GET", "/")[1]["Content-Security-Policy"]
    assert [call[0] for call in desk.calls] == ["session"]
    assert "frame-ancestors https://worker.mturk.com https://workersandbox.mturk.com" in policy


# -- requests ----------------------------------------------------------------------------------------------------------
def test_every_address_reaches_the_desk_in_its_one_thread(served):
    body = {"unit": "u", "items": [], "comment": "é 🦉"}
    names = ("onboarding", "return", "submit", "consent", "unit", "open", "decide")
    for name in names:
        assert api(served, name, body, token_of("ann"))[0] == 200
    called = ["onboarding", "give_back", "submit", "consent", "next_unit", "open_exchange", "decide"]
    assert [name for name, _, _ in served.desk.calls] == called
    assert all(sent == body for _, _, sent in served.desk.calls)
    while not served.desk.expired:
        time.sleep(0.01)
    served.intake.call(lambda: served.desk.threads.add(threading.get_ident()))
    assert len(served.desk.threads) == 1


@case_table(__file__, "malformed")
def test_malformed_bodies(served, body, times):
    for name in ("submit", "enter"):
        status, answer = api(served, name, body * (times or 1), token_of("ann"))
        assert (status, answer["error"]["code"]) == (400, "malformed")
    assert served.desk.calls == []


@pytest.mark.parametrize("query", [None, [], {"t": 1}])
def test_wrong_types_at_the_door(served, query):
    assert api(served, "enter", {"query": query})[0] == 400


def test_half_an_emoji_does_not_cost_a_unit(served):
    body = '{"comment": "cut \\ud83e", "whole": "\\ud83e\\udd89", "\\udc00": []}'
    assert api(served, "submit", body, token_of("ann"))[0] == 200
    assert served.desk.calls[0][2] == {"comment": "cut \ufffd", "whole": "🦉", "\ufffd": []}


def test_unknown_addresses_and_wrong_methods(served):
    for path in ("/api/", "/api/nothing", "/api/session/", "/api/enter/x", "/nothing", "/index.html", "/api", "//"):
        status, _, content = request(served, "GET", path, token=token_of("ann"))
        assert (status, json.loads(content)["error"]["code"]) == (404, "unknown"), path
    for line in ("GET /api/submit", "POST /api/session", "PUT /api/enter", "POST /", "TRACE /", "OPTIONS /api/submit"):
        assert request(served, *line.split(), token=token_of("ann"))[0] == 405, line
    assert served.desk.calls == []


@case_table(__file__, "broken_http")
def test_broken_http_and_too_large_bodies_get_400_at_most(served, head, size):
    answer = raw(served, head.replace("\n", "\r\n").encode() + b"x" * (size or 0), wait=2.0)
    assert answer[:12] in (b"", b"HTTP/1.1 400", b"HTTP/1.1 401")
    assert api(served, "session", token=token_of("ann"))[0] == 200
    assert [call[0] for call in served.desk.calls] == ["session"]


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Refusal(410, "late", "Too late."), 410, "late"),
        (sqlite3.OperationalError("database or disk is full"), 503, "storage"),
        (OSError(errno.ENOSPC, "No space left on device"), 503, "storage"),
        (UserError("x: cannot write: No space left on device."), 503, "storage"),
        (KeyError("secret thing"), 500, "error"),
    ],
)
def test_errors_of_the_desk(served, error, status, code):
    served.desk.fail = error
    got, headers, content = request(served, "POST", "/api/submit", {"unit": "u"}, token_of("ann"))
    assert (got, json.loads(content)["error"]["code"]) == (status, code)
    assert (headers["Retry-After"] is not None) == (status == 503)
    assert b"secret" not in content
    assert b"Traceback" not in content


# -- too many requests -------------------------------------------------------------------------------------------------
def test_a_flood_of_one_annotator_has_to_wait_and_holds_up_nobody(served):
    served.intake.rate = Rate(each_second=1.0, burst=5)
    token = token_of("ann")
    assert [api(served, "session", None, token)[0] for _ in range(8)] == [200] * 5 + [429] * 3
    assert api(served, "session", None, token_of("bob"))[0] == 200
    served.intake.rate.clock = lambda: time.monotonic() + 3
    assert [api(served, "session", None, token)[0] for _ in range(4)] == [200] * 3 + [429]


# -- the page and the log ----------------------------------------------------------------------------------------------
def test_page_and_assets(served, page):
    status, headers, content = request(served, "GET", "/?t=anything")
    assert (status, content) == (200, (page / "index.html").read_bytes())
    assert headers["Content-Type"].startswith("text/html")
    status, headers, content = request(served, "GET", "/assets/main.0123abcd.js", headers={"Accept-Encoding": "gzip"})
    assert (status, headers["Content-Encoding"]) == (200, "gzip")
    assert "immutable" in headers["Cache-Control"]
    assert request(served, "GET", "/assets/main.0123abcd.js")[2] == (page / "assets" / "main.0123abcd.js").read_bytes()


def test_every_answer_has_the_security_headers(served):
    for method, path, body in yaml.safe_load("""
        - [GET, /, null]
        - [GET, /assets/main.0123abcd.js, null]
        - [GET, /nothing, null]
        - [GET, /api/session, null]
        - [POST, /api/submit, '{']
        - [BREW, /, null]
    """):
        _, headers, _ = request(served, method, path, body, token_of("ann"))
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "Server" not in headers
        assert "immutable" in headers["Cache-Control"] or headers["Cache-Control"] == "no-store"


@case_table(__file__, "paths")
def test_nothing_but_the_page_s_files_is_served(served, path):
    answer = raw(served, f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400"))
    assert b"not to be served" not in answer


def test_a_page_that_is_not_built_is_refused_before_anything_starts(tmp_path):
    with pytest.raises(UserError, match="not built"):
        server_of(RecordingDesk(), tmp_path).start()


def test_the_log_has_a_line_a_refusal_and_no_secrets(served, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    token = token_of("ann")
    link = tokens.in_house_link(served.url, SECRET, "ann").partition("?")[2]
    served.desk.fail = Refusal(409, "doubled", "Twice.")
    api(served, "submit", {"unit": "u", "comment": "private words"}, token)
    served.desk.fail = RuntimeError(f"broke on {token}")
    api(served, "submit", {"unit": "u", "comment": "private words"}, token)
    request(served, "GET", f"/api/nothing?{link}", token=token)
    request(served, "POST", "/api/enter", {"query": {"t": token}})
    raw(served, f"GET /?{link} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {token}\x01\r\n\r\n".encode(), wait=1.0)
    raw(served, f"GET /?{link}\r\n\r\n".encode(), wait=1.0)
    served.stop()
    log = (tmp_path / "server.log").read_text()
    assert log.count("refused /api/submit 409 doubled") == 1
    assert f"annotator={tokens.pseudonym(SECRET, 'ann')}" in log
    assert "error in submit: RuntimeError; " in log
    for text in (log, caplog.text):
        assert tokens.VERSION not in text
        assert "private words" not in text
