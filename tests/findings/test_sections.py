"""Sections as data: what is read alike says so once."""

from parlai_spotbot.findings.sections import Chart, Section, Table


def test_how_to_read_charts_and_tables_that_are_read_alike_stands_with_the_first():
    charts = [Chart(name, "bars", name, caption, {}) for name, caption in (("a", "x"), ("b", "x"), ("c", "y"))]
    tables = [Table(title, how, (), []) for title, how in (("a", "x"), ("b", "y"), ("c", "x"))]
    section = Section("s", "S", [], charts, tables)
    assert [chart.caption for chart in section.charts] == ["x", "", "y"]
    assert [table.how for table in section.tables] == ["x", "y", ""]
    assert [chart.name for chart in section.charts] == ["a", "b", "c"]
