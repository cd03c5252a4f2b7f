"""Shared parts of charts: looks of contestants, marks with intervals, names beside curves, axes of shares."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from parlai_spotbot.findings.sections import Name
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.drawing import INK, LOSS, MUTED, WIN, Look, tell
from parlai_spotbot.wording import between, number, percent, who

Looks = Mapping[str, Look]

Row = Mapping

PLAIN = Look(WIN, "o", "-", "")

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


def known(row: Row, key: str = "estimate") -> bool:
    return row.get(key) is not None


Interval = Sequence[float | None]
UNKNOWN: Interval = (None, None)


def whiskers(axes: Axes, at: tuple[float, float], look: Look, said: str, across: Interval = UNKNOWN) -> None:
    """A mark at (x, y) with the interval of x, which says its figures to whoever points at it."""
    low, high = across
    reach = None if low is None or high is None else np.clip([[at[0] - low], [high - at[0]]], 0, None)
    mark = axes.errorbar(*at, xerr=reach, zorder=3, color=look.colour, marker=look.marker, ms=5.5, lw=1.65)
    tell(mark[0], said)


def figures(row: Row, value: float, share: bool, interval: Interval = UNKNOWN) -> str:
    """The figures of a mark, in words: whose they are, the value, its interval and of how many."""
    show = percent if share else number
    count = "" if row.get("n") is None else f", n = {row['n']}"
    return f"{who(str(row['label']))}: {show(value)}{between(interval, show)}{count}"


def interval_of(row: Row) -> tuple[float | None, float | None]:
    return row.get("low"), row.get("high")


def names_down(axes: Axes, names: list[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
