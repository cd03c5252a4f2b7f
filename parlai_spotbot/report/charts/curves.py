"""Chart of curves."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from parlai_spotbot.findings.sections import CardChart
from parlai_spotbot.report.charts.axes import PERCENT, Looks, is_share, label_text, look_of
from parlai_spotbot.report.drawing import MUTED, WIDTH, Drawing, Look, drawn, svg

MOST = 7
"""So many curves have bands; so many labels stand at one point."""

SPREAD = 50
"""An axis of positive values of which the greatest is more than so many times the least is logarithmic."""

FEW_TICKS = 6
"""So many values on a logarithmic axis are marked each."""


def curve(chart: CardChart, looks: Looks, name: str) -> Drawing | None:
    """Curves, with bands where ends are known; the legend stands below."""
    data = chart.data
    series = [line for line in data["series"] if set(line["y"]) - {None}]
    if not series:
        return None
    columns = 2
    if max(len(str(line["label"])) for line in series) < 18:
        columns = 3
    with drawn(WIDTH, 3.0 + 0.17 * -(-len(series) // columns)) as drawing:
        axes = drawing.subplots()
        axes.grid(axis="y")
        values = [x for line in series for x in line["x"] if x is not None]
        logarithmic = min(values) > 0 and max(values) > SPREAD * min(values)
        if logarithmic:
            _logarithmic(axes, values)
        if data["reference"] is not None:
            axes.axhline(data["reference"], color=MUTED, lw=1.0, ls=(0, (4, 2)))
        for place, line in enumerate(series):
            _line(axes, line, look_of(line["label"], looks, place), data["steps"], len(series) <= MOST)
        if not logarithmic and all(float(x).is_integer() for x in values):
            axes.xaxis.set_major_locator(MaxNLocator(8, integer=True))  # what is counted has no halves
        axes.set_xlabel(data["x"])
        axes.set_ylabel(data["y"])
        if is_share(data["y"]):
            axes.yaxis.set_major_formatter(PERCENT)
        drawing.legend(loc="outside lower center", ncols=columns, frameon=False, fontsize=8)
        return svg(drawing, name, chart.label, chart.rows)


def _logarithmic(axes: Axes, values: Sequence[float]) -> None:
    """A logarithmic axis with plain numbers: those that occur, or few enough to be read."""
    axes.set_xscale("log")
    low = min(values)
    high = max(values)
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    steps = (1,)
    if len(powers) <= 3:
        steps = (1, 2, 5)
    elif len(powers) == 4:
        steps = (1, 3)
    ticks = [step * 10.0**power for power in powers for step in steps]
    ticks = [tick for tick in ticks if low / 1.2 <= tick <= high * 1.2]
    if len(set(values)) <= FEW_TICKS:
        ticks = sorted(set(values))
    axes.minorticks_off()
    axes.set_xticks(ticks, [f"{tick:,g}" for tick in ticks])


def _line(axes: Axes, line: dict, look: Look, steps: bool, banded: bool) -> None:
    known = {key: np.array(line[key], dtype=float) for key in ("x", "y", "low", "high") if line.get(key)}
    x = known["x"]
    y = known["y"]
    style = {"color": look.colour, "ls": look.linestyle, "lw": 1.5, "label": label_text(line["label"])}
    where = None
    if steps:
        where = "post"
        style["drawstyle"] = "steps-post"
    else:
        style |= {"marker": look.marker, "ms": 3.5}
    if banded and "low" in known and "high" in known:
        axes.fill_between(x, known["low"], known["high"], step=where, color=look.colour, alpha=0.14, lw=0)
    axes.plot(x, y, **style)
