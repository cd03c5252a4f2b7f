"""Chart of a grid of values."""

from itertools import chain

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from parlai_spotbot.findings.sections import CardChart, Name
from parlai_spotbot.report.charts.axes import Looks, label_text
from parlai_spotbot.report.drawing import LINE, LOSS, WIDTH, WIN, Drawing, drawn, svg


def grid(chart: CardChart, looks: Looks, name: str) -> Drawing | None:
    """Cells coloured by their value: from one half where contestants meet contestants, else from nought."""
    data = chart.data
    rows = data["rows"]
    columns = data["columns"]
    cells = list(chain.from_iterable(data["texts"]))
    if not any(cells):
        return None
    longest = max(len(part) for text in cells for part in str(text).split("\n"))
    wide = max(0.6, 0.075 * longest + 0.15)
    against = list(rows) == list(columns) and all(isinstance(label, Name) for label in rows)
    with drawn(max(WIDTH, 1.1 + wide * len(columns)), 1.05 + 0.42 * len(rows)) as drawing:
        axes = drawing.subplots()
        for y, line in enumerate(data["values"]):
            for x, value in enumerate(line):
                _cell(axes, x, y, value, data["texts"][y][x], against)
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_xticks(
            range(len(columns)), [*map(label_text, columns)], rotation=30, ha="left", rotation_mode="anchor"
        )
        axes.xaxis.tick_top()
        axes.set_yticks(range(len(rows)), [*map(label_text, rows)])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(data["x"])
        axes.set_ylabel(data["y"])
        return svg(drawing, name, chart.label, chart.rows)


def _cell(axes: Axes, x: int, y: int, value: float | None, text: str, against: bool) -> None:
    """Draw a cell, the stronger the more its value differs from one half, or from nought."""
    corner = (x - 0.48, y - 0.47)
    if value is not None:
        colour = WIN
        strength = 0.6 * value
        if against:
            strength = 1.2 * abs(value - 0.5)
            if value < 0.5:
                colour = LOSS
        axes.add_patch(Rectangle(corner, 0.96, 0.94, fc=colour, alpha=min(strength, 0.7), lw=0))
    if value is not None or text:
        axes.add_patch(Rectangle(corner, 0.96, 0.94, fc="none", ec=LINE, lw=0.7))
    axes.text(x, y, text, ha="center", va="center", fontsize=8)
