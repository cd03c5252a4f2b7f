"""Fixtures for all rooms."""

import atexit
import gc
import os
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

import pytest

gc.disable()  # until all is imported, see below

# What tests leave among the temporary files, those they kill above all, goes with them; pytest keeps its own place.
os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
os.environ["TMPDIR"] = tempfile.tempdir = tempfile.mkdtemp(prefix="spotbot-tests-")
atexit.register(shutil.rmtree, tempfile.tempdir, ignore_errors=True)

os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # as in an active environment
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


pytest_plugins = ["tests.run_account"]


def pytest_collection_finish():
    """What is imported stays: no search for garbage goes through it, not even once."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session")
def chromium():
    """A headless Chromium for all tests of a process; they skip where there is none."""
    pytest.importorskip("playwright.sync_api")
    from tests.chromium import CHROMIUM, browser

    if not CHROMIUM:
        pytest.skip("no Chromium here")
    with browser() as found:
        yield found


@pytest.fixture
def only(monkeypatch):
    """``only("ranking", …)``: from then on analyses of studies hold these findings alone, which saves the others."""
    from parlai_spotbot.findings import analyze

    def just(*names):
        monkeypatch.setattr(analyze, "compute", partial(analyze.compute, only=names))

    return just


@pytest.fixture(scope="session")
def learns_little():
    """``learns_little(patch)``: the spotter learns from few conversations."""
    from parlai_spotbot.judges.spotter import corruptions, examples, standins

    def learn(patch, episodes=60, per_kind=4, per_pair=3):
        patch.setattr(examples, "MAX_EPISODES", episodes)
        patch.setattr(corruptions, "PER_KIND", per_kind)
        patch.setattr(standins, "PER_PAIR", per_pair)

    return learn
