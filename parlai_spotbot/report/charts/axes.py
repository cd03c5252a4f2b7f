"""Shared parts of charts: looks of contestants, marks with intervals, names beside curves, axes of shares."""

import textwrap
from collections.abc import Mapping

from matplotlib.ticker import PercentFormatter

from parlai_spotbot.findings.sections import Name
from parlai_spotbot.report.drawing import DASHES, INK, LOSS, MARKERS, MUTED, WIN, Look
from parlai_spotbot.wording import who

Looks = Mapping[str, Look]

PERCENT = PercentFormatter(1.0, decimals=0)

NARROW = 16
"""Characters of a name, of which three are beside each other."""

LONGEST = 26
"""Characters of a label before it is broken."""


def look_of(label: str, looks: Looks, place: int = 0) -> Look:
    """A contestant's own look; others are told apart by line, marker and neutral colours."""
    if isinstance(label, Name) and label in looks:
        return looks[label]
    colours = (WIN, LOSS, INK, MUTED)
    return Look(colours[place % 4], MARKERS[place % 8], DASHES[(place + place // 4) % len(DASHES)], "")


def label_text(label: str) -> str:
    return textwrap.fill(who(str(label)), LONGEST) or " "
