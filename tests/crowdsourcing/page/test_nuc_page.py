"""Next-Utterance Classification in a real browser: a whole unit by the mouse, and on a phone by the keys alone, over
reloads; what the page does so that no two choices are the same; forged submissions.
"""

import json
import re

import picking
import pytest
from nuc_stage import CHECKS, enter, kept_choices, right_place, serving, shown
from stage import button, heading

ITEMS = 3 + CHECKS
"""Questions of a unit here, and attention checks in it."""


@pytest.fixture
def st(tmp_path):
    with serving(tmp_path, 3) as running:
        yield running


def by_mouse(page, number, second=4):
    """Answer the question in hand; returns the texts of both choices."""
    heading(page, f"Conversation {number} of {ITEMS}")
    page.locator('[data-question="first conversation:0"]').wait_for()
    texts, place = shown(page), right_place(page)
    other = second if second != place else second - 1
    page.locator(".option").nth(place).click()
    page.locator(".panel .actions .primary").click()
    page.locator('[data-question="second conversation:0"]').wait_for()
    assert shown(page) == texts  # the same order in both steps
    assert page.locator(".option input:disabled").count() == 1
    assert page.locator(".option").nth(place).locator(".tag").inner_text() == "your first choice"
    page.locator(".option").nth(other).click()
    page.locator(".panel .actions .primary").click()
    return texts[place], texts[other]


def test_a_whole_unit_by_the_mouse(st, visit):
    page = visit()
    enter(page, st)
    assert "40 min" in page.locator(".time").inner_text()
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
    # A first choice that becomes the second one leaves that open again.
    cards.nth(0).locator("button").click()
    texts = shown(page)
    page.locator(".option").nth(texts.index(chosen[0][1])).click()
    page.locator(".panel .actions .primary").click()
    page.locator('[data-question="second conversation:0"][data-answered="false"]').wait_for()
    page.locator(".panel .actions .primary").click()
    assert "Please answer this question." in page.locator(".panel").inner_text()
    page.locator(".option").nth(texts.index(chosen[0][0])).click()
    page.locator(".panel .actions .primary").click()
    heading(page, "Overview")
    chosen[0] = chosen[0][::-1]
    button(page, "Change what you said about yourself").click()
    heading(page, "About you")
    page.get_by_label("Woman").check()
    button(page, "To the overview").click()
    button(page, "Hand in").click()
    heading(page, "Thank you|You can't go on")
    assert kept_choices(st) == chosen
    told = {row["question"]: row["answer"] for row in st.kept[0]["questionnaire"]}
    assert told == {"age": "31-40", "gender": "woman"}


FORGE = """async ([unit, body]) => {
  const key = Object.keys(sessionStorage).find((name) => /token/.test(name));
  const token = key && (() => { const t = sessionStorage.getItem(key);
    try { return JSON.parse(t).token ?? JSON.parse(t); } catch { return t; } })();
  const answer = await fetch("/api/submit", {method: "POST", headers: {Authorization: `Bearer ${token}`,
    "Content-Type": "application/json"}, body: JSON.stringify(body)});
  return [answer.status, (await answer.json()).error?.code];
}"""


def test_forged_choices_are_refused_and_the_page_holds_no_key(st, visit):
    page = visit(expected=("400", "422"))
    answers = []
    page.on("response", lambda response: answers.append(response) if "/api/" in response.url else None)
    with page.expect_response("**/api/unit") as handed:
        enter(page, st)
    unit = handed.value.json()["unit"]
    whole = [picking.pick(one) for one in unit["items"]]

    def forged(number, place, answer):
        items = json.loads(json.dumps(whole))
        items[number]["answers"][place]["answer"] = answer
        return page.evaluate(FORGE, [unit["unit"], {"unit": unit["unit"], "items": items, "comment": ""}])

    assert forged(0, 1, whole[0]["answers"][0]["answer"]) == [400, "malformed"]
    assert forged(1, 0, "candidate:9") == [400, "malformed"]
    assert forged(1, 0, None) == [422, "incomplete"]
    assert st.kept == []
    desk = st.server.desk
    hidden = [*desk.items, *(name for item in desk.items.values() for name in item.conversation_ids)]
    for response in answers:
        text = response.text()
        assert not [name for name in (*hidden, "known_candidate", "distractor") if name in text], response.url
