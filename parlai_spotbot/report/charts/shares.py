"""Charts of cells: a grid of values, and the matches of all pairs."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from parlai_spotbot.findings.sections import CardChart
from parlai_spotbot.report.charts.axes import Looks, label_text, tell_names
from parlai_spotbot.report.drawing import INK, LINE, LOSS, MUTED, WIDTH, WIN, Drawing, drawn, inches_of, svg, tell

FEW = 4
"""Of more contestants cells are narrower."""

SLANT = 30
"""Degrees by which names of columns are turned that are wider than these."""

BAR = 0.84
"""Width of a bar of matches; one is that of a cell."""


def grid(chart: CardChart, looks: Looks, name: str) -> Drawing | None:
    """Cells coloured by their value."""
    data = chart.data
    rows = data["rows"]
    columns = data["columns"]
    cells = list(chain.from_iterable(data["texts"]))
    if not any(cells):
        return None
    longest = max(len(part) for text in cells for part in str(text).split("\n"))
    wide = max(0.6, 0.075 * longest + 0.15)
    with _drawn(rows, columns, wide, looks) as (drawing, axes):
        for y, line in enumerate(data["values"]):
            for x, value in enumerate(line):
                _cell(axes, x, y, value, data["texts"][y][x])
        axes.set_xlabel(data["x"])
        axes.set_ylabel(data["y"])
        return svg(drawing, name, chart.label, chart.rows, chart.footer)


def matches(chart: CardChart, looks: Looks, name: str) -> Drawing | None:
    """Cells of wins, ties and losses, as counts over a bar of their shares."""
    names = chart.data["rows"]
    if len(names) < 2:
        return None
    wide = 0.85
    if len(names) > FEW:
        wide = 0.6
    with _drawn(names, names, wide, looks) as (drawing, axes):
        for y, line in enumerate(chart.data["parts"]):
            for x, counts in enumerate(line):
                if counts and sum(counts):
                    pair = (names[y], names[x])
                    _match(axes, (x, y), counts, pair, chart.data["clear"][y][x])
        return svg(drawing, name, chart.label, chart.rows, chart.footer)


def _match(axes: Axes, place: tuple[int, int], counts: Sequence[int], pair: tuple[str, str], clear: bool) -> None:
    """Draw the matches of a pair, which say their numbers to whoever points at them; hollow if they don't tell."""
    x, y = place
    total = sum(counts)
    ink = MUTED
    verdict_text = "not told apart"
    if clear:
        ink = INK
        verdict_text = "told apart"
    left = x - BAR / 2
    for count, colour in zip(counts, (WIN, MUTED, LOSS), strict=True):
        width = BAR * count / total
        filled = clear and colour != MUTED
        if count:
            axes.add_patch(Rectangle((left, y + 0.08), width, 0.24, fc=colour, ec=colour, fill=filled, lw=0.8))
        left += width
    wins, ties, losses = counts
    axes.text(x, y - 0.14, f"{wins}–{ties}–{losses}", ha="center", va="center", fontsize=8, color=ink)
    cell = axes.add_patch(Rectangle((x - 0.48, y - 0.47), 0.96, 0.94, fc="none", ec=LINE, lw=0.7))
    first, other = pair
    tell(cell, f"{first} against {other}: {wins} wins, {ties} ties, {losses} losses of {total}; {verdict_text}", pair)


@contextmanager
def _drawn(rows: Sequence[str], columns: Sequence[str], wide: float, looks: Looks) -> Iterator[tuple[Figure, Axes]]:
    """A figure with labelled rows and columns of cells that are at least so many inches wide, whatever the labels."""
    across = [label_text(label, looks) for label in columns]
    down = [label_text(label, looks) for label in rows]
    beside = inches_of(down) + 0.5
    above = 0.25
    slant = {}
    if inches_of(across) > max(wide, (WIDTH - beside) / len(columns)):
        slant = {"rotation": SLANT, "ha": "left", "rotation_mode": "anchor"}
        beside += inches_of(across) * math.cos(math.radians(SLANT)) - wide / 2
        above += inches_of(across) * math.sin(math.radians(SLANT))
    with drawn(max(WIDTH, beside + wide * len(columns)), 0.5 + above + 0.42 * len(rows)) as drawing:
        axes = drawing.subplots()
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_xticks(range(len(columns)), across, **slant)
        axes.xaxis.tick_top()
        axes.set_yticks(range(len(rows)), down)
        _finish(axes, rows, columns)
        yield drawing, axes


def _finish(axes: Axes, rows: Sequence[str], columns: Sequence[str]) -> None:
    """Let labels say whole names, and leave cells alone without ticks and frame."""
    tell_names([*axes.get_xticklabels(), *axes.get_yticklabels()], [*columns, *rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _cell(axes: Axes, x: int, y: int, value: float | None, text: str) -> None:
    """Draw a cell, the stronger the greater its value."""
    corner = (x - 0.48, y - 0.47)
    if value is not None:
        axes.add_patch(Rectangle(corner, 0.96, 0.94, fc=WIN, alpha=min(0.6 * value, 0.5), lw=0))
    if value is not None or text:
        axes.add_patch(Rectangle(corner, 0.96, 0.94, fc="none", ec=LINE, lw=0.7))
    colour = INK
    if not value:
        colour = MUTED
    axes.text(x, y, text, ha="center", va="center", fontsize=8, color=colour)
