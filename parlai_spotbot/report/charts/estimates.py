"""Charts of estimates with their intervals, one below the other."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from parlai_spotbot.findings.sections import CardChart
from parlai_spotbot.report.charts.axes import NARROW, Looks, label_text, look_of, mark_values, tell_names, wrapped
from parlai_spotbot.report.drawing import INK, LINE, WIDTH, Drawing, Look, drawn, inches_of, svg, tell
from parlai_spotbot.wording import Show, between, number, percent, who

MANY = 16
"""Above more lines the values of the axis stand, too."""

FEW = 6
"""Of so many contestants at most the intervals are drawn in one line."""


def forest(chart: CardChart, looks: Looks, name: str) -> Drawing | None:
    """Estimates with intervals, one below the other; headings of groups are on lines of their own."""
    rows = chart.data["rows"]
    if all(row["estimate"] is None for row in rows):
        return None
    lines = _lines(rows)
    labels = [label_text(label, looks) for label, _ in lines]
    tall = np.array([max(1, 0.7 * (label.count("\n") + 1)) for label in labels])
    places = np.cumsum(tall) - tall / 2
    title = chart.data.get("y", "")
    with drawn(WIDTH, 0.75 + max(0.25 * tall.sum(), inches_of([title]))) as drawing:
        axes = drawing.subplots()
        show = _axis(axes, chart)
        if chart.data["reference"] is not None:
            axes.axvline(chart.data["reference"], color=INK, lw=0.9)
        axes.set_yticks(places, labels)
        axes.set_ylim(tall.sum(), 0)
        axes.set_ylabel(title)
        if tall.sum() > MANY:
            axes.tick_params(axis="x", top=True, labeltop=True)
        tell_names(axes.get_yticklabels(), [label for label, _ in lines])
        for place, tick, (label, row) in zip(places, axes.get_yticklabels(), lines, strict=True):
            if row is None:
                tick.set_fontweight("bold")
            elif row["estimate"] is not None:
                _mark(axes, row, place, look_of(label, looks), show)
        return svg(drawing, name, chart.label, chart.rows, chart.footer)


def _lines(rows: Sequence[dict]) -> list[tuple[str, dict | None]]:
    """Return label and row of each line; headings of groups have no row."""
    lines: list[tuple[str, dict | None]] = []
    group = None
    for row in rows:
        if row.get("group") and row["group"] != group:
            group = row["group"]
            lines.append((group, None))
        lines.append((row["label"], row))
    return lines


def dots(chart: CardChart, looks: Looks, name: str) -> Drawing | None:
    """Estimates of contestants, those of a group in one line; with intervals, one below the other, of a few."""
    rows = [row for row in chart.data["rows"] if row["estimate"] is not None]
    if not rows:
        return None
    groups = list(dict.fromkeys(row["group"] for row in rows))
    names = sorted({row["label"] for row in rows}, key=[*looks].index)
    offsets = _offsets(len(names))
    tall = round(np.ptp(offsets)) + 2
    texts, across, lines = _key(names, looks)
    with drawn(WIDTH, 0.8 + 0.13 * tall * len(groups) + 0.19 * lines) as drawing:
        axes = drawing.subplots()
        show = _axis(axes, chart)
        axes.set_yticks((np.arange(len(groups)) + 0.5) * tall, [wrapped(group) for group in groups])
        axes.set_ylim(tall * len(groups), 0)
        axes.hlines(
            range(tall, tall * len(groups), tall), 0, 1, color=LINE, lw=0.6, transform=axes.get_yaxis_transform()
        )
        for row in rows:
            place = (groups.index(row["group"]) + 0.5) * tall + offsets[names.index(row["label"])]
            if len(names) > FEW:
                row = {**row, "low": None}
            _mark(axes, row, place, look_of(row["label"], looks), show)
        _legend(drawing, texts, [look_of(name, looks) for name in names], across)
        return svg(drawing, name, chart.label, chart.rows, chart.footer)


def _offsets(contestants: int) -> np.ndarray:
    """Return how far below the middle of a line each contestant (n,) is."""
    if contestants > FEW:
        return np.linspace(-0.5, 0.5, contestants)  # equal ones are seen, too
    return np.arange(contestants) - (contestants - 1) / 2


def _axis(axes: Axes, chart: CardChart) -> Show:
    """Draw the axis of the values; return how they are written."""
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(chart.data["x"])
    mark_values(axes.xaxis, 6, chart.data["shares"])
    if chart.data["shares"]:
        return percent
    return number


def _key(names: Sequence[str], looks: Looks) -> tuple[list[str], int, int]:
    """Return what a legend says, how many are beside each other, and how many lines that takes."""
    texts = [label_text(name, looks) for name in names]
    across = 3
    if max(map(len, texts)) > NARROW:
        across = 1
    return texts, across, math.ceil(len(names) / across) * max(text.count("\n") + 1 for text in texts)


def _legend(figure: Figure, texts: Sequence[str], looks: Sequence[Look], across: int) -> None:
    """Say above a figure how contestants look."""
    marks = [Line2D([], [], color=look.colour, marker=look.marker, linestyle="") for look in looks]
    close = {"frameon": False, "columnspacing": 1, "handletextpad": 0}
    figure.legend(marks, texts, loc="outside upper left", ncols=across, **close)


def _mark(axes: Axes, row: dict, place: float, look: Look, show: Show) -> None:
    """Draw an estimate with its interval, which says its figures to whoever points at it."""
    value = row["estimate"]
    ends = (row["low"], row["high"])
    reach = None
    if None not in ends:
        reach = np.clip([[value - row["low"]], [row["high"] - value]], 0, None)
    mark = axes.errorbar(value, place, xerr=reach, zorder=3, color=look.colour, marker=look.marker, ms=5.5, lw=1.65)
    tell(mark[0], f"{who(str(row['label']))}: {show(value)}{between(ends, show)}")
