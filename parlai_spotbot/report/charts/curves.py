"""Chart of curves: one small panel each, before the others in grey."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from parlai_spotbot.findings.sections import CardChart
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.charts.axes import NARROW, Looks, label_text, look_of, mark_values, tell_names
from parlai_spotbot.report.drawing import MUTED, WIDTH, Drawing, Look, drawn, svg

ACROSS = {9: 4, NARROW: 3}
"""At most so many panels are beside each other, by how long their names are; two of longer ones."""

MOST = 8
"""Before so many others at most a curve is drawn."""

PAGE = 12
"""More curves are in a wider figure, which else is longer than a page."""

WIDER = 6.6
"""Inches: the width of a page's text."""

SPREAD = 50
"""An axis of positive values of which the greatest is more than so many times the least is logarithmic."""

MARKS = 12
"""About so many points of a curve are marked."""

STYLES = {True: "steps-post", False: "default"}
"""How curves with steps and others are drawn."""

LAST = 6
"""The last step of a curve is this part of its axis."""

FEW_TICKS = 6
"""So many values on a logarithmic axis are marked each."""


def curve(chart: CardChart, looks: Looks, name: str) -> Drawing | None:
    """Curves, each with its band where ends are known, in a panel under its name."""
    data = chart.data
    series = _series(data, looks)
    if not series:
        return None
    width = WIDTH
    if len(series) > PAGE:
        width = WIDER
    across = _across(len(series), max(len(label_text(line["label"], looks)) for line in series), width / WIDTH)
    down = math.ceil(len(series) / across)
    with drawn(width, 0.55 + 1.35 * down + 0.9 * (down == 1)) as drawing:
        _in_panels(drawing.subplots(down, across, squeeze=False).ravel(), series, across, data, looks)
        drawing.supxlabel(data["x"], fontsize=9)
        drawing.supylabel(data["y"], fontsize=9)
        return svg(drawing, name, chart.label, chart.rows, chart.footer)


def _in_panels(panels: np.ndarray, series: Sequence[dict], across: int, data: dict, looks: Looks) -> None:
    """Draw each curve in a panel of its own."""
    values = [value for line in series for value in line["x"] if value is not None]
    if data["steps"]:
        beyond = max(values) + (max(values) - min(values) or 1) / LAST
        series = [_carried_on(line, beyond) for line in series]
    for place, (axes, line) in enumerate(zip(panels, series, strict=False)):
        _axes(axes, data, values)
        if len(series) <= MOST:
            _others(axes, [other for other in series if other is not line], data["steps"])
        look = look_of(line["label"], looks, place)
        tell_names([axes.set_title(label_text(line["label"], looks), color=look.colour, fontsize=9)], [line["label"]])
        _line(axes, line, look, data)
    for axes in panels[len(series) :]:
        axes.set_visible(False)
    _same_ends(panels[: len(series)])
    for axes in panels[max(0, len(series) - across) : len(series)]:
        axes.tick_params(labelbottom=True)


def _carried_on(line: dict, beyond: float) -> dict:
    """Return a curve of steps whose last one is as long as to be seen."""
    drawn = {key: [*line[key], line[key][-1]] for key in ("y", "low", "high") if line.get(key)}
    return {**line, **drawn, "x": [*line["x"], beyond]}


def _across(panels: int, letters: int, times: float = 1.0) -> int:
    """Return how many panels of so long names are beside each other, in a figure so many times as wide as others: as
    many as leave the fewest places empty."""
    most = round(times * next((count for length, count in ACROSS.items() if letters <= length), 2))
    fitting = min(range(2, most + 1), key=lambda count: (-panels % count, -count))
    return min(fitting, panels)


def _series(data: dict, looks: Looks) -> list[dict]:
    """Return the curves that have a point: contestants in the study's order, then others, people among them."""
    places = {name: place for place, name in enumerate(looks) if name != HUMAN}
    drawn = [line for line in data["series"] if set(line["y"]) - {None}]
    return sorted(drawn, key=lambda line: places.get(line["label"], len(looks)))


def _axes(axes: Axes, data: dict, values: Sequence[float]) -> None:
    """Set the axes that all panels share."""
    if min(values) > 0 and max(values) > SPREAD * min(values):
        _logarithmic(axes, values)
    elif all(float(x).is_integer() for x in values):
        axes.xaxis.set_major_locator(MaxNLocator(5, integer=True, min_n_ticks=1))  # what is counted has no halves
    mark_values(axes.yaxis, 5, data["shares"])


def _same_ends(panels: np.ndarray) -> None:
    """Give all panels the same axes, written on those at the edges.

    Axes that matplotlib shares take time quadratic in their number.
    """
    first = panels[0]
    for axes in panels[1:]:
        first.update_datalim(axes.dataLim.get_points())
    first.autoscale_view()
    for axes in panels:
        axes.set(xlim=first.get_xlim(), ylim=first.get_ylim())
        axes.label_outer()


def _others(axes: Axes, series: Sequence[dict], steps: bool) -> None:
    """Draw curves in grey, as one path with gaps."""
    x = []
    y = []
    for line in series:
        x += [*line["x"], None]
        y += [*line["y"], None]
    if series:
        axes.plot(_floats(x), _floats(y), color=MUTED, alpha=0.7, lw=0.8, drawstyle=STYLES[steps])


def _floats(values: Sequence[float | None]) -> np.ndarray:
    """Return values as floats, NaN where one is unknown."""
    return np.array(values, dtype=float)


def _logarithmic(axes: Axes, values: Sequence[float]) -> None:
    """A logarithmic axis with plain numbers: those that occur if they are few, else powers of ten and the end."""
    axes.set_xscale("log")
    low = min(values)
    high = max(values)
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    ticks = [10.0**power for power in powers if low / 1.2 <= 10.0**power <= high * 1.2]
    if high >= 2.5 * ticks[-1]:
        ticks.append(high)
    if len(set(values)) <= FEW_TICKS:
        ticks = sorted(set(values))
    axes.minorticks_off()
    axes.set_xticks(ticks, [f"{tick:,g}" for tick in ticks])


def _line(axes: Axes, line: dict, look: Look, data: dict) -> None:
    """Draw a curve with its band and the line of reference."""
    axes.grid(axis="y")
    axes.tick_params(length=0)
    steps = data["steps"]
    if data["reference"] is not None:
        axes.axhline(data["reference"], color=MUTED, lw=1.0, ls=(0, (4, 2)))
    values = {key: _floats(line[key]) for key in ("x", "y", "low", "high") if line.get(key)}
    style = {"color": look.colour, "ls": look.linestyle, "lw": 1.6, "drawstyle": STYLES[steps]}
    where = None
    if steps:
        where = "post"
    else:
        style |= {"marker": look.marker, "ms": 3.5, "markevery": max(1, len(values["x"]) // MARKS)}
    if "low" in values and "high" in values:
        band = {"fc": (look.colour, 0.16), "ec": look.colour, "lw": 0.5}
        axes.fill_between(values["x"], values["low"], values["high"], step=where, **band)
    axes.plot(values["x"], values["y"], **style)
