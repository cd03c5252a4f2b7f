"""Draws the charts that findings give as data (`findings.sections.CardChart`), in the report's style.

Labels that are `Name`s have the look of that contestant; others are plain. A value of None is not drawn; in the CSV its
field is empty.
"""

from parlai_spotbot.findings.sections import CardChart
from parlai_spotbot.report.charts.axes import Looks
from parlai_spotbot.report.charts.curves import curve
from parlai_spotbot.report.charts.estimates import dots, forest
from parlai_spotbot.report.charts.shares import grid, matches
from parlai_spotbot.report.drawing import Drawing


def draw(chart: CardChart, looks: Looks, name: str) -> Drawing | None:
    """A chart's drawing, or nothing where it has no value."""
    return KINDS[chart.kind](chart, looks, name)


KINDS = {"forest": forest, "dots": dots, "grid": grid, "matches": matches, "curve": curve}
