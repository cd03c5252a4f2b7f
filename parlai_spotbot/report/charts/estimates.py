"""Charts of estimates with their intervals, one below the other."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from parlai_spotbot.findings.sections import CardChart, Name
from parlai_spotbot.report.charts.axes import PERCENT, Looks, is_share, label_text, look_of
from parlai_spotbot.report.drawing import INK, WIDTH, WIN, Drawing, Look, drawn, svg, tell
from parlai_spotbot.wording import Show, between, number, percent, who

PLAIN = Look(WIN, "o", "-", "")


def forest(chart: CardChart, looks: Looks, name: str) -> Drawing | None:
    """Estimates with intervals, one below the other; headings of groups are on lines of their own."""
    lines: list[tuple[str, dict | None]] = []
    group = None
    for row in chart.data["rows"]:
        if row.get("group") and row["group"] != group:
            group = row["group"]
            lines.append((group, None))
        lines.append((row["label"], row))
    rows = [row for _, row in lines if row and row["estimate"] is not None]
    if not rows:
        return None
    shares = is_share(chart.data["x"])
    tall = np.array([max(1, 0.7 * (label_text(label).count("\n") + 1)) for label, _ in lines])
    places = np.cumsum(tall) - tall / 2
    with drawn(WIDTH, 0.75 + 0.25 * tall.sum()) as drawing:
        axes = drawing.subplots()
        axes.grid(axis="x")
        if chart.data["reference"] is not None:
            axes.axvline(chart.data["reference"], color=INK, lw=0.9)
        for place, (label, row) in zip(places, lines, strict=True):
            if row is not None and row["estimate"] is not None:
                look = look_of(label, looks) if isinstance(label, Name) else PLAIN
                _mark(axes, row, place, look, percent if shares else number)
        axes.set_yticks(places, [label_text(label) for label, _ in lines])
        axes.set_ylim(tall.sum(), 0)
        axes.tick_params(axis="y", length=0)
        for tick, (_, row) in zip(axes.get_yticklabels(), lines, strict=True):
            tick.set_fontweight("bold" if row is None else "normal")
        axes.set_xlabel(chart.data["x"])
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
        if shares:
            axes.xaxis.set_major_formatter(PERCENT)
        return svg(drawing, name, chart.label, chart.rows)


def _mark(axes: Axes, row: dict, place: float, look: Look, show: Show) -> None:
    """Draw an estimate with its interval, which says its figures to whoever points at it."""
    value, low, high = row["estimate"], row["low"], row["high"]
    reach = None if low is None or high is None else np.clip([[value - low], [high - value]], 0, None)
    mark = axes.errorbar(value, place, xerr=reach, zorder=3, color=look.colour, marker=look.marker, ms=5.5, lw=1.65)
    tell(mark[0], f"{who(str(row['label']))}: {show(value)}{between((low, high), show)}")
