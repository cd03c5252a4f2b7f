"""Draws the charts that a method gives as data (`analysis.sections.Chart`), in the report's style.

Labels that are `Name`s have the look of that contestant; others are plain. A value of None is not drawn; in the CSV its
field is empty.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from parlai_spotbot.analysis.sections import Chart, Name
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.drawing import INK, LINE, LOSS, MUTED, WIDTH, WIN, Drawing, Look, drawn, svg
from parlai_spotbot.report.figures import MOST, PERCENT, names_down, whiskers
from parlai_spotbot.report.parts import Figure, Page

PLAIN = Look(WIN, "o", "-", "")
LONGEST = 26
"""Characters of a label before it is broken."""

DASHES = ("-", (0, (5, 1)), (0, (1, 1)), (0, (6, 1, 1, 1)))


def figure(page: Page, source: str, chart: Chart) -> Figure:
    """A chart as a figure of the page, with its downloads; without a drawing where there is nothing to draw."""
    name, caution = page.id(chart.name, source)
    drawing = draw(chart, page.looks, name, caution)
    return Figure(drawing, chart.caption, chart.sentence, chart.method, tuple(chart.cite), chart.title)


def draw(chart: Chart, looks: Mapping[str, Look], name: str, caution: str = "") -> Drawing | None:
    """A chart's drawing, or nothing where it has no value."""
    return KINDS[chart.kind](chart, looks, name, caution)


def _look(label: str, looks: Mapping[str, Look], place: int = 0) -> Look:
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


def forest(chart: Chart, looks: Mapping[str, Look], name: str, caution: str) -> Drawing | None:
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
                whiskers(axes, place, row["estimate"], [row.get("low"), row.get("high")], look)
        axes.set_yticks(places, [_said(label) for label, _ in lines])
        axes.set_ylim(tall.sum(), 0)
        axes.tick_params(axis="y", length=0)
        for tick, (_, row) in zip(axes.get_yticklabels(), lines, strict=True):
            tick.set_fontweight("bold" if row is None else "normal")
        axes.set_xlabel(chart.data.get("x", ""))
        axes.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
        if _shares(chart.data.get("x", "")):
            axes.xaxis.set_major_formatter(PERCENT)
        data = ({"group": row.get("group"), "label": label, **{k: row.get(k) for k in ("estimate", "low", "high")}}
                for label, row in lines if row)  # fmt: skip
        return svg(drawing, name, chart.title, caution, data)


def grid(chart: Chart, looks: Mapping[str, Look], name: str, caution: str) -> Drawing | None:
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
        axes.set_xticks(range(len(columns)), [_said(c) for c in columns], rotation=30, ha="left",
                        rotation_mode="anchor")  # fmt: skip
        axes.xaxis.tick_top()
        axes.tick_params(axis="x", length=0)
        names_down(axes, [_said(label) for label in rows])
        axes.spines[:].set_visible(False)
        axes.set_xlabel(own.get("x", ""))
        axes.set_ylabel(own.get("y", ""))
        data = ({own.get("y") or "row": row, own.get("x") or "column": column, "value": values[y][x],
                 "text": texts[y][x]} for y, row in enumerate(rows) for x, column in enumerate(columns))  # fmt: skip
        return svg(drawing, name, chart.title, caution, data)


def bars(chart: Chart, looks: Mapping[str, Look], name: str, caution: str) -> Drawing | None:
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
        data = ({"label": row["label"], **dict(zip(parts, row["shares"], strict=True)), "n": row.get("n")}
                for row in rows)  # fmt: skip
        return svg(drawing, name, chart.title, caution, data)


def _shade(place: int, count: int) -> tuple[str, float]:
    """Colour and strength of one part of a scale."""
    middle = (count - 1) / 2
    away = abs(place - middle) / max(middle, 0.5)
    return (MUTED, 0.25) if away < 0.01 else (WIN if place > middle else LOSS, 0.2 + 0.5 * away)


def lines(chart: Chart, looks: Mapping[str, Look], name: str, caution: str) -> Drawing | None:
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
        if not own.get("log_x") and all(float(x).is_integer() for line in series for x in line["x"] if x is not None):
            axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))  # what is counted has no halves
        axes.set_xlabel(own.get("x", ""))
        axes.set_ylabel(own.get("y", ""))
        if _shares(own.get("y", "")):
            axes.yaxis.set_major_formatter(PERCENT)
        drawing.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=8)
        data = ({"label": line["label"], "x": x, "y": line["y"][i],
                 **{end: (line.get(end) or [None] * len(line["x"]))[i] for end in ("low", "high")}}
                for line in series for i, x in enumerate(line["x"]))  # fmt: skip
        return svg(drawing, name, chart.title, caution, data)


def _logarithmic(axes: Axes, values: list[float]) -> None:
    """A logarithmic axis with plain numbers, few enough to be read."""
    axes.set_xscale("log")
    low, high = min(values), max(values)
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    steps = (1, 2, 5) if len(powers) <= 3 else (1, 3) if len(powers) <= 4 else (1,)
    ticks = [tick for power in powers for step in steps if low / 1.2 <= (tick := step * 10.0**power) <= high * 1.2]
    axes.minorticks_off()
    axes.set_xticks(ticks, [f"{tick:,g}" for tick in ticks])


def _line(axes: Axes, line: dict, look: Look, steps: bool, banded: bool) -> None:
    x, y = (np.array([np.nan if v is None else v for v in line[key]], dtype=float) for key in ("x", "y"))
    where = "post" if steps else None
    if banded and line.get("low") and line.get("high"):
        low, high = (np.array([np.nan if v is None else v for v in line[key]], float) for key in ("low", "high"))
        axes.fill_between(x, low, high, step=where, color=look.colour, alpha=0.14, lw=0)
    style = {"color": look.colour, "ls": look.linestyle, "lw": 1.5, "label": _said(line["label"])}
    if steps:
        axes.step(x, y, where=where, **style)
    else:
        axes.plot(x, y, marker=look.marker, ms=3.5, **style)


def points(chart: Chart, looks: Mapping[str, Look], name: str, caution: str) -> Drawing | None:
    """Marks with their labels; with a diagonal both axes have one scale."""
    own = chart.data
    found = [p for p in own["points"] if p.get("x") is not None and p.get("y") is not None]
    if not found:
        return None
    with drawn(WIDTH, 3.6) as drawing:
        axes = drawing.subplots()
        axes.grid()
        if own.get("diagonal"):
            ends = [min(min(p["x"], p["y"]) for p in found), max(max(p["x"], p["y"]) for p in found)]
            axes.plot(ends, ends, color=MUTED, lw=1.0, ls=(0, (4, 2)))
        for point in found:
            look = _look(point["label"], looks) if isinstance(point["label"], Name) else PLAIN
            whiskers(axes, point["x"], point["y"], [point.get("low"), point.get("high")], look, upright=True)
            if point["label"]:
                style = {"textcoords": "offset points", "fontsize": 7.5}
                axes.annotate(_said(point["label"]), (point["x"], point["y"]), (4, 3), **style)
        axes.set_xlabel(own.get("x", ""))
        axes.set_ylabel(own.get("y", ""))
        for axis, said in ((axes.xaxis, own.get("x", "")), (axes.yaxis, own.get("y", ""))):
            if _shares(said):
                axis.set_major_formatter(PERCENT)
        return svg(drawing, name, chart.title, caution,
                   ({key: p.get(key) for key in ("label", "x", "y", "low", "high")} for p in found))  # fmt: skip


KINDS: dict[str, Callable] = {"forest": forest, "grid": grid, "bars": bars, "lines": lines, "points": points}
