"""Charts of estimates with their intervals, one below the other."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from parlai_spotbot.findings.sections import CardChart, Name
from parlai_spotbot.report.charts.axes import PERCENT, Looks, label_text, look_of
from parlai_spotbot.report.drawing import INK, WIDTH, WIN, Drawing, Look, drawn, svg, tell
from parlai_spotbot.wording import Show, between, number, percent, who

PLAIN = Look(WIN, "o", "-", "")


def forest(chart: CardChart, looks: Looks, name: str) -> Drawing | None:
    """Estimates with intervals, one below the other; headings of groups are on lines of their own."""
    rows = chart.data["rows"]
    if all(row["estimate"] is None for row in rows):
        return None
    lines: list[tuple[str, dict | None]] = []
    group = None
    for row in rows:
        if row.get("group") and row["group"] != group:
            group = row["group"]
            lines.append((group, None))
        lines.append((row["label"], row))
    labels = [label_text(label) for label, _ in lines]
    tall = np.array([max(1, 0.7 * (label.count("\n") + 1)) for label in labels])
    places = np.cumsum(tall) - tall / 2
    show: Show = number
    with drawn(WIDTH, 0.75 + 0.25 * tall.sum()) as drawing:
        axes = drawing.subplots()
        axes.grid(axis="x")
        if chart.data["reference"] is not None:
            axes.axvline(chart.data["reference"], color=INK, lw=0.9)
        axes.set_xlabel(chart.data["x"])
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
        if chart.data["shares"]:
            show = percent
            axes.xaxis.set_major_formatter(PERCENT)
        axes.set_yticks(places, labels)
        axes.set_ylim(tall.sum(), 0)
        axes.tick_params(axis="y", length=0)
        for place, tick, (label, row) in zip(places, axes.get_yticklabels(), lines, strict=True):
            if row is None:
                tick.set_fontweight("bold")
            elif row["estimate"] is not None:
                look = PLAIN
                if isinstance(label, Name):
                    look = look_of(label, looks)
                _mark(axes, row, place, look, show)
        return svg(drawing, name, chart.label, chart.rows)


def _mark(axes: Axes, row: dict, place: float, look: Look, show: Show) -> None:
    """Draw an estimate with its interval, which says its figures to whoever points at it."""
    value = row["estimate"]
    ends = (row["low"], row["high"])
    reach = None
    if None not in ends:
        reach = np.clip([[value - row["low"]], [row["high"] - value]], 0, None)
    mark = axes.errorbar(value, place, xerr=reach, zorder=3, color=look.colour, marker=look.marker, ms=5.5, lw=1.65)
    tell(mark[0], f"{who(str(row['label']))}: {show(value)}{between(ends, show)}")
