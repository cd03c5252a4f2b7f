"""Shared parts of charts: looks of contestants, marks with intervals, names beside curves, axes of shares."""

import textwrap
from collections.abc import Mapping

from matplotlib.ticker import PercentFormatter

from parlai_spotbot.findings.sections import Name
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.drawing import INK, LOSS, MUTED, WIN, Look

Looks = Mapping[str, Look]

PERCENT = PercentFormatter(1.0, decimals=0)

LONGEST = 26
"""Characters of a label before it is broken."""

DASHES = ("-", (0, (5, 1)), (0, (1, 1)), (0, (6, 1, 1, 1)))


def look_of(label: str, looks: Looks, place: int = 0) -> Look:
    """A contestant's own look; others are told apart by line, marker and neutral colours."""
    if isinstance(label, Name) and label in looks:
        return looks[label]
    colours = (WIN, LOSS, INK, MUTED)
    return Look(colours[place % 4], "os^DvPX*"[place % 8], DASHES[place // 4 % len(DASHES)], "")


def label_text(label: str) -> str:
    return "people" if label == HUMAN else "\n".join(textwrap.wrap(str(label), LONGEST)) or " "


def is_share(text: str) -> bool:
    """Return whether an axis is one of shares, which are written as percentages."""
    return any(word in text.lower() for word in ("share", "chance", "rate of", "win rate", "probability"))
