"""A probe: one thing that a verdict assumes, and what the answers show of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

GREEN = "green"
AMBER = "amber"
RED = "red"

BETTER = "better"
WORSE = "worse"
SAME = "not told apart"
UNKNOWN = "not known"
EQUAL = "equal"
"""Verdicts on the first of a pair beside the second; two are equal only within a margin that was declared."""


@dataclass(frozen=True)
class Probe:
    """Record of what the answers show of one assumption.

    Attributes
    ----------
    name : str
        Of the assumption; the words for it are kept under this name.
    level : str
        `GREEN`: nothing speaks against it; `AMBER`: it is named beside the verdict; `RED`: it takes verdicts away.
    figures : mapping
        Numbers and names that the words for it take.
    pairs : tuple of (str, str), optional
        The pairs of contestants that a red one leaves unknown; None: all.
    """

    name: str
    level: str = GREEN
    figures: Mapping[str, Any] = field(default_factory=dict)
    pairs: tuple[tuple[str, str], ...] | None = None
