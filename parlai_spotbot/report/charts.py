"""Draws the charts that findings give as data (`findings.sections.Chart`), in the report's style.

Labels that are `Name`s have the look of that contestant; others are plain. A value of None is not drawn; in the CSV its
field is empty.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator, PercentFormatter

from parlai_spotbot.findings.sections import Chart, Name
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.drawing import INK, LINE, LOSS, MUTED, WIDTH, WIN, Drawing, Look, drawn, svg
from parlai_spotbot.report.parts import Figure
from parlai_spotbot.wording import who

Looks = Mapping[str, Look]
Row = Mapping

PLAIN = Look(WIN, "o", "-", "")
PERCENT = PercentFormatter(1.0, decimals=0)
LONGEST = 26
"""Characters of a label before it is broken."""

MOST = 7
"""So many curves, with people's, stay legible in one panel; further ones get a panel of their own."""

REACH = 12.0
"""Ratios beyond this, or below its inverse, are drawn at the edge as arrows."""

LEAST_SCALE = 0.05
"""Shares of a panel with a scale of its own go at least so far."""

LIMIT = 4.0
"""Marks beyond this, of somebody who never errs, are drawn at the edge."""

FEW_TICKS = 6
"""So many values on a logarithmic axis are marked each."""

NUMBERED = 40
"""With more marks their labels would hide them."""

DASHES = ("-", (0, (5, 1)), (0, (1, 1)), (0, (6, 1, 1, 1)))
BROKEN = (0, (4, 2))


def figure(chart: Chart, looks: Looks, name: str, caution: str = "") -> Figure:
    """A chart as a figure of the page, with its downloads; without a drawing where there is nothing to draw."""
    return Figure(
        draw(chart, looks, name, caution), chart.caption, chart.sentence, chart.method, chart.cite, chart.title
    )


def draw(chart: Chart, looks: Looks, name: str, caution: str = "") -> Drawing | None:
    """A chart's drawing, or nothing where it has no value."""
    return KINDS[chart.kind](chart, looks, name, caution)


def _look(label: str, looks: Looks, place: int = 0) -> Look:
    """A contestant's own look; others are told apart by line, marker and neutral colours."""
    if isinstance(label, Name) and label in looks:
        return looks[label]
    colours = (WIN, LOSS, INK, MUTED)
    return Look(colours[place % 4], "os^DvPX*"[place % 8], DASHES[place // 4 % len(DASHES)], "")


def _said(label: str) -> str:
    return "people" if label == HUMAN else "\n".join(textwrap.wrap(str(label), LONGEST)) or " "


def _shares(text: str) -> bool:
    """Whether an axis is one of shares, which are written as percentages."""
    return any(word in text.lower() for word in ("share", "chance", "rate of", "win rate", "probability"))


def _known(row: Row, key: str = "estimate") -> bool:
    return row.get(key) is not None


def _ends(row: Row) -> dict:
    return {key: row.get(key) for key in ("low", "high")}


# -- what several kinds share ------------------------------------------------------------------------------------------
MARK = 5.5
"""The size of a mark, in points."""

Interval = Sequence[float | None]


def whiskers_across(axes: Axes, at: tuple[float, float], interval: Interval, look: Look) -> None:
    """A mark at (x, y) with the interval of its x."""
    axes.errorbar(*at, xerr=_reach_of(at[0], interval), **_mark_style(look, MARK))


def whiskers_up(axes: Axes, at: tuple[float, float], interval: Interval, look: Look, size: float = MARK) -> None:
    """A mark at (x, y) with the interval of its y."""
    axes.errorbar(*at, yerr=_reach_of(at[1], interval), **_mark_style(look, size))


def _reach_of(value: float, interval: Interval) -> np.ndarray | None:
    """How far an interval reaches from the value down and up; None where it isn't known."""
    low, high = interval
    return None if low is None or high is None else np.clip([[value - low], [high - value]], 0, None)


def _mark_style(look: Look, size: float) -> dict:
    return {"color": look.colour, "marker": look.marker, "ms": size, "lw": 0.3 * size, "zorder": 3}


def _interval(row: Row) -> tuple[float | None, float | None]:
    return row.get("low"), row.get("high")


def names_down(axes: Axes, names: list[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def _shares_across(axes: Axes) -> None:
    axes.set_xlim(-0.03, 1.03)  # room for a mark at the end
    axes.set_xticks([0, 0.5, 1])
    axes.xaxis.set_major_formatter(PERCENT)
    axes.grid(axis="x")


def groups_of(labels: Sequence[str]) -> list[list[str]]:
    """Contestants dealt out evenly to as many panels as it takes, in their order; at least one panel, perhaps empty."""
    count = max(1, -(-len(labels) // MOST))
    return [list(part) for part in np.array_split(np.array(labels, dtype=object), count)]


def names_right(axes: Axes, last: Mapping[str, float], looks: Looks, x: float) -> None:
    """Names at the ends of their curves (heights on an axis from 0 to 1), moved apart where they would overlap."""
    if not last:
        return
    height = axes.get_window_extent().height / axes.figure.dpi * 72
    gap = min(11 / height, 1.0 / len(last))
    names = sorted(last, key=lambda name: last[name])
    heights: list[float] = []
    for name in names:
        heights.append(max(last[name], heights[-1] + gap if heights else 0.0))
    top = 1.0
    for i in reversed(range(len(heights))):
        heights[i] = min(heights[i], top)
        top = heights[i] - gap
    for name, at in zip(names, heights, strict=True):
        axes.text(x, at, who(name), color=looks[name].colour, va="center", fontsize=8.5, clip_on=False)


# -- kinds -------------------------------------------------------------------------------------------------------------
def forest(chart: Chart, looks: Looks, name: str, caution: str) -> Drawing | None:
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
    tall = np.array([max(1, 0.7 * (_said(label).count("\n") + 1)) for label, _ in lines])
    places = np.cumsum(tall) - tall / 2
    with drawn(WIDTH, 0.75 + 0.25 * tall.sum()) as drawing:
        axes = drawing.subplots()
        axes.grid(axis="x")
        if chart.data.get("reference") is not None:
            axes.axvline(chart.data["reference"], color=INK, lw=0.9)
        for place, (label, row) in zip(places, lines, strict=True):
            if row is not None and row.get("estimate") is not None:
                look = _look(label, looks) if isinstance(label, Name) else PLAIN
                whiskers_across(axes, (row["estimate"], place), _interval(row), look)
        axes.set_yticks(places, [_said(label) for label, _ in lines])
        axes.set_ylim(tall.sum(), 0)
        axes.tick_params(axis="y", length=0)
        for tick, (_, row) in zip(axes.get_yticklabels(), lines, strict=True):
            tick.set_fontweight("bold" if row is None else "normal")
        axes.set_xlabel(chart.data.get("x", ""))
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
        if _shares(chart.data.get("x", "")):
            axes.xaxis.set_major_formatter(PERCENT)
        data = (
            {"group": row.get("group"), "label": label, **{k: row.get(k) for k in ("estimate", "low", "high")}}
            for label, row in lines
            if row
        )
        return svg(drawing, name, chart.label or chart.title, caution, _csv(chart, data))


def panels(chart: Chart, looks: Looks, name: str, caution: str) -> Drawing | None:
    """Several small forests beside and below each other."""
    found, axis = [panel for panel in chart.data["panels"] if panel["rows"]], chart.data["axis"]
    if not any(_known(row) or row.get("marks") or row.get("infinite") for panel in found for row in panel["rows"]):
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
                look = _look(row["label"], looks) if isinstance(row["label"], Name) else PLAIN
                _panel_row(axes, place, row, look, reach)
            names_down(axes, [_said(row["label"]) for row in panel["rows"]])
            axes.set_title(panel["title"], fontsize=9.5 if columns < 3 else 8.5)
        for axes in grid[len(found) :]:
            axes.set_visible(False)
        if chart.data.get("x"):
            drawing.supxlabel(chart.data["x"], fontsize=8.5, color=INK)
        return svg(drawing, name, chart.label or chart.title, caution, _csv(chart, _panel_csv(found)))


def _panel_csv(found: Sequence[Mapping]) -> Iterator[dict]:
    for panel in found:
        for row in panel["rows"]:
            yield {"panel": panel["title"], "label": row["label"], "estimate": row.get("estimate"), **_ends(row)}


def _panel_row(axes: Axes, place: int, row: Row, look: Look, reach: float) -> None:
    """A row of a panel: a mark with its interval, letters, or a ratio."""
    if reach:
        _ratio(axes, place, row, look, reach)
    elif _known(row):
        low, high = _interval(row)
        edge = axes.get_xlim()[1]
        whiskers_across(axes, (row["estimate"], place), (low, high if high is None else min(high, edge)), look)
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
    known = [end for panel in found for row in panel["rows"] for end in _interval(row) if end]
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
    low, high = (end if end is not None else math.nan for end in _interval(row))
    at_ends = [low if low == low else row["estimate"], high if high == high else row["estimate"]]
    axes.plot(np.clip(at_ends, 1 / reach, reach), [place, place], color=look.colour, lw=1.6, zorder=2)
    for end, at, marker in ((at_ends[0], 1 / edge, "<"), (at_ends[1], edge, ">")):
        if not 1 / reach <= end <= reach:
            axes.plot(at, place, marker=marker, color=look.colour, ms=4.5, zorder=3)
    if 1 / reach <= row["estimate"] <= reach:
        axes.plot(row["estimate"], place, marker=look.marker, color=look.colour, ms=5.5, zorder=4)


def places(chart: Chart, looks: Looks, name: str, caution: str) -> Drawing | None:
    """The places of each contestant, and a share with its interval beside a reference."""
    rows = chart.data["rows"]
    if not rows:
        return None
    with drawn(WIDTH, 1.1 + 0.27 * len(rows)) as drawing:
        left, right = drawing.subplots(1, 2, sharey=True)
        for place, row in enumerate(rows):
            look = looks[row["label"]]
            ends = [row["first"], row["last"]]
            left.plot(ends, [place, place], color=look.colour, lw=5, alpha=0.45, solid_capstyle="round")
            left.plot(place + 1, place, color=look.colour, marker=look.marker, ms=5.5)
            if _known(row, "share"):
                whiskers_across(right, (row["share"], place), _interval(row), look)
        names_down(left, [row["label"] for row in rows])
        left.set_xlim(0.5, len(rows) + 0.5)
        left.xaxis.set_major_locator(MaxNLocator(integer=True))
        _shares_across(right)
        right.tick_params(axis="y", length=0)
        for axes, title in zip((left, right), chart.data["titles"], strict=True):
            axes.set_title(title)
        if chart.data.get("reference"):
            _people(right, chart.data["reference"], len(rows))
        return svg(drawing, name, chart.label or chart.title, caution, _csv(chart, rows))


def _people(axes: Axes, reference: Row, rows: int) -> None:
    """What people reach: a broken line, their interval a band."""
    share, ci = reference["share"], _interval(reference)
    if None not in ci:
        axes.axvspan(*ci, color=MUTED, alpha=0.15, lw=0)
    axes.axvline(share, color=INK, ls=BROKEN, lw=1.3)
    side = "right" if share > 0.5 else "left"
    axes.annotate(
        "people",
        (share, rows - 0.55),
        xytext=(-3 if side == "right" else 3, 1),
        textcoords="offset points",
        ha=side,
        va="bottom",
        fontsize=8,
        style="italic",
    )


def grid(chart: Chart, looks: Looks, name: str, caution: str) -> Drawing | None:
    """Cells coloured by their value: from one half where contestants meet contestants, else from nought."""
    own = chart.data
    rows, columns, values, texts = (own[key] for key in ("rows", "columns", "values", "texts"))
    if not any(value is not None for line in values for value in line):
        return None
    longest = max((len(part) for line in texts for cell in line for part in str(cell).split("\n")), default=1)
    cell = max(0.6, 0.075 * longest + 0.15)
    against = list(rows) == list(columns) and all(isinstance(label, Name) for label in rows)
    with drawn(max(WIDTH, 1.1 + cell * len(columns)), 1.05 + 0.42 * len(rows)) as drawing:
        axes = drawing.subplots()
        for y, line in enumerate(values):
            for x, value in enumerate(line):
                strength = 0.0 if value is None else 1.2 * abs(value - 0.5) if against else 0.6 * value
                colour = LOSS if against and value is not None and value < 0.5 else WIN
                box = (x - 0.48, y - 0.47), 0.96, 0.94
                if value is not None:
                    axes.add_patch(Rectangle(*box, fc=colour, alpha=min(strength, 0.7), lw=0))
                if value is not None or texts[y][x]:
                    axes.add_patch(Rectangle(*box, fc="none", ec=LINE, lw=0.7))
                axes.text(x, y, texts[y][x], ha="center", va="center", fontsize=8)
        axes.set_xlim(-0.5, len(columns) - 0.5)
        axes.set_xticks(
            range(len(columns)), [_said(c) for c in columns], rotation=30, ha="left", rotation_mode="anchor"
        )
        axes.xaxis.tick_top()
        axes.tick_params(axis="x", length=0)
        names_down(axes, [_said(label) for label in rows])
        axes.spines[:].set_visible(False)
        axes.set_xlabel(own.get("x", ""))
        axes.set_ylabel(own.get("y", ""))
        data = (
            {own.get("y") or "row": row, own.get("x") or "column": column, "value": values[y][x], "text": texts[y][x]}
            for y, row in enumerate(rows)
            for x, column in enumerate(columns)
        )
        return svg(drawing, name, chart.label or chart.title, caution, _csv(chart, data))


def bars(chart: Chart, looks: Looks, name: str, caution: str) -> Drawing | None:
    """Shares stacked to a whole: from what speaks against (orange) over grey to what speaks for (blue)."""
    parts = [str(part) for part in chart.data["parts"]]
    rows = [row for row in chart.data["rows"] if any(share is not None for share in row["shares"])]
    if not rows:
        return None
    shades = [_shade(i, len(parts)) for i in range(len(parts))]
    shades = shades[::-1] if parts[0].lower().startswith(("win", "yes", "human")) else shades
    with drawn(WIDTH, 1.0 + 0.3 * len(rows)) as drawing:
        axes = drawing.subplots()
        for place, row in enumerate(rows):
            start = 0.0
            for share, (colour, alpha) in zip(row["shares"], shades, strict=True):
                axes.barh(place, share or 0, left=start, height=0.74, color=colour, alpha=alpha, lw=0)
                if (share or 0) >= 0.09:
                    axes.text(start + share / 2, place, f"{share:.0%}", ha="center", va="center", fontsize=7.5)
                start += share or 0
        names_down(axes, [_said(row["label"]) + (f" ({row['n']})" if row.get("n") is not None else "") for row in rows])
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter(PERCENT)
        axes.set_xlabel(chart.data.get("x", ""))
        keys = [Rectangle((0, 0), 1, 1, fc=colour, alpha=alpha, lw=0) for colour, alpha in shades]
        drawing.legend(keys, parts, loc="outside lower center", ncols=min(len(parts), 5), frameon=False, fontsize=8)
        data = (
            {"label": row["label"], **dict(zip(parts, row["shares"], strict=True)), "n": row.get("n")} for row in rows
        )
        return svg(drawing, name, chart.label or chart.title, caution, _csv(chart, data))


def _shade(place: int, count: int) -> tuple[str, float]:
    """Colour and strength of one part of a scale."""
    middle = (count - 1) / 2
    away = abs(place - middle) / max(middle, 0.5)
    return (MUTED, 0.25) if away < 0.01 else (WIN if place > middle else LOSS, 0.2 + 0.5 * away)


def lines(chart: Chart, looks: Looks, name: str, caution: str) -> Drawing | None:
    """Curves, with bands where ends are known; the legend stands below."""
    own = chart.data
    series = [line for line in own["series"] if any(y is not None for y in line["y"])]
    if not series:
        return None
    columns = 3 if max(len(str(line["label"])) for line in series) < 18 else 2
    with drawn(WIDTH, 3.0 + 0.17 * -(-len(series) // columns)) as drawing:
        axes = drawing.subplots()
        axes.grid(axis="y")
        if own.get("log_x"):
            _logarithmic(axes, [x for line in series for x in line["x"] if x])
        if own.get("reference") is not None:
            axes.axhline(own["reference"], color=MUTED, lw=1.0, ls=(0, (4, 2)))
        for place, line in enumerate(series):
            _line(axes, line, _look(line["label"], looks, place), own.get("steps"), len(series) <= MOST)
        if own.get("here"):
            at, text = own["here"]
            axes.axvline(at, color=MUTED, lw=0.9)
            axes.annotate(text, (at, 0), (3, 3), textcoords="offset points", fontsize=8, style="italic")
        if not own.get("log_x") and all(float(x).is_integer() for line in series for x in line["x"] if x is not None):
            axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))  # what is counted has no halves
        axes.set_xlabel(own.get("x", ""))
        axes.set_ylabel(own.get("y", ""))
        if _shares(own.get("y", "")):
            axes.yaxis.set_major_formatter(PERCENT)
        drawing.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=8)
        data = (
            {
                "label": line["label"],
                "x": x,
                "y": line["y"][i],
                **{end: (line.get(end) or [None] * len(line["x"]))[i] for end in ("low", "high")},
            }
            for line in series
            for i, x in enumerate(line["x"])
        )
        return svg(drawing, name, chart.label or chart.title, caution, _csv(chart, data))


def _logarithmic(axes: Axes, values: Sequence[float]) -> None:
    """A logarithmic axis with plain numbers: those that occur, or few enough to be read."""
    axes.set_xscale("log")
    low, high = min(values), max(values)
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    steps = (1, 2, 5) if len(powers) <= 3 else (1, 3) if len(powers) <= 4 else (1,)
    ticks = [tick for power in powers for step in steps if low / 1.2 <= (tick := step * 10.0**power) <= high * 1.2]
    ticks = sorted(set(values)) if len(set(values)) <= FEW_TICKS else ticks
    axes.minorticks_off()
    axes.set_xticks(ticks, [f"{tick:,g}" for tick in ticks])


def _line(axes: Axes, line: dict, look: Look, steps: bool, banded: bool) -> None:
    x, y = (np.array([np.nan if v is None else v for v in line[key]], dtype=float) for key in ("x", "y"))
    where = "post" if steps else None
    if banded and line.get("low") and line.get("high"):
        low, high = (np.array([np.nan if v is None else v for v in line[key]], float) for key in ("low", "high"))
        axes.fill_between(x, low, high, step=where, color=look.colour, alpha=0.14, lw=0)
    dash, width = "-." if line.get("dash") else look.linestyle, 0.9 if line.get("thin") else 1.5
    style = {"color": look.colour, "ls": dash, "lw": width, "label": _said(line["label"])}
    if steps:
        axes.step(x, y, where=where, **style)
    else:
        axes.plot(x, y, marker=look.marker, ms=3.5, **style)


def lengths(chart: Chart, looks: Looks, name: str, caution: str) -> Drawing | None:
    """Panels of values over the same few lengths, with intervals, names at the right."""
    found, ks = chart.data["panels"], chart.data["lengths"]
    names = [line["label"] for line in found[0]["series"]] if found else []
    if not names:
        return None
    groups = groups_of([label for label in dict.fromkeys(names) if label != HUMAN])
    height = 0.7 + 0.21 * max(8, *(len(group) + 1 for group in groups))
    with drawn(WIDTH, len(groups) * height) as drawing:
        grid = drawing.subplots(len(groups), len(found), sharey=True, squeeze=False)
        for line_of_axes, group in zip(grid, groups, strict=True):
            for axes, panel in zip(line_of_axes, found, strict=True):
                series = [line for line in panel["series"] if line["label"] in group or line["label"] == HUMAN]
                last = _over_lengths(axes, series, ks, looks, chart.data["x"])
            names_right(line_of_axes[-1], last, looks, len(ks) - 0.55)
        for axes, panel in zip(grid[0], found, strict=True):
            axes.set_title(panel["title"])
        return svg(drawing, name, chart.label or chart.title, caution, _csv(chart, _lengths_csv(chart)))


def _lengths_csv(chart: Chart) -> Iterator[dict]:
    for panel in chart.data["panels"]:
        for line in panel["series"]:
            for k, y, low, high in zip(chart.data["lengths"], line["y"], line["low"], line["high"], strict=True):
                yield {"panel": panel["title"], "label": line["label"], "x": k, "y": y, "low": low, "high": high}


def _over_lengths(axes: Axes, series: Sequence[Row], ks: Sequence, looks: Looks, x: str) -> dict[str, float]:
    """A line a name over the lengths, set apart sideways so that intervals don't hide each other; where each ends."""
    last = {}
    axes.grid(axis="y")
    for place, line in enumerate(series):
        look = looks[line["label"]]
        values = [np.nan if y is None else y for y in line["y"]]
        shift = 0.5 * ((place + 0.5) / len(series) - 0.5)
        axes.plot(np.arange(len(ks)) + shift, values, color=look.colour, ls=look.linestyle, lw=1.2)
        for i, ends in enumerate(zip(line["low"], line["high"], strict=True)):
            whiskers_up(axes, (i + shift, values[i]), ends, look, size=4)
        if np.isfinite(values).any():
            last[line["label"]] = [y for y in values if np.isfinite(y)][-1]
    axes.set_xticks(range(len(ks)), ks)
    axes.set_xlim(-0.45, len(ks) - 0.55)
    axes.set_ylim(-0.03, 1.03)
    axes.yaxis.set_major_formatter(PERCENT)
    axes.set_xlabel(x)
    return last


def steps(chart: Chart, looks: Looks, name: str, caution: str) -> Drawing | None:
    """Curves of survival as steps, with intervals at the lengths shown; below them how many were judged."""
    series = {line["label"]: line for line in chart.data["series"]}
    if not series:
        return None
    groups = groups_of([label for label in series if label != HUMAN])
    rows = max(map(len, groups)) + (HUMAN in series)
    counted = all(line.get("n") for line in series.values())
    heights = [3.1, 0.35 + 0.15 * rows][: 1 + counted]
    with drawn(WIDTH, len(groups) * sum(heights) + 0.1) as drawing:
        ratios = heights * len(groups)
        grid = drawing.subplots(len(ratios), 1, squeeze=False, height_ratios=ratios)[:, 0]
        for place, group in enumerate(groups):
            names = [*group, *([HUMAN] if HUMAN in series else [])]
            own = grid[place * len(heights) : (place + 1) * len(heights)]
            _steps_panel(own, {label: series[label] for label in names}, looks, chart.data)
        grid[0].set_title(chart.data["title"])
        return svg(drawing, name, chart.label or chart.title, caution, _csv(chart, _steps_csv(series.values())))


def _steps_csv(series: Iterator[Row]) -> Iterator[dict]:
    for line in series:
        for i, x in enumerate(line["x"]):
            yield {"label": line["label"], "x": x, **{key: line[key][i] for key in ("y", "low", "high")}}


def _steps_panel(own: Sequence[Axes], found: Mapping[str, Row], looks: Looks, about: Mapping) -> None:
    """Curves, with names at their ends, and below them how many were judged where that is known."""
    axes = own[0]
    at = sorted({k for line in found.values() for k in line["x"]})
    room = 0.55 * min(np.diff([0, *at]))
    axes.grid(axis="y")
    bots = [label for label in found if label != HUMAN]
    if HUMAN in found:
        _bound(axes, found[HUMAN], looks[HUMAN], room)
    for place, label in enumerate(bots):
        # Set apart to the right, along the step, or their intervals would hide each other.
        _step(axes, found[label], looks[label], room, 0.85 * room / len(bots) * (place + 0.5))
    axes.set_ylim(-0.02, 1.02)
    axes.yaxis.set_major_formatter(PERCENT)
    axes.set_xlabel(about["x"])
    for each in own:
        each.set_xlim(0, at[-1] + room)
        each.set_xticks([0, *at])
    names_right(axes, {label: line["y"][-1] for label, line in found.items()}, looks, at[-1] + 1.1 * room)
    for each in own[1:]:
        _counts(each, found, looks, at[-1] + 1.1 * room, about["counted"])


def _path(line: Row, room: float) -> tuple[list, list]:
    return [0, *line["x"], line["x"][-1] + room], [1, *line["y"], line["y"][-1]]


def _step(axes: Axes, line: Row, look: Look, room: float, shift: float) -> None:
    axes.step(*_path(line, room), where="post", color=look.colour, ls=look.linestyle, lw=1.5)
    for k, value, low, high in zip(line["x"], line["y"], line["low"], line["high"], strict=True):
        whiskers_up(axes, (k + shift, value), (low, high), look)


def _bound(axes: Axes, line: Row, look: Look, room: float) -> None:
    """People, dashed, and their intervals as a band: the reference, as in the ranking."""
    x, y = _path(line, room)
    ends = zip(line["y"], line["low"], line["high"], strict=True)
    known = [(value, value) if None in (low, high) else (low, high) for value, low, high in ends]
    low, high = ([1.0, *side, side[-1]] for side in zip(*known, strict=True))
    axes.fill_between(x, low, high, step="post", color=MUTED, alpha=0.18, lw=0)
    axes.step(x, y, where="post", color=look.colour, ls=look.linestyle, lw=1.5)


def _counts(axes: Axes, found: Mapping[str, Row], looks: Looks, x: float, title: str) -> None:
    """How many appearances were judged at each length, a line a contestant, under the curves; names at `x`."""
    for place, (label, line) in enumerate(found.items()):
        look = {"color": looks[label].colour, "va": "center", "fontsize": 7.5}
        for k, n in zip(line["x"], line["n"], strict=True):
            axes.text(k, place, f"{n:g}", ha="center", **look)
        axes.text(x, place, who(label), **look)
    axes.set_ylim(len(found) - 0.5, -0.5)
    axes.tick_params(axis="both", length=0, labelbottom=False, labelleft=False)
    axes.spines[:].set_visible(False)
    axes.set_title(title, fontsize=7.5, fontweight="normal", color=MUTED)


def points(chart: Chart, looks: Looks, name: str, caution: str) -> Drawing | None:
    """Marks with their labels, hollow or the diamond of all together; with a diagonal both axes have one scale."""
    own = chart.data
    found = [p for p in own["points"] if _known(p, "x") and _known(p, "y")]
    if not found:
        return None
    with drawn(WIDTH, 3.6) as drawing:
        axes = drawing.subplots()
        axes.grid()
        if own.get("origin"):
            axes.axhline(0, color=MUTED, lw=0.9)
            axes.axvline(0, color=MUTED, lw=0.9)
        if own.get("diagonal"):
            ends = [min(min(p["x"], p["y"]) for p in found), max(max(p["x"], p["y"]) for p in found)]
            axes.plot(ends, ends, color=MUTED, lw=1.0, ls=BROKEN)
        for point in found:
            _point(axes, point, looks, own.get("origin", False))
        _point_labels(axes, found)
        if not (own.get("origin") or own.get("diagonal")) and _shares(own.get("x", "")) and _shares(own.get("y", "")):
            axes.set(xlim=(-0.03, 1.05), ylim=(-0.03, 1.05))
        if own.get("origin"):
            _room(axes, [p for p in found if not p.get("total")] or found)
        axes.set_xlabel(own.get("x", ""))
        axes.set_ylabel(own.get("y", ""))
        axes.set_title(own.get("title", ""))
        for axis, text in ((axes.xaxis, own.get("x", "")), (axes.yaxis, own.get("y", ""))):
            if _shares(text):
                axis.set_major_formatter(PERCENT)
        rows = ({key: p.get(key) for key in ("label", "x", "y", "low", "high")} for p in found)
        return svg(drawing, name, chart.label or chart.title, caution, _csv(chart, rows))


def _point(axes: Axes, point: Row, looks: Looks, limited: bool) -> None:
    total, faint = point.get("total"), "x_low" in point
    look = _look(point["label"], looks) if isinstance(point["label"], Name) else PLAIN
    x, y = (min(max(point[key], -LIMIT), LIMIT) if limited and not total else point[key] for key in ("x", "y"))
    style = {"color": INK, "lw": 1.4, "zorder": 4} if total else {"color": LINE, "lw": 0.8, "zorder": 1}
    if not faint:
        whiskers_up(axes, (point["x"], point["y"]), _interval(point), look)
        return
    if None not in (point["x_low"], point["x_high"]):
        axes.plot([point["x_low"], point["x_high"]], [point["y"]] * 2, **style)
    if None not in _interval(point):
        axes.plot([point["x"]] * 2, _interval(point), **style)
    if total:
        axes.plot(x, y, "D", color=INK, ms=6, zorder=5)
    else:
        axes.plot(x, y, "o", color=look.colour, mfc="none" if point.get("hollow") else look.colour, ms=4.5, zorder=3)


def _point_labels(axes: Axes, found: Sequence[Row]) -> None:
    """The labels beside their marks; those of one place together, none where they would hide the marks."""
    at: dict[tuple[float, float], list[str]] = {}
    for point in found:
        if point["label"] and not point.get("total"):
            x, y = (min(max(point[key], -LIMIT), LIMIT) for key in ("x", "y"))
            at.setdefault((x, y), []).append(_said(point["label"]))
    size = 6.5 if any("x_low" in point for point in found) else 7.5
    if len(found) <= NUMBERED:
        for place, labels in at.items():
            axes.annotate(", ".join(labels[:MOST]), place, (4, 3), textcoords="offset points", fontsize=size)


def _room(axes: Axes, found: Sequence[Row]) -> None:
    """The marks decide what is shown, not the long intervals of those who did little."""
    xs, ys = ([min(max(p[key], -LIMIT), LIMIT) for p in found] for key in ("x", "y"))
    axes.set_xlim(min(-0.4, *xs) - 0.3 if len(xs) > 1 else min(-0.7, xs[0] - 0.3), max([0.7, *(x + 0.3 for x in xs)]))
    axes.set_ylim(min([-0.4, *(y - 0.3 for y in ys)]), max([1.0, *(y + 0.4 for y in ys)]))


def spread(chart: Chart, looks: Looks, name: str, caution: str) -> Drawing | None:
    """The middle half and nine tenths of something, and its median with its interval, on a logarithmic axis."""
    rows = chart.data["rows"]
    if not rows:
        return None
    with drawn(WIDTH, 0.95 + 0.3 * len(rows)) as drawing:
        axes = drawing.subplots()
        axes.grid(axis="x")
        for place, row in enumerate(rows):
            axes.plot([row["q05"], row["q95"]], [place, place], color=MUTED, lw=1.0, zorder=2)
            axes.plot([row["q25"], row["q75"]], [place, place], color=WIN, alpha=0.35, lw=9, solid_capstyle="butt")
            whiskers_across(axes, (row["median"], place), _interval(row), PLAIN)
        names_down(axes, [row["label"] for row in rows])
        axes.set_xscale("log")
        low, high = min(row["q05"] for row in rows), max(row["q95"] for row in rows)
        ticks = [t for t in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if low / 1.3 <= t <= high * 1.3]
        axes.minorticks_off()
        axes.set_xticks(ticks, [str(t) for t in ticks])
        axes.set_title(chart.data["title"])
        return svg(drawing, name, chart.label or chart.title, caution, _csv(chart, rows))


def _csv(chart: Chart, rows: Iterator[Row] | Sequence[Row]) -> Iterator[Row] | Sequence[Row]:
    """The rows of a chart's CSV: its own, or what is drawn."""
    return rows if chart.rows is None else chart.rows


KINDS: dict[str, Callable] = {
    "forest": forest,
    "panels": panels,
    "places": places,
    "grid": grid,
    "bars": bars,
    "lines": lines,
    "lengths": lengths,
    "steps": steps,
    "points": points,
    "spread": spread,
}
