"""ParlAI's data folder, for what it downloads: its default is within its package and disappears with a `.venv`.

Our commands keep it in the user's cache.
"""

import contextlib
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

from parlai_spotbot.models.cache import cache_dir

VARIABLE = "PARLAI_DATAPATH"


def parlais_own() -> Path | None:
    """The default folder of ParlAI; None without ParlAI."""
    if home := os.environ.get("PARLAI_HOME"):
        return Path(home) / "data"
    spec = importlib.util.find_spec("parlai")
    if spec and spec.origin:
        return Path(spec.origin).parents[1] / "data"
    return None


@contextlib.contextmanager
def data_folder() -> Iterator[None]:
    """Meanwhile ParlAI, here and in processes that are started, has its data in the cache; `VARIABLE` goes before.

    It doesn't where it names ParlAI's own folder: to that ParlAI's parser sets it, if nobody else has.
    """
    named = os.environ.get(VARIABLE)
    if named and Path(named) != parlais_own():
        yield
        return
    os.environ[VARIABLE] = str(cache_dir() / "data")
    try:
        yield
    finally:
        os.environ.pop(VARIABLE, None)
