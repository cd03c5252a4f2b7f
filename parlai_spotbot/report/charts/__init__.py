"""Draws the charts that findings give as data (`findings.sections.Chart`), in the report's style.

Labels that are `Name`s have the look of that contestant; others are plain. A value of None is not drawn; in the CSV its
field is empty.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable

from parlai_spotbot.findings.sections import Chart
from parlai_spotbot.report.charts.axes import Looks
from parlai_spotbot.report.charts.curves import curve
from parlai_spotbot.report.charts.estimates import forest
from parlai_spotbot.report.charts.shares import grid
from parlai_spotbot.report.drawing import Drawing
from parlai_spotbot.report.parts import Figure


def figure(chart: Chart, looks: Looks, name: str) -> Figure | None:
    """Return a chart as a figure of the page, with its downloads; None where there is nothing to draw."""
    drawing = draw(chart, looks, name)
    return None if drawing is None else Figure(drawing, chart.caption)


def draw(chart: Chart, looks: Looks, name: str) -> Drawing | None:
    """A chart's drawing, or nothing where it has no value. One drawn before in this process isn't drawn again."""
    key = pickle.dumps((chart, dict(looks), name))
    if key not in _DRAWN:
        if len(_DRAWN) >= REMEMBERED:
            _DRAWN.clear()
        _DRAWN[key] = draw_anew(chart, looks, name)
    return _DRAWN[key]


def draw_anew(chart: Chart, looks: Looks, name: str) -> Drawing | None:
    """As `draw`, for who wants the figure itself (`drawing.figures_kept`)."""
    return KINDS[chart.kind](chart, looks, name)


REMEMBERED = 500
"""Drawings, of 50 to 100 kB each with their files."""

_DRAWN: dict[bytes, Drawing | None] = {}
"""By what they show, for reports that are built again: drawing takes most of their time."""


KINDS: dict[str, Callable] = {"forest": forest, "grid": grid, "curve": curve}
