"""Units of whole conversations in a real browser: two side by side, one rated as a whole, one rated turn by turn; with
the mouse on a desktop, with the keyboard alone on a phone, reloaded in the middle. What arrives is what was given.
"""

import pytest
from stage import PHONE, TALKS, bare, button, heading, judged_item, pair_item, stage
from test_page_whole_units import tab_to

from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.dimensions import NAMES

PAIRS = [
    pair_item(0, TALKS[:2], (0, 1), ("engagingness", "reason")),
    pair_item(1, TALKS[2:], (1, 1), ("humanness", "reason")),
]
EIGHT = [pair_item(0, TALKS[:2], (1, 0))]
RATED = [judged_item(0, TALKS[0], 1)]
TURNS = [judged_item(0, TALKS[1], 1, ["relevance"])]


def given_of(record):
    """What a submission says of each item: {"QUESTION TARGET": answer}."""
    return [{f"{a['question']} {a['target']}": a["answer"] for a in row["answers"]} for row in record["items"]]


def question(page, name):
    return page.locator(f'[data-question^="{name} "]')


def value_of(page, name):
    return question(page, name).locator("input:checked").get_attribute("value")


def primary(page):
    page.locator(".panel .actions .primary").click()


def begin(page, st, worker):
    """From the link to the first item, without onboarding."""
    page.goto(st.link(worker))
    heading(page, "What to do")
    button(page, "I have understood").click()
    button(page, "Start").click()
    heading(page, "(Conversation|Pair) 1 of")


def begin_by_keyboard(page, st, worker):
    page.goto(st.link(worker))
    heading(page, "What to do")
    for name in ("I have understood", "Start"):
        tab_to(page, name)
        page.keyboard.press("Enter")
    heading(page, "(Conversation|Pair) 1 of")


def practise(page, survey, right=True):
    """Answer the exercises of the first attempt by their keys, whatever the order in which they are put."""
    for number, exercise in enumerate(survey.onboarding[0]):
        heading(page, f"Exercise {number + 1} of")
        key = {f"{name} {target}": accepted for name, target, accepted in exercise.key}
        while True:
            for one in page.locator("[data-question]").all():
                accepted = key[one.get_attribute("data-question")]
                options = [box.get_attribute("value") for box in one.locator("input").all()]
                wanted = accepted[0] if right else next((o for o in options if o not in accepted), options[0])
                one.locator(f'.option:has(input[value="{wanted}"])').click()
            before = page.locator("main").inner_text()
            primary(page)
            page.wait_for_function("before => document.querySelector('main').innerText !== before", arg=before)
            if page.get_by_role("heading", name=f"Exercise {number + 1} of").count() == 0:
                break


@pytest.mark.parametrize(
    "name",
    [
        "comparative",
        "turn_likert",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("acute_eval", "dialogue_likert")),
    ],
)
def test_the_practice_is_passed_by_its_own_key_and_failed_by_other_answers(tmp_path, visit, name):
    survey = get_survey(name)
    shown = {"acute_eval": PAIRS[:1], "comparative": EIGHT, "dialogue_likert": RATED, "turn_likert": TURNS}[name]
    with stage(survey, shown, tmp_path) as st:
        for worker, right in (("ann", True), ("bob", False)):
            page = visit()
            page.goto(st.link(worker))
            button(page, "I agree and want to take part").click()
            heading(page, "What to do")
            page.get_by_text("An example").wait_for()
            assert "{" not in page.locator("main").inner_text()
            assert page.locator(".turn.judged").count() > 1
            button(page, "I have understood").click()
            practise(page, survey, right)
            page.locator(".verdict.right" if right else ".verdict.wrong").wait_for()
            assert "{" not in page.locator("main").inner_text()
            assert page.locator(".mark.right").count() == (len(survey.onboarding[0]) if right else 0)


def test_two_speakers_compared_in_eight_respects_by_keyboard_on_a_phone(tmp_path, visit):
    page = visit(PHONE, color_scheme="dark")
    with stage(bare(get_survey("comparative")), EIGHT, tmp_path) as st:
        begin_by_keyboard(page, st, "bob")
        upper, lower = page.locator(".transcript").all()
        assert upper.bounding_box()["y"] + upper.bounding_box()["height"] <= lower.bounding_box()["y"]
        order = [one.get_attribute("data-question").split()[0] for one in page.locator("[data-question]").all()]
        assert sorted(order) == sorted(NAMES)
        meaning = page.locator("details.definitions")
        assert meaning.count() == 1  # all eight have the same answers
        assert question(page, order[0]).locator("details.definitions").count() == 1
        assert "can't tell the two apart" in meaning.text_content()
        keys = ["1", "2", "3", "2", "1", "3", "2", "1"]
        for place, key in enumerate(keys):
            page.keyboard.press(key)
            if place < 7:
                page.wait_for_function(
                    "name => document.activeElement.closest('[data-question]')?.dataset.question === name",
                    arg=f"{order[place + 1]} pair",
                )
            if place == 3:
                page.reload()
                heading(page, "Pair 1 of 1")
                assert [question(page, name).locator("input:checked").count() for name in order] == [1] * 4 + [0] * 4
        page.keyboard.press("Enter")
        heading(page, "Overview")
        tab_to(page, "Hand in")
        page.keyboard.press("Enter")
        page.get_by_text("Tasks done: 1 of 60").wait_for()
        (record,) = st.kept
    told = record["items"][0]["presentation"]
    assert told["question_order"].split() == order
    at = {"1": "left", "2": "right"}
    places = {told["place:0"]: "conversation:0", told["place:1"]: "conversation:1"}
    expected = {f"{n} pair": places[at[k]] if k in at else "neither" for n, k in zip(order, keys, strict=True)}
    assert given_of(record) == [expected]


def test_turns_rated_by_keyboard_on_a_phone(tmp_path, visit):
    page = visit(PHONE)
    with stage(bare(get_survey("turn_likert")), TURNS, tmp_path) as st:
        begin_by_keyboard(page, st, "bob")
        for turn, key in ((1, "4"), (3, "2"), (5, "1")):
            page.locator(".turn.marked").get_by_text(TALKS[1][turn]).wait_for()
            assert page.locator(".turn").count() == turn + 1  # what the other said before it, and nothing after it
            assert page.locator(".turn.grey").count() == (turn + 1) / 2
            assert page.locator("[data-question]").count() == 1
            assert "relates to what was said before it" in question(page, "relevance").inner_text()
            page.keyboard.press(key)
            page.wait_for_function("() => document.activeElement.checked")
            if turn == 3:
                page.reload()
                page.locator(".turn.marked").get_by_text(TALKS[1][turn]).wait_for()
                assert value_of(page, "relevance") == "2"
                question(page, "relevance").locator("input:checked").focus()
            page.keyboard.press("Enter")
        heading(page, "Overview")
        tab_to(page, "Hand in")
        page.keyboard.press("Enter")
        page.get_by_text("Tasks done: 1 of 60").wait_for()
        (record,) = st.kept
    assert given_of(record) == [{"relevance turn:1": "4", "relevance turn:3": "2", "relevance turn:5": "1"}]
