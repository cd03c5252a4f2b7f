"""Charts of curves and points: lines, values over lengths, steps of survival, points."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from parlai_spotbot.findings.sections import Chart, Name
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.charts.axes import (
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
    whiskers_up,
)
from parlai_spotbot.report.drawing import INK, LINE, MUTED, WIDTH, Drawing, Look, drawn, svg
from parlai_spotbot.wording import number, who

MOST = 7
"""So many curves, with people's, stay legible in one panel; further ones get a panel of their own."""

LIMIT = 4.0
"""Marks beyond this, of somebody who never errs, are drawn at the edge."""

FEW_TICKS = 6
"""So many values on a logarithmic axis are marked each."""

NUMBERED = 40
"""With more marks their labels would hide them."""


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


def lines(chart: Chart, looks: Looks, name: str) -> Drawing | None:
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
            _line(axes, line, look_of(line["label"], looks, place), own.get("steps"), len(series) <= MOST)
        if own.get("here"):
            at, text = own["here"]
            axes.axvline(at, color=MUTED, lw=0.9)
            axes.annotate(text, (at, 0), (3, 3), textcoords="offset points", fontsize=8, style="italic")
        if not own.get("log_x") and all(float(x).is_integer() for line in series for x in line["x"] if x is not None):
            axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))  # what is counted has no halves
        axes.set_xlabel(own.get("x", ""))
        axes.set_ylabel(own.get("y", ""))
        if is_share(own.get("y", "")):
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
        return svg(drawing, name, chart.label or chart.title, csv_rows(chart, data))


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
    style = {"color": look.colour, "ls": dash, "lw": width, "label": label_text(line["label"])}
    if steps:
        axes.step(x, y, where=where, **style)
    else:
        axes.plot(x, y, marker=look.marker, ms=3.5, **style)


def steps(chart: Chart, looks: Looks, name: str) -> Drawing | None:
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
        return svg(drawing, name, chart.label or chart.title, csv_rows(chart, _steps_csv(series.values())))


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
    counts = line.get("n") or [None] * len(line["x"])
    for k, value, low, high, n in zip(line["x"], line["y"], line["low"], line["high"], counts, strict=True):
        said = figures({"label": line["label"], "n": n}, value, True, (low, high), f", {k} exchanges")
        whiskers_up(axes, (k + shift, value), (low, high), look, said)


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


def points(chart: Chart, looks: Looks, name: str) -> Drawing | None:
    """Marks with their labels, hollow or the diamond of all together."""
    own = chart.data
    found = [p for p in own["points"] if known(p, "x") and known(p, "y")]
    if not found:
        return None
    with drawn(WIDTH, 3.6) as drawing:
        axes = drawing.subplots()
        axes.grid()
        if own.get("origin"):
            axes.axhline(0, color=MUTED, lw=0.9)
            axes.axvline(0, color=MUTED, lw=0.9)
        for point in found:
            _point(axes, point, looks, own.get("origin", False))
        _point_labels(axes, found)
        if not own.get("origin") and is_share(own.get("x", "")) and is_share(own.get("y", "")):
            axes.set(xlim=(-0.03, 1.05), ylim=(-0.03, 1.05))
        if own.get("origin"):
            _room(axes, [p for p in found if not p.get("total")] or found)
        axes.set_xlabel(own.get("x", ""))
        axes.set_ylabel(own.get("y", ""))
        axes.set_title(own.get("title", ""))
        for axis, text in ((axes.xaxis, own.get("x", "")), (axes.yaxis, own.get("y", ""))):
            if is_share(text):
                axis.set_major_formatter(PERCENT)
        rows = ({key: p.get(key) for key in ("label", "x", "y", "low", "high")} for p in found)
        return svg(drawing, name, chart.label or chart.title, csv_rows(chart, rows))


def _point(axes: Axes, point: Row, looks: Looks, limited: bool) -> None:
    total, faint = point.get("total"), "x_low" in point
    look = look_of(point["label"], looks) if isinstance(point["label"], Name) else PLAIN
    x, y = (min(max(point[key], -LIMIT), LIMIT) if limited and not total else point[key] for key in ("x", "y"))
    style = {"color": INK, "lw": 1.4, "zorder": 4} if total else {"color": LINE, "lw": 0.8, "zorder": 1}
    if not faint:
        said = figures(point, point["y"], False, interval_of(point), f", at {number(point['x'])}")
        whiskers_up(axes, (point["x"], point["y"]), interval_of(point), look, said)
        return
    if None not in (point["x_low"], point["x_high"]):
        axes.plot([point["x_low"], point["x_high"]], [point["y"]] * 2, **style)
    if None not in interval_of(point):
        axes.plot([point["x"]] * 2, interval_of(point), **style)
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
            at.setdefault((x, y), []).append(label_text(point["label"]))
    size = 6.5 if any("x_low" in point for point in found) else 7.5
    if len(found) <= NUMBERED:
        for place, labels in at.items():
            axes.annotate(", ".join(labels[:MOST]), place, (4, 3), textcoords="offset points", fontsize=size)


def _room(axes: Axes, found: Sequence[Row]) -> None:
    """The marks decide what is shown, not the long intervals of those who did little."""
    xs, ys = ([min(max(p[key], -LIMIT), LIMIT) for p in found] for key in ("x", "y"))
    axes.set_xlim(min(-0.4, *xs) - 0.3 if len(xs) > 1 else min(-0.7, xs[0] - 0.3), max([0.7, *(x + 0.3 for x in xs)]))
    axes.set_ylim(min([-0.4, *(y - 0.3 for y in ys)]), max([1.0, *(y + 0.4 for y in ys)]))
