"""Charts of estimates with their intervals: forests, panels of them, and places beside shares."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator, ScalarFormatter

from parlai_spotbot.findings.sections import Chart, Name
from parlai_spotbot.report.charts.axes import (
    BROKEN,
    PERCENT,
    PLAIN,
    Looks,
    Row,
    csv_rows,
    figures,
    interval_of,
    is_share,
    known,
    label_text,
    look_of,
    names_down,
    whiskers_across,
)
from parlai_spotbot.report.drawing import INK, MUTED, WIDTH, Drawing, Look, drawn, svg

REACH = 12.0
"""Ratios beyond this, or below its inverse, are drawn at the edge as arrows."""

LEAST_SCALE = 0.05
"""Shares of a panel with a scale of its own go at least so far."""


def _ends(row: Row) -> dict:
    return {key: row.get(key) for key in ("low", "high")}


def _shares_across(axes: Axes) -> None:
    axes.set_xlim(-0.03, 1.03)  # room for a mark at the end
    axes.set_xticks([0, 0.5, 1])
    axes.xaxis.set_major_formatter(PERCENT)
    axes.grid(axis="x")


def forest(chart: Chart, looks: Looks, name: str) -> Drawing | None:
    """Estimates with intervals, one below the other; headings of groups stand on lines of their own."""
    lines: list[tuple[str, dict | None]] = []
    group = None
    for row in chart.data["rows"]:
        if row.get("group") and row["group"] != group:
            group = row["group"]
            lines.append((group, None))
        lines.append((row["label"], row))
    known = [row for _, row in lines if row and row.get("estimate") is not None]
    if not known:
        return None
    tall = np.array([max(1, 0.7 * (label_text(label).count("\n") + 1)) for label, _ in lines])
    places = np.cumsum(tall) - tall / 2
    with drawn(WIDTH, 0.75 + 0.25 * tall.sum()) as drawing:
        axes = drawing.subplots()
        axes.grid(axis="x")
        if chart.data.get("reference") is not None:
            axes.axvline(chart.data["reference"], color=INK, lw=0.9)
        for place, (label, row) in zip(places, lines, strict=True):
            if row is not None and row.get("estimate") is not None:
                look = look_of(label, looks) if isinstance(label, Name) else PLAIN
                said = figures(row, row["estimate"], is_share(chart.data.get("x", "")), interval_of(row))
                whiskers_across(axes, (row["estimate"], place), interval_of(row), look, said)
        axes.set_yticks(places, [label_text(label) for label, _ in lines])
        axes.set_ylim(tall.sum(), 0)
        axes.tick_params(axis="y", length=0)
        for tick, (_, row) in zip(axes.get_yticklabels(), lines, strict=True):
            tick.set_fontweight("bold" if row is None else "normal")
        axes.set_xlabel(chart.data.get("x", ""))
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
        if is_share(chart.data.get("x", "")):
            axes.xaxis.set_major_formatter(PERCENT)
        data = (
            {"group": row.get("group"), "label": label, **{k: row.get(k) for k in ("estimate", "low", "high")}}
            for label, row in lines
            if row
        )
        return svg(drawing, name, chart.label or chart.title, csv_rows(chart, data))


def panels(chart: Chart, looks: Looks, name: str) -> Drawing | None:
    """Several small forests beside and below each other."""
    found, axis = [panel for panel in chart.data["panels"] if panel["rows"]], chart.data["axis"]
    if not any(known(row) or row.get("marks") or row.get("infinite") for panel in found for row in panel["rows"]):
        return None
    columns = min(chart.data.get("columns", 2), max(len(found), 1))
    rows = -(-len(found) // columns)
    tall = max(len(panel["rows"]) for panel in found)
    alike = len({tuple(row["label"] for row in panel["rows"]) for panel in found}) == 1
    with drawn(WIDTH, rows * (0.75 + 0.22 * tall) + (0.45 if chart.data.get("x") else 0.15)) as drawing:
        grid = list(drawing.subplots(rows, columns, sharey=alike, squeeze=False).flat)
        reach = _reach(found) if axis == "ratio" else 0.0
        for axes, panel in zip(grid, found, strict=False):
            SCALES[panel.get("axis", axis)](axes, panel, reach)
            for place, row in enumerate(panel["rows"]):
                look = look_of(row["label"], looks) if isinstance(row["label"], Name) else PLAIN
                _panel_row(axes, place, row, look, reach)
            names_down(axes, [label_text(row["label"]) for row in panel["rows"]])
            axes.set_title(panel["title"], fontsize=9.5 if columns < 3 else 8.5)
        for axes in grid[len(found) :]:
            axes.set_visible(False)
        if chart.data.get("x"):
            drawing.supxlabel(chart.data["x"], fontsize=8.5, color=INK)
        return svg(drawing, name, chart.label or chart.title, csv_rows(chart, _panel_csv(found)))


def _panel_csv(found: Sequence[Mapping]) -> Iterator[dict]:
    for panel in found:
        for row in panel["rows"]:
            yield {"panel": panel["title"], "label": row["label"], "estimate": row.get("estimate"), **_ends(row)}


def _panel_row(axes: Axes, place: int, row: Row, look: Look, reach: float) -> None:
    """A row of a panel: a mark with its interval, letters, or a ratio."""
    if reach:
        _ratio(axes, place, row, look, reach)
    elif known(row):
        low, high = interval_of(row)
        edge = axes.get_xlim()[1]
        share = not isinstance(axes.xaxis.get_major_formatter(), ScalarFormatter)  # alpha is none
        said = figures(row, row["estimate"], share, (low, high))
        whiskers_across(axes, (row["estimate"], place), (low, high if high is None else min(high, edge)), look, said)
    for number, (letter, value) in enumerate(row.get("marks", ())):
        if value is not None:
            at = place + 0.22 * (number - (len(row["marks"]) - 1) / 2)
            style = {"ha": "center", "va": "center", "fontsize": 8, "fontweight": "bold"}
            axes.text(value, at, letter, color=look.colour, **style)


def _reference(axes: Axes, panel: Mapping) -> None:
    if panel.get("reference") is not None:
        axes.axvline(panel["reference"], color=MUTED, lw=0.9)


def _share_scale(axes: Axes, panel: Mapping, reach: float) -> None:
    _reference(axes, panel)
    _shares_across(axes)


def _own_scale(axes: Axes, panel: Mapping, reach: float) -> None:
    """From 0 as far as the intervals of those who show any go; people's share is a broken line."""
    most = max([LEAST_SCALE, *(row["high"] for row in panel["rows"] if row["estimate"] and row["high"] is not None)])
    axes.grid(axis="x")
    if panel.get("reference") is not None:
        axes.axvline(panel["reference"], color=INK, ls=BROKEN, lw=1.0)
    axes.set_xlim(-0.03 * most, 1.05 * most)
    step = next(s for s in (0.02, 0.05, 0.1, 0.2, 0.5) if most / s <= 3.2)
    axes.set_xticks(np.arange(0, 1.05 * most, step))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.0%}"))


def _alpha_scale(axes: Axes, panel: Mapping, reach: float) -> None:
    _reference(axes, panel)
    axes.grid(axis="x")
    low = min([0.0, *(row["low"] for row in panel["rows"] if row.get("low") is not None)])
    axes.set_xlim(min(-0.05, low - 0.05), 1.03)
    axes.set_xticks([0, 0.5, 1])


def _ratio_scale(axes: Axes, panel: Mapping, reach: float) -> None:
    axes.set_xscale("log")
    axes.set_xlim(1 / reach, reach)
    axes.axvline(1, color=INK, lw=0.9)
    outer = max(t for t in (2, 3, 5, 10) if t < reach)
    ticks = {1 / outer: f"1/{outer}", 1: "1", outer: str(outer)}
    axes.xaxis.set_major_locator(FixedLocator(list(ticks)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xticks(list(ticks), list(ticks.values()))
    axes.grid(axis="x")


SCALES: dict[str, Callable[[Axes, Mapping, float], None]] = {
    "share": _share_scale,
    "scale": _own_scale,
    "alpha": _alpha_scale,
    "ratio": _ratio_scale,
}


def _reach(found: Sequence[Mapping]) -> float:
    """How far an axis of ratios goes."""
    known = [end for panel in found for row in panel["rows"] for end in interval_of(row) if end]
    return min(REACH, max(2.2, 1.15 * max((max(end, 1 / end) for end in known), default=2.2)))


def _ratio(axes: Axes, place: int, row: Row, look: Look, reach: float) -> None:
    """A ratio with its interval; what lies beyond the axis, or is infinite, is an arrow at its edge."""
    edge = reach**0.97
    if row.get("infinite"):
        at, marker = (edge, ">") if row["infinite"] == "sooner" else (1 / edge, "<")
        axes.plot(at, place, marker=marker, color=look.colour, ms=6, mfc="none")
        return
    if not row.get("estimate"):
        axes.text(1, place, " – ", ha="center", va="center", color=MUTED)
        return
    low, high = (end if end is not None else math.nan for end in interval_of(row))
    at_ends = [low if low == low else row["estimate"], high if high == high else row["estimate"]]
    axes.plot(np.clip(at_ends, 1 / reach, reach), [place, place], color=look.colour, lw=1.6, zorder=2)
    for end, at, marker in ((at_ends[0], 1 / edge, "<"), (at_ends[1], edge, ">")):
        if not 1 / reach <= end <= reach:
            axes.plot(at, place, marker=marker, color=look.colour, ms=4.5, zorder=3)
    if 1 / reach <= row["estimate"] <= reach:
        axes.plot(row["estimate"], place, marker=look.marker, color=look.colour, ms=5.5, zorder=4)
