"""Record of the versions, options and checksums of an analysis."""

from collections.abc import Mapping
from typing import Any

import parlai_spotbot
from parlai_spotbot.analysis.values import plain

VERSION = 6
"""Of the figures of an analysis: it grows where the same judgements give other ones than before, and a report of an
older analysis says so."""


def made_by(
    options: Mapping[str, Any],
    seed: int,
    used: Mapping[str, int],
    left_out: Mapping[str, Mapping[str, int]],
    **more: Any,
) -> dict[str, Any]:
    """Return what every file of an analysis says of itself: versions, options, how many annotations of each source are
    used, and how many are left out and why."""
    return plain(
        {
            "package": f"parlai_spotbot {parlai_spotbot.__version__}",
            "version": VERSION,
            "options": options,
            "seed": seed,
            "used": used,
            "left_out": left_out,
            **more,
        }
    )
