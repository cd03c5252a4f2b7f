"""The folder for what contestants print at work: it stays only if a message names it."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from parlai_spotbot.errors import UserError


@dataclass
class PrintedFolder:
    """The folder, and whether it is to stay."""

    path: Path
    kept: bool = False


@contextlib.contextmanager
def printed(prefix: str) -> Iterator[PrintedFolder]:
    """A new temporary folder, removed in the end unless it is to stay, or a `UserError` names it."""
    folder = PrintedFolder(Path(tempfile.mkdtemp(prefix=prefix)))
    try:
        yield folder
    except UserError as err:
        folder.kept |= str(folder.path) in str(err)
        raise
    finally:
        if not folder.kept:
            shutil.rmtree(folder.path, ignore_errors=True)
