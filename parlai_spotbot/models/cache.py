"""The cache folder: what is derived once from installed packages and data, and kept because deriving it takes long.

Everything in it can be deleted at any time and is made again. Entries are folders that appear whole or not at all, and
two processes that need the same entry at once make it only once.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.errors import UserError

SHIPPED = Path(__file__).resolve().parents[1] / "prepared"
"""Entries that the package carries, as `.ci/prepared` makes them, so that nobody waits for them."""

ELSEWHERE = "name a writable folder in the environment variable SPOTBOT_CACHE"


def cache_dir() -> Path:
    """The folder named by $SPOTBOT_CACHE, else $XDG_CACHE_HOME/parlai_spotbot, else ~/.cache/parlai_spotbot."""
    if SPOTBOT_CACHE := os.environ.get("SPOTBOT_CACHE"):
        return Path(SPOTBOT_CACHE).expanduser()
    if shared := os.environ.get("XDG_CACHE_HOME"):
        return Path(shared).expanduser() / "parlai_spotbot"
    return Path.home() / ".cache" / "parlai_spotbot"


def cached_folder(name: str, build: Callable[[Path], None]) -> Path:
    """Return the entry `name`: the package's, or the cache's, which ``build(empty_folder)`` makes if it isn't there.

    A name tells what its entry follows from, so one of other data or another version is not taken. A second process
    waits for the first one's entry. What a killed process left behind is removed.

    Raises
    ------
    UserError
        If the cache cannot be written.
    """
    folder = cache_dir() / name
    for there in (SHIPPED / name, folder):
        if there.is_dir():
            return there
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with files.acquired(folder.parent / f".{name}.lock"):
            if not folder.is_dir():
                partial = folder.parent / f".{name}.partial"
                shutil.rmtree(partial, ignore_errors=True)
                partial.mkdir()
                build(partial)
                for path in [*partial.rglob("*"), partial]:  # a power cut must not leave a complete-looking entry
                    files.sync(path)
                partial.rename(folder)
    except OSError as err:
        raise UserError(
            f"{folder}: cannot make this cache entry: {err.strerror or err}.", f"Free some space, or {ELSEWHERE}."
        ) from err
    return folder
