"""What the server says, logs and keeps where it refuses or something breaks."""

import errno
import json
import logging
import sqlite3
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from asking import SECRET, api, raw, request, token_of

from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.crowdsourcing.server import refused_bodies
from parlai_spotbot.crowdsourcing.server import request_rates as rates
from parlai_spotbot.crowdsourcing.server.refused_bodies import RefusedBodies
from parlai_spotbot.crowdsourcing.server.request_rates import Rate, client_address
from parlai_spotbot.errors import UserError


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (Refusal(410, "late", "Too late."), 410, "late"),
        (sqlite3.OperationalError("database or disk is full"), 503, "storage"),
        (OSError(errno.ENOSPC, "No space left on device"), 503, "storage"),
        (UserError("x: cannot write: No space left on device."), 503, "storage"),
        (RuntimeError("the inside of the desk"), 500, "error"),
        (KeyError("secret thing"), 500, "error"),
    ],
)
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
        ("submit", 410, "late"),
        ("submit", 400, "malformed"),
        ("decide", 410, "late"),
        ("submit", 401, "expired"),
    ]
    assert {row["annotator"] for row in rows} == {tokens.pseudonym(SECRET, "ann")}
    assert json.loads(rows[0]["body"])["items"] == [{"item": 0}]
    assert rows[1]["body"] == "{broken"
    assert tokens.VERSION not in (tmp_path / "refused.jsonl").read_text()
    assert "ann" not in {row["annotator"] for row in rows}


def kept_rows(tmp_path):
    return [json.loads(line) for line in (tmp_path / "refused.jsonl").read_text().splitlines()]


def test_one_annotator_cannot_fill_the_disk_with_refused_bodies(served, tmp_path):
    """50 MB in 6 seconds, once."""
    served.desk.fail = Refusal(404, "unknown", "No such task.")
    for number in range(25):
        body = {"unit": str(number), "comment": "x" * 200_000}
        assert api(served, "submit", body, token_of("ann"))[0] == 404
    assert api(served, "submit", {"unit": "0"}, token_of("bob"))[0] == 404
    assert (tmp_path / "refused.jsonl").stat().st_size < refused_bodies.MOST_BYTES + 10_000
    name = tokens.pseudonym(SECRET, "ann")
    rows = [row for row in kept_rows(tmp_path) if row["annotator"] == name]
    assert len(rows) == 10
    assert [row["body"] for row in kept_rows(tmp_path) if row["annotator"] != name] == ['{"unit": "0"}']


def keep(bodies, who, number, size=10):
    return bodies.keep(who, "submit", Refusal(404, "unknown", ""), f"{number} ".encode() + b"x" * size)


def test_refused_bodies_are_bounded_over_all_starts(tmp_path, monkeypatch):
    monkeypatch.setattr(refused_bodies, "MOST_KEPT", 3)
    for start in range(2):
        bodies = RefusedBodies(tmp_path / "refused.jsonl")
        assert [keep(bodies, "ann", 10 * start + number) for number in range(6)] == [start == 0] * 3 + [False] * 3
        bodies.close()
    again = RefusedBodies(tmp_path / "refused.jsonl")
    assert keep(again, "bob", 0)
    again.close()


def test_refused_bodies_of_all_together_are_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(refused_bodies, "MOST_BYTES_IN_ALL", 20_000)
    bodies = RefusedBodies(tmp_path / "refused.jsonl")
    kept = [keep(bodies, f"annotator {number}", 0, 3000) for number in range(20)]
    assert kept == [True] * 6 + [False] * 14
    bodies.close()


def test_a_file_of_refused_bodies_that_somebody_edited_is_counted_all_the_same(tmp_path):
    (tmp_path / "refused.jsonl").write_text('[]\n{"annotator": 3}\nno JSON\n{"annotator": "ann"}\n{"torn')
    bodies = RefusedBodies(tmp_path / "refused.jsonl")
    assert keep(bodies, "ann", 0)
    bodies.close()


# -- who asks too much -------------------------------------------------------------------------------------------------
def test_a_flood_of_one_annotator_is_told_to_wait_and_holds_up_nobody(served):
    served.intake.rate = Rate(each_second=1.0, burst=5)
    token, other = token_of("ann"), token_of("bob")
    assert [api(served, "session", None, token)[0] for _ in range(8)] == [200] * 5 + [429] * 3
    status, headers, content = request(served, "GET", "/api/session", token=token)
    assert (status, json.loads(content)["error"]["code"]) == (429, "too_many")
    assert headers["Retry-After"]
    assert api(served, "session", None, other)[0] == 200
    served.intake.rate.clock = lambda: time.monotonic() + 3
    assert [api(served, "session", None, token)[0] for _ in range(4)] == [200] * 3 + [429]


def test_a_flood_at_the_door_is_told_to_wait(served):
    served.intake.rate = Rate(each_second=1.0, burst=3)
    link = {"t": tokens.sign(SECRET, tokens.LINK, {"worker": "ann"})}
    asked = [api(served, "enter", {"query": link})[0] for _ in range(5)]
    assert asked == [200] * 3 + [429] * 2
    other = {"t": tokens.sign(SECRET, tokens.LINK, {"worker": "bob"})}
    assert api(served, "enter", {"query": other})[0] == 200  # from the same proxy


def test_made_up_links_of_one_address_are_told_to_wait(served):
    served.intake.rate = Rate(each_second=1.0, burst=3)

    def ask(address, number):
        body = {"query": {"t": f"made up {number}"}}
        return request(served, "POST", "/api/enter", body, headers={"X-Forwarded-For": address})[0]

    assert [ask("1.2.3.4", number) for number in range(5)] == [403] * 3 + [429] * 2
    assert ask("9.9.9.9, 1.2.3.4", 9) == 429  # what stands before the last one is anybody's word
    assert ask("1.2.3.5", 9) == 403
    assert [ask(f"2001:4860:4860::{number}", number) for number in range(5)] == [403] * 3 + [429] * 2


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("127.0.0.1", "", ""),
        ("10.0.0.7", "8.8.8.8", "8.8.8.8"),
        ("8.8.4.4", "8.8.8.8", "8.8.4.4"),
        ("127.0.0.1", "somebody", ""),
        ("::1", "1.1.1.1, 2001:4860:4860::8888", "2001:4860:4860::/64"),
        ("2001:4860:4860::8844", "8.8.8.8", "2001:4860:4860::/64"),
        ("127.0.0.1", "::ffff:8.8.8.8", "8.8.8.8"),
        ("::ffff:8.8.4.4", "8.8.8.8", "8.8.4.4"),
        ("", "8.8.8.8", ""),
    ],
)
def test_whose_address_a_request_comes_from(peer, forwarded, address):
    assert client_address(peer, forwarded) == address


def test_a_rate_forgets_who_has_long_been_still_and_stays_small(monkeypatch):
    monkeypatch.setattr(rates, "MOST_CLIENTS", 10)
    now = [0.0]
    rate = Rate(each_second=1.0, burst=2, clock=lambda: now[0])
    for number in range(100):
        now[0] += 0.1
        assert rate.takes(f"client {number}")
        assert len(rate._left) <= 10
    assert rate.takes("client 99")
    assert not rate.takes("client 99")


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
