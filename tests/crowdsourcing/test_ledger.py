"""The ledger: the database itself forbids what may never happen, and what it has taken survives everything."""

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import textwrap

import pytest

from parlai_spotbot.crowdsourcing.ledger.entries import Handout, PracticeAttempt, Submission, digest
from parlai_spotbot.crowdsourcing.ledger.ledger import BACKUPS, Ledger, answers_in, later_of
from parlai_spotbot.errors import UserError

HANDLES = [f"{n:032x}" for n in range(10)]
BODY = {"unit": HANDLES[1]}


def handout(n, worker="ann", slot=0, unit="u0", block="b0", **more):
    return Handout(HANDLES[n], worker, "", slot, unit, block, ("i1", "i2"), "chance", 10.0, 20.0, **more)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "deep" / "down" / "ledger.db"


@pytest.fixture
def ledger(path):
    """Ann has unit u0 of block b0 open; bob did u1 of b1."""
    with Ledger(path) as made:
        made.begin("spot_the_bot", 3)
        made.hand_out(handout(0), ["c1", "c2"], ["s1"])
        made.hand_out(handout(1, "bob", 0, "u1", "b1"), ["c3"], ["s3"])
        made.submit(Submission(HANDLES[1], {"items": []}, BODY, digest(BODY), 15.0), {0: True, 1: False})
        yield made


# -- what the database forbids -----------------------------------------------------------------------------------------
def out(h=HANDLES[5], w="ann", slot=1, unit="u5", block="b5", status="'open'", end="NULL"):
    """A hand-out written straight into the database."""
    values = f"'{h}', '{w}', '', {slot}, '{unit}', '{block}', '[]', '', 1, 2, {status}, NULL, {end}, 0"
    return f"INSERT INTO handouts VALUES ({values})"


FORBIDDEN = {
    "a second open unit for an annotator": out(),
    "a unit that somebody has": out(w="bob", unit="u0"),
    "a unit that is done": out(w="cyd", slot=0, unit="u1"),
    "a slot twice": out(w="bob", slot=0),
    "a slot beyond the limit": out(w="bob", slot=3),
    "a block twice": out(w="bob", slot=1, block="b1"),
    "a status that does not exist": out(w="bob", status="'lost'", end="3"),
    "an unknown annotator": out(w="nobody", slot=0),
    "a conversation twice": f"INSERT INTO seen_conversations VALUES ('ann', 'c2', '{HANDLES[1]}')",
    "a seed twice": f"INSERT INTO seen_seeds VALUES ('ann', 's1', '{HANDLES[1]}')",
    "a second submission": f"INSERT INTO submissions VALUES ('{HANDLES[1]}', '{{}}', '{{}}', 'other', 16)",
    "a standing that does not exist": "UPDATE annotators SET standing = 'great'",
    "taking over what is done": f"UPDATE handouts SET unit_id = 'u1' WHERE handle = '{HANDLES[0]}'",
}


@pytest.mark.parametrize("what", FORBIDDEN)
def test_the_database_itself_forbids(ledger, path, what):
    db = sqlite3.connect(path)
    db.execute("PRAGMA foreign_keys = ON")
    db.execute("INSERT INTO annotators (worker, first_seen) VALUES ('cyd', 1)")
    db.commit()
    with pytest.raises(sqlite3.IntegrityError):
        db.execute(FORBIDDEN[what])
    db.close()


def test_what_is_not_forbidden_works(ledger, path):
    # The same statement as those above, with nothing wrong in it: they fail for their reason, not for a typing error.
    db = sqlite3.connect(path)
    db.execute(out(w="bob"))
    db.execute(f"INSERT INTO seen_conversations VALUES ('bob', 'c1', '{HANDLES[5]}')")
    db.execute(f"INSERT INTO opened VALUES ('{HANDLES[5]}', 0, 2, 5)")
    db.close()


def test_only_what_is_open_is_submitted_or_ends(ledger):
    assert ledger.end(HANDLES[1], "expired", 30.0) is False
    ledger.end(HANDLES[0], "expired", 30.0)
    with pytest.raises(sqlite3.IntegrityError):
        ledger.submit(Submission(HANDLES[0], {}, {}, digest({}), 31.0), {})
    with pytest.raises(sqlite3.IntegrityError):
        ledger.open_exchange(HANDLES[5], 0, 2, 31.0)  # nobody has it
    assert ledger.submission(HANDLES[0]) is None
    assert ledger.handout(HANDLES[0]).status == "expired"


# -- what it keeps -----------------------------------------------------------------------------------------------------
def test_everything_comes_back_as_it_went_in(ledger):
    odd = {"comment": "half \ud83d, <b>, \u202e, \0", "items": [1.5, None, True]}
    submission = Submission(HANDLES[0], {"items": [odd]}, odd, digest(odd), 15.5)
    ledger.submit(submission, {3: True}, stop="controls")
    ledger.told(HANDLES[0], "agent")
    assert ledger.submission(HANDLES[0]) == submission
    assert list(ledger.submissions())[1] == submission
    assert ledger.handout(HANDLES[0]) == handout(0, status="done", agent_id="agent", finished_at=15.5, told=True)
    assert ledger.misses("ann") == 1
    assert ledger.grades() == [
        ("bob", HANDLES[1], 0, True),
        ("bob", HANDLES[1], 1, False),
        ("ann", HANDLES[0], 3, True),
    ]
    assert [(a.worker, a.standing, a.why) for a in ledger.annotators()] == [
        ("ann", "stopped", "controls"),
        ("bob", "new", ""),
    ]
    attempt = PracticeAttempt("cyd", 0, odd, 2, False, 9.0)
    ledger.practise(attempt, "new")
    assert ledger.attempts("cyd") == [attempt]
    ledger.agree("cyd", "text", 9.5)
    assert ledger.annotator("cyd").consent == "text"
    assert ledger.counts() == {"annotators": 3, "stopped": 1, "latest": 2, "since": 15.0, "out_since": 0}


def test_nobody_else_may_read_a_ledger_and_nothing_is_left_beside_it(ledger, path):
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {file.name.removeprefix("ledger.db") for file in path.parent.iterdir()} <= {"", "-wal", "-shm"}


KILLED = """
    import os, signal, sys
    from parlai_spotbot.crowdsourcing.ledger.entries import Handout, Submission, digest
    from parlai_spotbot.crowdsourcing.ledger.ledger import BACKUPS, Ledger, answers_in, later_of
    ledger = Ledger(sys.argv[1])
    ledger.begin("spot_the_bot", 3)
    for n in range(100):
        handle = f"{n:032x}"
        ledger.hand_out(Handout(handle, f"w{n}", "", 0, f"u{n}", "b", (), "", 1.0, 2.0), [f"c{n}"], [])
        ledger.submit(Submission(handle, {}, {}, digest({}), 1.5), {})
        print(n, flush=True)
        if n == 40:  # in the middle of a further hand-out
            ledger._db.execute("BEGIN IMMEDIATE")
            ledger._db.execute("UPDATE handouts SET status = 'open', finished_at = NULL")
            os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_in_the_middle_keeps_what_was_said_to_be_kept(path):
    path.parent.mkdir(parents=True)
    child = [sys.executable, "-c", textwrap.dedent(KILLED), str(path)]
    ran = subprocess.run(child, stdout=subprocess.PIPE, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert ran.returncode == -signal.SIGKILL
    said = [int(n) for n in ran.stdout.split()]
    assert said == list(range(41))
    with Ledger(path) as ledger:
        assert [s.handle for s in ledger.submissions()] == [f"{n:032x}" for n in said]
        assert {h.status for h in ledger.handouts()} == {"done"}


def test_a_full_disk_is_an_error_and_changes_nothing(ledger, path):
    pages = ledger._db.execute("PRAGMA page_count").fetchone()[0]
    ledger._db.execute(f"PRAGMA max_page_count = {pages}")
    big = {"comment": "x" * 100_000}
    with pytest.raises(sqlite3.OperationalError, match="full"):
        ledger.submit(Submission(HANDLES[0], big, big, digest(big), 15.5), {})
    assert ledger.submission(HANDLES[0]) is None
    assert ledger.handout(HANDLES[0]).status == "open"
    ledger._db.execute("PRAGMA max_page_count = 100000")
    ledger.submit(Submission(HANDLES[0], big, big, digest(big), 15.5), {})
    assert ledger.submission(HANDLES[0]).body == big


def test_a_clock_that_was_set_back_stands_still():
    times = iter([5.0, 12.0, 11.0, 13.0])
    now = later_of(lambda: next(times), 10.0)
    assert [now() for _ in range(4)] == [10.0, 12.0, 12.0, 13.0]


# -- opening it --------------------------------------------------------------------------------------------------------
def test_the_limit_holds_over_launches_and_may_be_raised(path):
    with Ledger(path) as first:
        first.begin("spot_the_bot", 1)
        first.hand_out(handout(0), [], [])
        first.end(HANDLES[0], "returned", 12.0)
    with Ledger(path) as second:
        second.begin("spot_the_bot", 1)
        assert second._db.total_changes == 0  # what is known isn't written again, so a full disk is no obstacle
        with pytest.raises(sqlite3.IntegrityError, match="limit"):
            second.hand_out(handout(1, slot=1, unit="u1", block="b1"), [], [])
        second.begin("spot_the_bot", 2)
        second.hand_out(handout(1, slot=1, unit="u1", block="b1"), [], [])


def test_what_a_launch_set_first_stays(ledger):
    assert [ledger.keep("plan", value) for value in ("first", "second")] == ["first", "first"]


def test_rows_that_refer_to_nothing_are_damage(ledger, path):
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("DELETE FROM submissions")
    db.close()
    for look in (answers_in, Ledger):
        with pytest.raises((sqlite3.DatabaseError, UserError), match="table grades refers to a missing row"):
            look(path)


def test_a_backup_that_cannot_be_read_says_nothing_against_a_ledger(ledger, path):
    folder = path.parent / BACKUPS
    folder.mkdir()
    (folder / "20260101T000000Z.db").write_bytes(b"no database")
    Ledger(path).close()


def test_another_survey_another_version_and_other_files_are_refused(ledger, path, tmp_path):
    with pytest.raises(UserError, match="of survey 'spot_the_bot', not of 'nuc'"):
        ledger.begin("nuc", 3)
    ledger._db.execute("PRAGMA user_version = 99")
    with pytest.raises(UserError, match="version 99"):
        Ledger(path)
    text = tmp_path / "notes.txt"
    text.write_text("these are my notes, which are no database\n" * 100)
    with pytest.raises(UserError, match=r"notes\.txt: cannot be opened"):
        Ledger(text)
    assert text.read_text().startswith("these are my notes")


def test_a_write_waits_for_no_reader_and_is_refused_while_another_writes(ledger, path):
    ledger._db.execute("PRAGMA busy_timeout = 1")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        ledger.end(HANDLES[0], "returned", 12.0)
    other.execute("ROLLBACK")
    other.execute("BEGIN")
    assert other.execute("SELECT status FROM handouts").fetchall() == [("open",), ("done",)]
    assert ledger.end(HANDLES[0], "returned", 12.0)
    other.close()
