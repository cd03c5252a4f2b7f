"""What the server says, logs and keeps where it refuses or something breaks."""

import errno
import json
import logging
import sqlite3
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from asking import SECRET, api, raw, request, token_of

from parlai_spotbot.crowdsourcing import tokens
from parlai_spotbot.crowdsourcing.contract import Refusal
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
