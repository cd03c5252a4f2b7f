"""The headline as a figure of its own: who is ahead by how much, with all that a reader of the figure alone needs."""

import textwrap
from itertools import groupby
from operator import itemgetter

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from parlai_spotbot.findings.sections import BarAxis, Card, CardBar, Name
from parlai_spotbot.report.charts.axes import Looks, look_of, wrapped
from parlai_spotbot.report.drawing import INK, LINE, MUTED, Drawing, drawn, svg
from parlai_spotbot.wording import who

WIDE = 6.6
"""Inches: a column of text of a paper, or a slide's."""

LETTERS = 74
"""Characters in a line of the title, of the footer two thirds more."""

COLUMNS = (8, 48, 136)
"""Points by which places, value and count are to the right of the axes."""

MOST = 40
"""So many contestants are drawn."""


def headline(card: Card, looks: Looks, name: str, verdict: str, source: str) -> Drawing | None:
    """Contestants by their places with the first of their bars, one below the other, values on the right; the verdict
    is its title, what of which study it is the footer."""
    lines = []
    for places, members in card.clusters:
        lines += [(places, bot, count, bars[0]) for bot, count, bars in members if any(bars[:1])]
    lines = lines[:MOST]
    if not lines:
        return None
    [scale, *_] = card.scales
    labels = [wrapped(bot) for _, bot, *_ in lines]
    tall = np.array([max(1, 0.62 * (label.count("\n") + 1)) for label in labels])
    heights = np.cumsum(tall) - tall / 2
    title = textwrap.fill(verdict, LETTERS)
    footer = textwrap.fill(source, LETTERS * 5 // 3)
    breaks = title.count("\n") + footer.count("\n")
    with drawn(WIDE, 1.25 + 0.17 * breaks + 0.27 * tall.sum()) as figure:
        _texts(figure, title, footer)
        axes = figure.subplots()
        axes.set_ylim(tall.sum(), 0)
        axes.set_yticks(heights, labels)
        _axis(axes, scale)
        _bands(axes, [places for places, *_ in lines], tall)
        _column(axes, -0.45, ("Places", scale.title, "n"))
        for height, line in zip(heights, lines, strict=True):
            _line(axes, line, height, looks)
        return svg(figure, name, f"{verdict} {scale.title}", list(map(_row, lines)))


def _texts(figure: Figure, title: str, footer: str) -> None:
    """Write what stands above and below."""
    figure.suptitle(title, x=0.01, ha="left", fontsize=11, fontweight="bold")
    figure.supxlabel(footer, x=0.01, ha="left", fontsize=7, color=MUTED)


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
    """Shade every other group of contestants that share their places."""
    groups = [list(group) for _, group in groupby(zip(places, tall, strict=True), key=itemgetter(0))]
    bottoms = np.cumsum([sum(height for _, height in group) for group in groups])
    for top, bottom in zip(bottoms[::2], bottoms[1::2], strict=False):
        axes.axhspan(top, bottom, color=LINE, alpha=0.35, lw=0)


def _column(axes: Axes, height: float, texts: tuple[str, ...]) -> None:
    """Write what stands on the right of a line."""
    for text, distance in zip(texts, COLUMNS, strict=True):
        colour = INK
        if height < 0:
            colour = MUTED
        axes.annotate(
            text,
            (1, height),
            xycoords=axes.get_yaxis_transform(),
            xytext=(distance, 0),
            textcoords="offset points",
            fontsize=8.5,
            va="center",
            color=colour,
        )


def _line(axes: Axes, line: tuple[str, Name, int | None, CardBar], height: float, looks: Looks) -> None:
    """Draw a contestant's line: its interval, and what stands on the right."""
    places, bot, count, bar = line
    number = ""
    if count is not None:
        number = f"{count:,}"
    _column(axes, height, (places, bar.text, number))
    look = look_of(bot, looks)
    axes.hlines(height, bar.low, bar.high, color=look.colour, lw=1.8, zorder=3)
    axes.plot([bar.at], [height], color=look.colour, marker=look.marker, ms=6, zorder=4)


def _row(line: tuple) -> dict:
    """Return a line of the figure's data."""
    places, bot, count, bar = line
    value, low, high = (*bar.figures, None, None)[:3]
    return {"contestant": who(bot), "places": places, "value": value, "low": low, "high": high, "n": count}
