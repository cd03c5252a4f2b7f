"""The headline as a figure of its own: who is ahead by how much, with all that a reader of the figure alone needs."""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

import numpy as np
from matplotlib.axes import Axes

from parlai_spotbot.findings.sections import BarAxis, Card, CardBar, Name
from parlai_spotbot.report.charts.axes import Looks, look_of, wrapped
from parlai_spotbot.report.drawing import INK, LINE, MUTED, POINTS, Drawing, drawn, inches_of, svg
from parlai_spotbot.wording import who

WIDE = 6.6
"""Inches: a column of text of a paper, or a slide's."""

NAME = 24
"""Characters of a name before it is broken."""

PLACES, VALUES = 8, 48
"""Points by which places and values are to the right of the axes."""

SIZE = 8.5
"""Points of the letters there."""

MOST = 40
"""So many contestants are drawn."""


def headline(card: Card, looks: Looks, name: str, verdict: str, source: str) -> Drawing | None:
    """Contestants by their places with the first of their bars, one below the other, values on the right; the verdict
    is its title, what of which study it is the footer."""
    lines = _lines(card)
    if not lines:
        return None
    [scale, *_] = card.scales
    labels = [wrapped(bot, NAME) for _, bot, *_ in lines]
    tall = np.array([max(1, 0.62 * (label.count("\n") + 1)) for label in labels])
    heights = np.cumsum(tall) - tall / 2
    with drawn(WIDE, 0.85 + 0.27 * tall.sum()) as figure:
        axes = figure.subplots()
        axes.set_ylim(tall.sum(), 0)
        axes.set_yticks(heights, labels)
        _axis(axes, scale)
        _bands(axes, [places for places, *_ in lines], tall)
        for height, line in zip(heights, lines, strict=True):
            _line(axes, line, height, looks)
        _columns(axes, [-0.45, *heights], [("Places", scale.title, "n"), *map(_texts_of, lines)])
        return svg(figure, name, verdict, list(map(_row, lines)), source)


def _lines(card: Card) -> list[tuple[str, Name, int | None, CardBar]]:
    """Return places, name, count and first bar of the contestants that have one."""
    lines = []
    for places, members in card.clusters:
        lines += [(places, bot, count, bars[0]) for bot, count, bars in members if any(bars[:1])]
    return lines[:MOST]


def _axis(axes: Axes, scale: BarAxis) -> None:
    """Draw the axis of the values."""
    axes.set_xlim(0, 100)
    axes.set_xticks([at for at, _ in scale.ticks], [text for _, text in scale.ticks])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    axes.set_xlabel(scale.title)
    if scale.reference is not None:
        axes.axvline(scale.reference, color=INK, lw=0.9)


def _bands(axes: Axes, places: list[str], tall: np.ndarray) -> None:
    """Part the groups of contestants that share their places, and shade every other one."""
    groups = [list(group) for _, group in groupby(zip(places, tall, strict=True), key=itemgetter(0))]
    bottoms = np.cumsum([sum(height for _, height in group) for group in groups])
    for top, bottom in zip(bottoms[::2], bottoms[1::2], strict=False):
        axes.axhspan(top, bottom, color=LINE, alpha=0.35, lw=0)
    axes.hlines(bottoms[:-1], 0, 1, color=MUTED, lw=0.6, transform=axes.get_yaxis_transform())


def _columns(axes: Axes, heights: Sequence[float], rows: Sequence[tuple[str, str, str]]) -> None:
    """Write places, values and counts on the right of the lines, below their headings, the first of the rows."""
    values = POINTS * inches_of([value for _, value, _ in rows], SIZE)
    colour = MUTED
    for height, texts in zip(heights, rows, strict=True):
        for text, distance in zip(texts, (PLACES, VALUES, VALUES + values + PLACES), strict=True):
            axes.annotate(
                text,
                (1, height),
                xycoords=axes.get_yaxis_transform(),
                xytext=(distance, 0),
                textcoords="offset points",
                fontsize=SIZE,
                va="center",
                color=colour,
            )
        colour = INK


def _line(axes: Axes, line: tuple[str, Name, int | None, CardBar], height: float, looks: Looks) -> None:
    """Draw a contestant's estimate with its interval."""
    _, bot, _, bar = line
    look = look_of(bot, looks)
    axes.hlines(height, bar.low, bar.high, color=look.colour, lw=1.8, zorder=3)
    axes.plot([bar.at], [height], color=look.colour, marker=look.marker, ms=6, zorder=4)


def _texts_of(line: tuple[str, Name, int | None, CardBar]) -> tuple[str, str, str]:
    """Return what stands on the right of a contestant's line."""
    places, _, count, bar = line
    number = ""
    if count is not None:
        number = f"{count:,}"
    return places, bar.text, number


def _row(line: tuple) -> dict:
    """Return a line of the figure's data."""
    places, bot, count, bar = line
    value, low, high = (*bar.figures, None, None)[:3]
    return {"contestant": who(bot), "places": places, "value": value, "low": low, "high": high, "n": count}
