"""The page as the server serves it: files, headers, nothing beside them."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from asking import SECRET, RecordingDesk, raw, request, token_of

from parlai_spotbot.crowdsourcing.platforms.sign_in import InHouseDoor, MTurkDoor
from parlai_spotbot.crowdsourcing.server.page_server import PageServer, ServerFiles
from parlai_spotbot.errors import UserError


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
    for method, path, body in (
        ("GET", "/", None),
        ("GET", "/assets/main.0123abcd.js", None),
        ("GET", "/nothing", None),
        ("GET", "/api/session", None),
        ("POST", "/api/submit", "{"),
        ("BREW", "/", None),
        ("POST", "/api/submit", "x" * 300_000),
        ("OPTIONS", "/", None),
    ):
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
    door, files = MTurkDoor(lambda hit: True, lambda hit: True, True), ServerFiles(page, tmp_path / "r")
    with PageServer(RecordingDesk(), door, files, SECRET) as server:
        policy = request(server, "GET", "/")[1]["Content-Security-Policy"]
    assert "frame-ancestors https://worker.mturk.com https://workersandbox.mturk.com" in policy
    assert "form-action 'self' https://" in policy


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/assets/../../secret.txt",
        "/assets/..%2f..%2fsecret.txt",
        "/%2e%2e%2fsecret.txt",
        "/..\\secret.txt",
        "/..%5csecret.txt",
        "/assets/%00",
        "//etc/passwd",
        "/%2fetc/passwd",
        "/..%252fsecret.txt",
        "/download_file/..%2F..%2Fsecret.txt",
        "/assets",
        "/assets/",
        "/.",
        "/%c0%ae%c0%ae/secret.txt",
    ],
)
def test_nothing_but_the_page_s_files_is_served(served, path):
    answer = raw(served, f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400"))
    assert b"not to be served" not in answer


def test_a_page_that_is_not_built_is_said_before_anything_starts(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="not built"):
        PageServer(
            RecordingDesk(), InHouseDoor(SECRET), ServerFiles(tmp_path / "empty", tmp_path / "r"), SECRET
        ).start()
    assert not (tmp_path / "r").exists()
