"""ParlAI's data folder, for what it downloads: by itself it takes one within its package, which goes with a `.venv`.

Our commands keep it in the user's cache. What lies in ParlAI's own folder is linked there, so it isn't fetched again.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
from collections.abc import Iterator
from pathlib import Path

from parlai_spotbot.models.cache import cache_dir

VARIABLE = "PARLAI_DATAPATH"


def parlais_own() -> Path | None:
    """The folder that ParlAI takes by itself; None without ParlAI."""
    if home := os.environ.get("PARLAI_HOME"):
        return Path(home) / "data"
    spec = importlib.util.find_spec("parlai")
    return Path(spec.origin).parents[1] / "data" if spec and spec.origin else None


@contextlib.contextmanager
def data_folder() -> Iterator[None]:
    """Meanwhile ParlAI, here and in processes that are started, has its data in the cache; `VARIABLE` goes before.

    It doesn't where it names ParlAI's own folder: to that ParlAI's parser sets it, if nobody else has.
    """
    parlai_path, named = parlais_own(), os.environ.get(VARIABLE)
    if named and Path(named) != parlai_path:
        yield
        return
    folder = cache_dir() / "data"
    with contextlib.suppress(OSError):  # where the cache can't be written, whoever downloads says so
        _link(parlai_path, folder)
    os.environ[VARIABLE] = str(folder)
    try:
        yield
    finally:
        os.environ.pop(VARIABLE, None)


def _link(old: Path | None, folder: Path) -> None:
    """Link what is in `old` and not in `folder`; a link that leads nowhere any more is removed."""
    for part in ("", "models", "models/spotbot"):
        inside = folder / part
        inside.mkdir(parents=True, exist_ok=True)
        for path in inside.iterdir():
            if path.is_symlink() and not path.exists():
                path.unlink(missing_ok=True)
        for path in sorted((old / part).iterdir()) if old and (old / part).is_dir() else ():
            if path.name not in ("models", "spotbot") and not (inside / path.name).exists():
                with contextlib.suppress(FileExistsError):  # another process was faster
                    (inside / path.name).symlink_to(path.resolve())
