"""The cache: where it is, and that an entry appears whole, once, and after a crash too."""

import multiprocessing
import os
import time
from pathlib import Path

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.models.cache import cache_dir, cached_folder


def test_the_folder_is_named_by_the_environment(monkeypatch, tmp_path):
    monkeypatch.setenv("SPOTBOT_CACHE", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    assert cache_dir() == tmp_path / "own"
    monkeypatch.delenv("SPOTBOT_CACHE")
    assert cache_dir() == tmp_path / "shared" / "parlai_spotbot"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_dir() == Path.home() / ".cache" / "parlai_spotbot"


def test_a_failed_or_killed_build_leaves_no_entry(monkeypatch, tmp_path):
    monkeypatch.setenv("SPOTBOT_CACHE", str(tmp_path))

    def fails(folder: Path) -> None:
        (folder / "half").write_text("torn")
        raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError, match="interrupted"):
        cached_folder("thing", fails)
    assert not (tmp_path / "thing").exists()
    made = cached_folder("thing", lambda folder: (folder / "whole").write_text("done"))
    assert sorted(p.name for p in made.iterdir()) == ["whole"]


def _slow_build(folder: Path) -> None:
    time.sleep(0.3)
    (folder / "by").write_text(str(os.getpid()))


def _user(name: str, answers) -> None:
    answers.put((cached_folder(name, _slow_build) / "by").read_text())


def test_processes_that_need_the_same_entry_make_it_once(monkeypatch, tmp_path):
    monkeypatch.setenv("SPOTBOT_CACHE", str(tmp_path))
    context = multiprocessing.get_context("spawn" if os.name == "nt" else "fork")
    answers = context.Queue()
    users = [context.Process(target=_user, args=("thing", answers)) for _ in range(3)]
    for user in users:
        user.start()
    assert len({answers.get(timeout=30) for _ in users}) == 1
    for user in users:
        user.join()


def test_an_unwritable_cache_is_named(monkeypatch, tmp_path):
    blocker = tmp_path / "file"
    blocker.write_text("")
    monkeypatch.setenv("SPOTBOT_CACHE", str(blocker / "cache"))
    with pytest.raises(UserError, match="SPOTBOT_CACHE"):
        cached_folder("thing", lambda folder: None)
