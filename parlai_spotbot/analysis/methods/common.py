"""What methods share: seeded generators by name, values as JSON can hold them, and what an analysis was made by."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np

import parlai_spotbot

VERSION = 2
"""Of the figures of an analysis: it grows where the same judgements give other ones than before, and a report of an
older analysis says so."""


def made_by(
    options: Mapping[str, Any],
    seed: int,
    used: Mapping[str, int],
    left_out: Mapping[str, Mapping[str, int]],
    **more: Any,
) -> dict[str, Any]:
    """What every file of an analysis says of itself: versions, options, how many annotations of each source are used,
    and how many are left out and why."""
    return plain({"package": f"parlai_spotbot {parlai_spotbot.__version__}", "version": VERSION, "options": options,
                  "seed": seed, "used": used, "left_out": left_out, **more})  # fmt: skip


def generator(seed: int, *names: str) -> np.random.Generator:
    """A generator of its own for each source and statistic, so that one doesn't shift the numbers of another."""
    return np.random.default_rng([seed, *(zlib.crc32(name.encode("utf-8")) for name in names)])


def plain(value: Any) -> Any:
    """`value` as JSON can hold it: no NumPy types, and None for NaN and infinity."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return value
