"""Sorting and copying of the report's tables, in a real browser (skipped where there is no Chromium)."""

import csv

import pytest

from parlai_spotbot.report.page import build_report


@pytest.fixture(scope="module")
def tab(study, chromium):
    context = chromium.new_context(viewport={"width": 1100, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.said = []
    page.on("console", lambda message: page.said.append(message.text))
    page.on("pageerror", lambda error: page.said.append(str(error)))
    page.goto(build_report(study).as_uri() + "#ranking")
    yield page
    context.close()


def column(table, place):
    return [row.locator("th, td").nth(place).inner_text().strip() for row in table.locator("tbody tr").all()]


def number(text):
    return float(text.replace("−", "-").split()[0].rstrip("%"))


def test_a_click_sorts_by_number_and_unknown_comes_last(tab):
    table = tab.locator("#ranking .scroll > table").first
    place = table.locator("thead th").all_inner_texts().index("TrueSkill")
    heading = table.locator("thead th").nth(place)
    for direction, sign in (("ascending", 1), ("descending", -1)):
        heading.locator("button").press("Enter")
        assert heading.get_attribute("aria-sort") == direction
        shown = column(table, place)
        known = [sign * number(text) for text in shown if text != "–"]
        assert known == sorted(known)
        assert len(set(known)) > 1
        assert all(text == "–" for text in shown[len(known) :])
    assert tab.said == []  # neither errors nor anything that the page's policy refused


def test_a_table_copies_as_it_stands(tab):
    table = tab.locator("#ranking .scroll > table").first
    tools = tab.locator("#ranking .tools").first
    tools.get_by_role("button", name="CSV").click()
    tools.get_by_text("CSV copied").wait_for()
    rows = list(csv.reader(tab.evaluate("navigator.clipboard.readText()").splitlines()))
    assert rows[0] == table.locator("thead th").all_inner_texts()
    assert [row[0] for row in rows[1:]] == column(table, 0)
    assert {len(row) for row in rows} == {len(rows[0])}
    tools.get_by_role("button", name="LaTeX").click()
    tools.get_by_text("LaTeX copied").wait_for()
    latex = tab.evaluate("navigator.clipboard.readText()")
    assert latex.startswith("\\begin{tabular}{l" + "r" * (len(rows[0]) - 1) + "}\n\\toprule")  # all are figures
    assert "\\%" in latex
    assert "%" not in latex.replace("\\%", "")
    tools.get_by_role("button", name="Markdown").click()
    tools.get_by_text("Markdown copied").wait_for()
    assert tab.evaluate("navigator.clipboard.readText()").count("\n") == len(rows)
