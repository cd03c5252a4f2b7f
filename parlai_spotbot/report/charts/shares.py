"""Charts of cells: a grid of values, and the matches of all pairs."""

from collections.abc import Sequence
from itertools import chain

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from parlai_spotbot.findings.sections import CardChart
from parlai_spotbot.report.charts.axes import LONGEST, Looks, label_text, letters_of, tell_names
from parlai_spotbot.report.drawing import INK, LINE, LOSS, MUTED, WIDTH, WIN, Drawing, drawn, svg, tell

FEW = 4
"""Of more contestants cells are narrower."""

LETTER = 0.09
"""Inches that a letter of a column's name takes."""

DOTS = 100
"""Units of a figure's boxes in an inch."""

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
    with drawn(max(WIDTH, 1.1 + wide * len(columns)), 1.05 + 0.42 * len(rows)) as drawing:
        axes = drawing.subplots()
        for y, line in enumerate(data["values"]):
            for x, value in enumerate(line):
                _cell(axes, x, y, value, data["texts"][y][x])
        _labels(axes, rows, columns, looks)
        axes.set_xlabel(data["x"])
        axes.set_ylabel(data["y"])
        return svg(drawing, name, chart.label, chart.rows)


def matches(chart: CardChart, looks: Looks, name: str) -> Drawing | None:
    """Cells of wins, ties and losses, as counts over a bar of their shares."""
    names = chart.data["rows"]
    if len(names) < 2:
        return None
    wide = 0.85
    if len(names) > FEW:
        wide = 0.6
    with drawn(max(WIDTH, 1.1 + wide * len(names)), 1.05 + 0.42 * len(names)) as drawing:
        axes = drawing.subplots()
        _labels(axes, names, names, looks)
        for y, line in enumerate(chart.data["parts"]):
            for x, counts in enumerate(line):
                if counts and sum(counts):
                    pair = (names[y], names[x])
                    _match(axes, (x, y), counts, pair, chart.data["clear"][y][x])
        return svg(drawing, name, chart.label, chart.rows)


def _match(axes: Axes, place: tuple[int, int], counts: Sequence[int], pair: tuple[str, str], clear: bool) -> None:
    """Draw the matches of a pair, which say their numbers to whoever points at them; pale if they don't tell."""
    x, y = place
    total = sum(counts)
    strength = 0.35
    verdict_text = "not told apart"
    if clear:
        strength = 1.0
        verdict_text = "told apart"
    left = x - BAR / 2
    for count, colour in zip(counts, (WIN, LINE, LOSS), strict=True):
        width = BAR * count / total
        axes.add_patch(Rectangle((left, y + 0.08), width, 0.24, fc=colour, alpha=strength, lw=0))
        left += width
    wins, ties, losses = counts
    axes.text(x, y - 0.14, f"{wins}–{ties}–{losses}", ha="center", va="center", fontsize=8, alpha=max(strength, 0.7))
    cell = axes.add_patch(Rectangle((x - 0.48, y - 0.47), 0.96, 0.94, fc="none", ec=LINE, lw=0.7))
    first, other = pair
    tell(cell, f"{first} against {other}: {wins} wins, {ties} ties, {losses} losses of {total}; {verdict_text}", pair)


def _labels(axes: Axes, rows: Sequence[str], columns: Sequence[str], looks: Looks) -> None:
    """Label rows and columns."""
    axes.set_xlim(-0.5, len(columns) - 0.5)
    across = [label_text(label, looks) for label in columns]
    slant = {}
    longest = LETTER * max(map(len, across)) * LONGEST / letters_of(LONGEST, "".join(across))
    if longest > axes.bbox.width / DOTS / len(columns):
        slant = {"rotation": 30, "ha": "left", "rotation_mode": "anchor"}
    axes.set_xticks(range(len(columns)), across, **slant)
    axes.xaxis.tick_top()
    axes.set_yticks(range(len(rows)), [label_text(label, looks) for label in rows])
    tell_names([*axes.get_xticklabels(), *axes.get_yticklabels()], [*columns, *rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _cell(axes: Axes, x: int, y: int, value: float | None, text: str) -> None:
    """Draw a cell, the stronger the greater its value."""
    corner = (x - 0.48, y - 0.47)
    if value is not None:
        axes.add_patch(Rectangle(corner, 0.96, 0.94, fc=WIN, alpha=min(0.6 * value, 0.7), lw=0))
    if value is not None or text:
        axes.add_patch(Rectangle(corner, 0.96, 0.94, fc="none", ec=LINE, lw=0.7))
    colour = INK
    if not value:
        colour = MUTED
    axes.text(x, y, text, ha="center", va="center", fontsize=8, color=colour)
