"""Draws the charts that a method gives as data (`analysis.sections.Chart`), in the report's style."""

from __future__ import annotations

from parlai_spotbot.analysis.sections import Chart
from parlai_spotbot.report.parts import Figure, Page


def figure(page: Page, source: str, chart: Chart) -> Figure:
    """A chart as a figure of the page."""
    return Figure(None, chart.caption, chart.sentence, chart.method, tuple(chart.cite))
