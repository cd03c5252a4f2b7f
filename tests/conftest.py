"""Fixtures for all rooms."""

import atexit
import gc
import os
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path

import pytest

gc.disable()  # until all is imported, see below

# What tests leave among the temporary files, those they kill above all, goes with them; pytest keeps its own place.
os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
os.environ["TMPDIR"] = tempfile.tempdir = tempfile.mkdtemp(prefix="spotbot-tests-")
atexit.register(shutil.rmtree, tempfile.tempdir, ignore_errors=True)

# No test pulls the plug: what the disk has when a process dies is seen without waiting for the disk each time.
os.fsync = lambda handle: None


class _Unsynced(sqlite3.Connection):
    def execute(self, sql, *values):
        return super().execute(sql.replace("synchronous = FULL", "synchronous = OFF"), *values)


sqlite3.connect = partial(sqlite3.connect, factory=_Unsynced)

# Agents that misbehave on purpose (contestants' processes inherit the path), and players of the game.
sys.path[:0] = [str(Path(__file__).parent / "selfplay"), str(Path(__file__).parent)]
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Rooms, where files were asked for (`.ci/test`)."""
    if config.option.dist == "loadfile":
        from by_room import ByRoom

        return ByRoom(config, log)


def pytest_collection_finish():
    """What is imported stays: no search for garbage goes through it, not even once."""
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


@pytest.fixture(scope="session")
def chromium():
    """A headless Chromium for all tests of a process; they skip where there is none."""
    pytest.importorskip("playwright.sync_api")
    from chromium import CHROMIUM, browser

    if not CHROMIUM:
        pytest.skip("no Chromium here")
    with browser() as found:
        yield found


@pytest.fixture(scope="session", autouse=True)
def worked_out_once():
    """A batch of texts is embedded once; and so it is with how well the surface tells the same bots from people."""
    from parlai_spotbot.models.minilm import MiniLM
    from parlai_spotbot.texts import surface_check

    def of_texts(_, texts):
        import torch

        return tuple(texts), torch.is_autocast_enabled("cpu")  # in less precision they are other numbers

    with pytest.MonkeyPatch.context() as patch:
        _remember(patch, MiniLM, "_embed_batch", of_texts)
        _remember(patch, surface_check, "auc", lambda *sides: tuple((x.tobytes(), tuple(talks)) for x, talks in sides))
        yield


def _remember(patch, place, name, key):
    """Let the function `name` of `place` work once for arguments of the same `key`."""
    known, as_users_have_it = {}, getattr(place, name)

    def remembered(*given):
        told = key(*given)
        if told not in known:
            known[told] = as_users_have_it(*given)
        return known[told]

    patch.setattr(place, name, remembered)


@pytest.fixture
def only(monkeypatch):
    """``only("ranking", …)``: from then on analyses of studies hold these findings alone, which saves the others."""
    from parlai_spotbot.findings import analyze

    def just(*names):
        monkeypatch.setattr(analyze, "compute", partial(analyze.compute, only=names))

    return just


@pytest.fixture(scope="session", autouse=True)
def imported_for_contestants():
    """What agents import is imported once for all contestants of a process, as ParlAI is for users."""
    from parlai_spotbot.selfplay import process

    own = ["parlai.core.torch_agent", "parlai_spotbot.agents.causal_lm.agents", "sklearn.feature_extraction.text"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(process, "_PRELOAD", [*process._PRELOAD, *own])
        yield


@pytest.fixture(scope="session", autouse=True)
def quick_figures():
    """Figures aren't laid out and have no PDF, most of a drawing's time; `laid_out` and `pdfs` are for who looks."""
    from parlai_spotbot.report import drawing

    as_users_have_them = {name: getattr(drawing, name) for name in ("_lay_out", "_pdf")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "_lay_out", lambda figure: None)
        patch.setattr(drawing, "_pdf", lambda figure, label: b"%PDF-")
        yield as_users_have_them


@pytest.fixture(scope="module")
def laid_out(quick_figures):
    """Figures are laid out, as users have them."""
    yield from _as_users_have(quick_figures, "_lay_out")


@pytest.fixture(scope="module")
def pdfs(laid_out, quick_figures):
    """Figures are laid out and have their PDF, as users have them."""
    yield from _as_users_have(quick_figures, "_pdf")


def _as_users_have(figures, name):
    from parlai_spotbot.report import charts, drawing

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, name, figures[name])
        patch.setattr(charts, "_DRAWN", {})
        yield


@pytest.fixture(scope="session")
def learns_little():
    """``learns_little(patch)``: the spotter learns from few conversations, of which it reads six tokens a turn."""
    from parlai_spotbot.judges.spotter import corruptions, examples, standins, surprises

    def learn(patch, episodes=60, per_kind=4, per_pair=3):
        patch.setattr(examples, "MAX_EPISODES", episodes)
        patch.setattr(corruptions, "PER_KIND", per_kind)
        patch.setattr(standins, "PER_PAIR", per_pair)
        patch.setattr(surprises, "TOKENS", 6)

    return learn


def pytest_terminal_summary(terminalreporter):
    """What tests that were skipped would need, in place of a line each."""
    skipped = Counter(
        report.longrepr[2].removeprefix("Skipped: ") for report in terminalreporter.stats.get("skipped", [])
    )
    for reason, count in skipped.most_common():
        terminalreporter.write_line(f"{count} skipped: {reason}")
