"""Next-Utterance Classification in a real browser: a whole unit by the mouse, and on a phone by the keys alone, over
reloads; what the page does so that no two choices are the same; forged submissions.
"""

import re

import pytest

from tests.crowdsourcing import picking
from tests.crowdsourcing.page.stage import (
    DESKTOP,
    PHONE,
    button,
    following,
    heading,
    kept_choices,
    right_place,
    serve,
    shown,
    start,
)

ITEMS = 3 + 3
"""Questions of a unit here, and attention checks in it."""


@pytest.fixture
def st(tmp_path):
    made = picking.make_study(tmp_path / "study", unit_size=3)
    with serve(lambda: picking.desk_of(made), tmp_path) as running:
        yield running


def by_mouse(page, number):
    """Answer the question in hand; returns the texts of both choices."""
    heading(page, f"Conversation {number} of {ITEMS}")
    page.locator('[data-question="first conversation:0"]').wait_for()
    texts, place = shown(page), right_place(page)
    other = 4 if place != 4 else 3
    page.locator(".option").nth(place).click()
    following(page)
    page.locator('[data-question="second conversation:0"]').wait_for()
    assert shown(page) == texts  # the same order in both steps
    assert page.locator(".option input:disabled").count() == 1
    assert page.locator(".option").nth(place).locator(".tag").inner_text() == "your first choice"
    page.locator(".option").nth(other).click()
    following(page)
    return texts[place], texts[other]


def test_a_whole_unit_by_the_mouse(st, visit):
    page = visit()
    start(page, st.link("ann"))
    assert "40 min" in page.locator(".time").inner_text()
    page.set_viewport_size(PHONE)
    title = page.locator(".top .title")
    assert title.evaluate("(one) => one.clientHeight < 1.9 * parseFloat(getComputedStyle(one).lineHeight)")
    page.set_viewport_size(DESKTOP)
    assert re.search(r"What does Speaker [AB] say next\?", page.locator(".turn.next").inner_text())
    assert page.locator(".turn.grey, .turn.judged").count() == 0
    chosen = []
    for number in range(1, ITEMS + 1):
        chosen.append(by_mouse(page, number))
        if number == 2:
            page.reload()
    heading(page, "About you")
    assert page.locator("[data-question]").count() == 5
    assert page.locator(".questionnaire legend", has_text="optional").count() == 5
    page.get_by_text("31 to 40").click()
    page.locator('[data-question="gender annotator"]').get_by_text("I'd rather not say").click()
    page.reload()
    assert page.get_by_label("31 to 40").is_checked()
    button(page, "To the overview").click()
    heading(page, "Overview")
    assert "Answered: 2 of 5" in page.locator(".card.about").inner_text()
    cards = page.locator(".cards .card")
    assert cards.count() == ITEMS
    assert [tuple(cards.nth(n).locator("dd").all_inner_texts()) for n in range(ITEMS)] == chosen
    # A first choice that becomes the second one leaves that open again. No check: its order is drawn at each launch,
    # and a wrong first choice in it would end the work.
    changed = next(n for n, (first, _) in enumerate(chosen) if first not in picking.REPLIES.values())
    cards.nth(changed).locator("button").click()
    texts = shown(page)
    page.locator(".option").nth(texts.index(chosen[changed][1])).click()
    following(page)
    page.locator('[data-question="second conversation:0"][data-answered="false"]').wait_for()
    following(page)
    assert "Please answer this question." in page.locator(".panel").inner_text()
    page.locator(".option").nth(texts.index(chosen[changed][0])).click()
    following(page)
    heading(page, "Overview")
    chosen[changed] = chosen[changed][::-1]
    button(page, "Change what you said about yourself").click()
    heading(page, "About you")
    page.get_by_label("Woman").check()
    button(page, "To the overview").click()
    button(page, "Hand in").click()
    heading(page, "Thank you|You can't go on")
    assert "Tasks done: 1" in page.locator("main").inner_text()
    assert page.locator("main progress").count() == 0  # nothing is left, so nothing is missing
    assert kept_choices(st) == chosen
    told = {row["question"]: row["answer"] for row in st.kept[0]["questionnaire"]}
    assert told == {"age": "31-40", "gender": "woman"}
