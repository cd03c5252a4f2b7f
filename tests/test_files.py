"""Files survive crashes, full disks and second processes."""

import errno
import json
import resource
import signal
import socket
import subprocess
import sys
import time

import pytest

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.user_files import read_fields


def row_of(row, where):
    return row


def test_a_torn_last_line_is_cut_off_and_the_rest_kept(tmp_path):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b'{"n": 1}\n{"n": 2}\n{"n": 3')
    with files.Journal(path) as journal:
        assert journal.cut == len('{"n": 3')
        journal.append({"n": 4})
    assert path.read_text() == '{"n": 1}\n{"n": 2}\n{"n": 4}\n'


def test_reading_past_a_torn_line_only_where_that_is_allowed(tmp_path):
    path = tmp_path / "journal.jsonl"
    path.write_text('{"n": 1}\n{"n": ')
    assert files.read_jsonl(path, row_of, torn_tail=True) == [{"n": 1}]
    with pytest.raises(UserError, match=r"journal.jsonl, line 2: not valid JSON"):
        files.read_jsonl(path, row_of)


@pytest.mark.parametrize("bad", ["[1]\n", "{nonsense}\n", "\xff\n"])
def test_a_malformed_line_is_named(tmp_path, bad):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'{"n": 1}\n' + bad.encode("latin-1"))
    with pytest.raises(UserError, match=r"rows\.jsonl, line 2"):
        files.read_jsonl(path, row_of)


@pytest.mark.parametrize(
    ("row", "says"), [({}, "is missing"), ({"n": "1"}, "expected int"), ({"n": True}, "expected int")]
)
def test_fields_are_checked(row, says):
    with pytest.raises(UserError, match=f"f, line 1: field 'n'.*{says}"):
        read_fields(row, "f, line 1", n=int)


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "value.json"
    files.write_json(path, {"old": 1})
    with pytest.raises(ValueError, match="Out of range float"):
        files.write_json(path, {"new": float("nan")})
    assert json.loads(path.read_text()) == {"old": 1}
    assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def small_disk():
    """No file may grow past 4,096 bytes: a write beyond fails as on a full disk."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, old[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, old)
    signal.signal(signal.SIGXFSZ, handler)


@pytest.mark.usefixtures("small_disk")
def test_a_full_disk_takes_back_half_written_rows(tmp_path):
    path = tmp_path / "journal.jsonl"
    with files.Journal(path) as journal:
        journal.append({"text": "x" * 3000})
        before = path.read_bytes()
        with pytest.raises(UserError, match=r"journal.jsonl: cannot write.*Free some space"):
            journal.append({"text": "y" * 500}, {"text": "z" * 3000})
        assert path.read_bytes() == before
        journal.append({"text": "small"})
    assert len(files.read_jsonl(path, row_of)) == 2


@pytest.mark.usefixtures("small_disk")
def test_a_full_disk_leaves_the_old_file_and_no_litter(tmp_path):
    path = tmp_path / "page.html"
    files.write_text(path, "old")
    with pytest.raises(UserError, match="cannot write"):
        files.write_text(path, "new" * 5000)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


HOLDER = """
import pathlib, sys, time
from pathlib import Path
from parlai_spotbot import files
with files.lock(Path(sys.argv[1]), "spotbot_selfchat"):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_second_process_is_told_who_holds_the_study_and_a_killed_one_frees_it(tmp_path):
    path = tmp_path / ".lock"
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE)
    try:
        assert holder.stdout.readline() == b"held\n"
        with (
            pytest.raises(UserError, match=rf"in use by spotbot_selfchat \(process {holder.pid} on \S+, since 20"),
            files.lock(path, "x"),
        ):
            pass
    finally:
        holder.kill()
        holder.wait()
    deadline = time.monotonic() + 10
    while True:
        try:
            with files.lock(path, "spotbot_pack"):
                break
        except UserError:
            assert time.monotonic() < deadline


NO_LOCKS = """
import errno, fcntl, sys

def flock(handle, how):
    raise OSError(getattr(errno, "ERROR"), "no locks here")

fcntl.flock = flock
"""


@pytest.mark.parametrize("error", ["ENOLCK", "ENOSYS", "EOPNOTSUPP"])
def test_on_a_disk_without_locks_a_file_is_the_lock(tmp_path, monkeypatch, error):
    import fcntl

    def flock(handle, how):
        raise OSError(getattr(errno, error), "no locks here")

    path = tmp_path / ".lock"
    code = NO_LOCKS.replace("ERROR", error) + HOLDER
    holder = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE)
    monkeypatch.setattr(fcntl, "flock", flock)
    try:
        assert holder.stdout.readline() == b"held\n"
        found = rf"in use by spotbot_selfchat \(process {holder.pid} on {socket.gethostname()}, since 20"
        with pytest.raises(UserError, match=found) as refused, files.lock(path, "x"):
            pass
        assert (
            "This disk has no locks: where that process is gone, on a host that is gone, remove" in refused.value.remedy
        )
    finally:
        holder.kill()
        holder.wait()
    with files.lock(path, "spotbot_pack"):  # the killed process is of this host
        assert "spotbot_pack (process" in path.read_text()
        assert path.with_name(".lock.held").exists()
    assert not path.with_name(".lock.held").exists()
    path.with_name(".lock.held").write_text("4711\nanother-host\n")
    with pytest.raises(UserError, match=r"in use by another process") as refused, files.lock(path, "x"):
        pass
    assert str(path.with_name(".lock.held")) in refused.value.remedy


def test_nothing_needs_a_module_that_windows_lacks():
    code = "import sys; sys.modules['fcntl'] = None; import parlai_spotbot.study, parlai_spotbot.models.cache"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


WRITER = """
import os, pathlib, sys, time
from parlai_spotbot import files

def slow_disk(handle):
    print("writing", flush=True)
    time.sleep(60)

os.fsync = slow_disk
files.write_bytes(pathlib.Path(sys.argv[1]), b"half")
"""


def test_what_a_killed_write_left_goes_and_one_under_way_is_not_touched(tmp_path):
    path = tmp_path / "below" / "value.json"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE)
    try:
        assert writer.stdout.readline() == b"writing\n"
        [unfinished] = path.parent.iterdir()
        with files.lock(tmp_path / ".lock", "x"):
            assert unfinished.exists()
    finally:
        writer.kill()
        writer.wait()
    assert unfinished.exists()
    with files.lock(tmp_path / ".lock", "x"):
        assert not list(path.parent.iterdir())
