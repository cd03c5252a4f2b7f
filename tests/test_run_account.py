"""The account of a full run: shards of slow tests, and skips that nothing excuses."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests import allowed_skips, run_account

HERE = Path(__file__).parent
TESTS = """
import pytest
from tests import outside_data
@pytest.mark.skip(reason={reason!r})
def test_skipped(): pass
@pytest.fixture(scope="module")
def data(): return outside_data.released_data("x")
def test_one(data): pass
def test_two(data): pass
@pytest.mark.slow
@pytest.mark.parametrize("n", range(16))
def test_slow(n): pass
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """``run(reason, *options)``: pytest on a file whose first test skips for this reason; its exit code and output."""
    monkeypatch.setenv("PYTHONPATH", str(HERE.parent))
    monkeypatch.setenv("SPOTBOT_SHARED", str(tmp_path))
    (tmp_path / "x").touch()
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = slow")

    def started(reason, *options):
        (tmp_path / "test_it.py").write_text(TESTS.format(reason=reason))
        command = [sys.executable, "-m", "pytest", "-p", "tests.run_account", "-q", *options]
        outcome = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        return outcome.returncode, outcome.stdout

    return started


def test_a_skip_that_nothing_excuses_fails_a_strict_run(run, tmp_path):
    assert run("a new reason", "-m not slow")[0] == 0
    code, output = run("a new reason", "-m not slow", "--strict-skips")
    assert code == 1
    assert "a new reason. THIS IS A FAILURE" in output
    code, output = run("could not import 'ray'", "-m not slow", "--strict-skips", "--account", "runs.json")
    assert code == 0
    assert "passed in all: 0 with R's icenReg, 0 with Chromium, 2 with released data" in output.splitlines()[-1]


@pytest.mark.slow
def test_eight_runs_run_every_slow_test_once(run):
    shards = []
    for _ in range(run_account.SHARDS):
        code, output = run("not run here", "--slow-shard", "auto", "--account", "runs.json")
        assert code in (0, pytest.ExitCode.NO_TESTS_COLLECTED)
        shards.append(output.splitlines()[-1])
    assert sum(int(line.split(" passed")[0]) for line in shards if " passed" in line) == 16


def test_the_next_shard_is_the_one_run_longest_ago():
    assert run_account.next_shard(13, {}) == 5
    record = {str(shard): f"2026-01-0{shard + 1}" for shard in range(8)}
    assert run_account.next_shard(13, record) == 0
    assert run_account.next_shard(13, {**record, "0": "2027"}) == 1
    assert run_account.next_shard(13, {"5": "2026"}) == 6


def icenreg_excuse():
    allowed_skips.no_icenreg.cache_clear()
    return allowed_skips.excuse("needs icenReg: R has no package icenReg")


def test_what_the_network_has_is_not_excused(monkeypatch):
    monkeypatch.setattr(allowed_skips, "no_debian_package", lambda name: "" if name == "chromium" else "no network")
    monkeypatch.setattr(allowed_skips.shutil, "which", lambda name: None)
    assert not allowed_skips.excuse("no Chromium here")
    assert icenreg_excuse() == "no network"
    monkeypatch.setattr(allowed_skips.shutil, "which", lambda name: name)
    monkeypatch.setenv("SPOTBOT_R_PACKAGES", "/a/folder")
    assert not icenreg_excuse()
    monkeypatch.delenv("SPOTBOT_R_PACKAGES")
    monkeypatch.setattr(allowed_skips, "CRAN", "http://127.0.0.1:1/PACKAGES")
    assert "the network has no icenReg" in icenreg_excuse()
    monkeypatch.setenv("SPOTBOT_SHARED", "/a/folder")
    assert not allowed_skips.excuse("needs the released data: $SPOTBOT_SHARED/x")
    monkeypatch.delenv("SPOTBOT_SHARED")
    assert allowed_skips.excuse("needs the released data: $SPOTBOT_SHARED/x")
    allowed_skips.no_icenreg.cache_clear()
