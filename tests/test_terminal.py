"""Bars and tables: by rich on a terminal, in plain lines elsewhere, and nothing where it is to be quiet."""

import io
import os
import pty
import re
import subprocess
import sys
import time

import pytest

from parlai_spotbot import terminal
from parlai_spotbot.terminal import Bar, table

ROWS = [("alice", 3, "says little"), ("bob", 12, None)]
ON_A_TERMINAL = """
import sys
from parlai_spotbot.terminal import Bar, table
with Bar("outer", 2, "unit") as outer:
    for number in range(2):
        with Bar("inner", 3, "turn") as inner:
            inner.note("who [speaks]")
            for turn in range(3):
                inner.advance()
        print(f"failed: {number}")
        outer.advance()
print(table([("alice", 3)], ("name", "turns [n]"), right=[1]))
"""


def test_plain_tables_are_lines_of_columns():
    assert table(ROWS, ("name", "turns", "about"), right=[1], widths=[None, None, 6]).splitlines() == [
        "name   turns  about",
        "------ ------ ------",
        "alice      3  says",
        "              little",
        "bob       12",
    ]
    assert table([("日本", "x")], ("a", "b")).splitlines()[2] == "日本  x"
    assert table([], ("a",)) == "a\n-"


@pytest.fixture
def patient(monkeypatch):
    """Time passes as told; returns what to call with seconds."""
    now = [0.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    return lambda seconds: now.__setitem__(0, now[0] + seconds)


def test_off_a_terminal_a_line_says_now_and_then_how_far_it_is(patient, capsys):
    with Bar("self-play", 1200, "turn", there=1000) as bar:
        bar.advance(50)
        patient(61)
        bar.advance(50)
        bar.advance(50)
        patient(20)
    bar.close()
    assert capsys.readouterr().err.splitlines() == [
        "self-play: 1,100 of 1,200 turns, 61 s, about 61 s left",
        "self-play: 1,150 of 1,200 turns, 81 s, about 27 s left",
    ]


def test_on_a_terminal_bars_stand_below_each_other_and_lines_above_them():
    reader, writer = pty.openpty()
    env = {**os.environ, "TERM": "xterm", "COLUMNS": "120"}
    started = time.monotonic()
    process = subprocess.Popen([sys.executable, "-c", ON_A_TERMINAL], stdout=writer, stderr=writer, env=env)
    os.close(writer)
    seen = b""
    while time.monotonic() - started < 60:
        try:
            part = os.read(reader, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
    os.close(reader)
    assert process.wait(30) == 0
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen.decode())
    assert "2 of 2 units" in text
    assert "3 of 3 turns" in text
    assert "who [speaks]" in text
    assert text.count("failed: ") == 2
    assert "turns [n]" in text
    assert "━" in text


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "utf-8"])
def test_a_sign_that_a_terminal_lacks_is_printed_plainly(encoding, monkeypatch):
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding=encoding))
    terminal.print_plainly()
    text = "alice − 3.5 × 2 ≤ 1½ café 模型 …"
    print(text, flush=True)
    plain = {"ascii": "alice - 3.5 x 2 <= 1.5 cafe ?? ...", "cp1252": "alice - 3.5 × 2 <= 1½ café ?? …", "utf-8": text}
    assert out.getvalue().decode(encoding) == plain[encoding] + "\n"
