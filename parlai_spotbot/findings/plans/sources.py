"""Whose judgements of a pilot a plan goes by."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.findings.contents import people_first


def chosen(asked: str | None, known: Iterable[str], path: Path) -> str:
    """The source that is asked for, by default people, else the first judge; `path` is where judgements are."""
    sources = people_first(known)
    if asked is None:
        return sources[0]
    if asked not in sources:
        raise UserError(f"--source {asked}: no judgements of it in {path}.", nearest(asked, sources))
    return asked
