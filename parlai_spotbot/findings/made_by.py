"""The `made_by` entry of results."""

from typing import Any

import parlai_spotbot

VERSION = 8
"""It grows where the same judgements give other figures than before, and a report of an older analysis states it."""


def made_by(**further: Any) -> dict[str, Any]:
    """Return the package and the version of analyses, and what `further` results were made by."""
    return {"package": f"parlai_spotbot {parlai_spotbot.__version__}", "version": VERSION, **further}
