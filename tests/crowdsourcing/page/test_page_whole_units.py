"""Whole units in a real browser, against the real server and desk: with the mouse on a desktop, with the keyboard alone
on a phone, reloaded in the middle; what arrives is what was given.
"""

from dataclasses import replace

from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.dimensions import NAMES
from tests.crowdsourcing.page.stage import PHONE, TALKS, bare, button, following, heading, item, pair_item, stage, start

ITEMS = [item(number, talk) for number, talk in enumerate(TALKS[:3])]
FEATURES = ("fluency", "sensibleness", "specificity")


def group(page, question, target=None):
    """The group of a question; by the target's name on the page for an entity."""
    if target is None:
        return page.locator(f'[data-question="{question} pair"]')
    return page.locator(f'[data-question^="{question} "]').filter(has_text=f"Is {target} ")


def choose(page, where, label):
    where.locator(".option", has_text=label).click()


def arrived(record):
    """What a submission says of each item: {(question, name of the target): (answer in names, changes)}."""
    found = []
    for row in record["items"]:
        names = {key: row["presentation"][key] for key in ("entity:0", "entity:1")}
        found.append(
            {
                (a["question"], names.get(a["target"], "")): (names.get(a["answer"], a["answer"]), a["changes"])
                for a in row["answers"]
            }
        )
    return found


def test_a_unit_by_mouse_on_a_desktop_reloaded_in_the_middle(tmp_path, visit):
    survey = get_survey("spot_the_bot")
    survey = replace(survey, limits=replace(survey.limits, onboarding_mistakes=99))
    page = visit()
    with stage(survey, ITEMS, tmp_path) as st:
        page.goto(st.link("ann"))
        button(page, "I agree and want to take part").click()
        heading(page, "What to do")
        page.get_by_text("An example").wait_for()
        button(page, "I have understood").click()
        practise(page, len(survey.onboarding[0]))
        page.get_by_text("Passed").wait_for()
        button(page, "Go on").click()
        page.get_by_text("Tasks done: 0 of 3").wait_for()
        button(page, "Start").click()
        for number, (a, b) in enumerate((("Human", "Bot"), ("Bot", "Unsure"), ("Human", "Human"))):
            heading(page, f"Conversation {number + 1} of 3")
            assert group(page, "fluency").count() == 0
            choose(page, group(page, "nature", "Entity A"), a)
            choose(page, group(page, "nature", "Entity B"), b)
            if number == 1:
                page.reload()
                heading(page, "Conversation 2 of 3")
                assert group(page, "nature", "Entity A").locator("input:checked").get_attribute("value") == "bot"
            button(page, "Continue").click()
            if number == 1:  # back, and another mind
                button(page, "Back").click()
                choose(page, group(page, "nature", "Entity B"), "Human")
                button(page, "Continue").click()
            choose(page, group(page, "fluency"), "Entity A")
            choose(page, group(page, "sensibleness"), "No difference")
            choose(page, group(page, "specificity"), "Entity B")
            if number == 2:
                page.get_by_text("Add a remark").click()
                page.get_by_label("Add a remark").fill("odd <b>one</b>")
            following(page)
        heading(page, "Overview")
        page.reload()
        heading(page, "Overview")
        page.get_by_role("button", name="Change conversation 1").click()
        choose(page, group(page, "nature", "Entity A"), "Unsure")
        button(page, "To the overview").click()
        page.get_by_label("Comment").fill("all clear")
        button(page, "Hand in").click()
        page.get_by_text("Tasks done: 1 of 3").wait_for()
        (record,) = st.kept
    expected = [("unsure", "bot", 1, 0), ("bot", "human", 0, 1), ("human", "human", 0, 0)]
    for found, (a, b, changed_a, changed_b) in zip(arrived(record), expected, strict=True):
        assert found == {
            ("nature", "Entity A"): (a, changed_a),
            ("nature", "Entity B"): (b, changed_b),
            ("fluency", ""): ("Entity A", 0),
            ("sensibleness", ""): ("no_difference", 0),
            ("specificity", ""): ("Entity B", 0),
        }
    assert record["comment"] == "all clear"
    assert [row["comment"] for row in record["items"]] == ["", "", "odd <b>one</b>"]
    for row in record["items"]:
        assert 0 < max(answer["seconds"] for answer in row["answers"]) <= row["seconds"]
    assert page.evaluate("Object.keys(localStorage)") == []


def practise(page, exercises):
    for number in range(exercises):
        heading(page, f"Exercise {number + 1} of {exercises}")
        while True:
            for question in page.locator("[data-question]").all():
                question.locator(".option").first.click()
            before = page.locator("main").inner_text()
            following(page)
            page.wait_for_function("before => document.querySelector('main').innerText !== before", arg=before)
            if page.locator(".step-heading", has_text="Step 2").count() == 0:
                break


def tab_to(page, name):
    """Press Tab until the control of this name has the focus."""
    for _ in range(60):
        if page.evaluate("(document.activeElement.innerText || document.activeElement.value || '').trim()") == name:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never came to {name!r}")


def test_the_game_opens_decides_and_counts(tmp_path, visit):
    survey = bare(get_survey("spot_the_bot_game"))
    page = visit(expected=("409",))
    with stage(survey, ITEMS[:2], tmp_path) as st:
        page.goto(st.link("ann"))
        button(page, "I have understood").click()
        page.get_by_text("Your points: 0").wait_for()
        button(page, "Start").click()
        heading(page, "Conversation 1 of 2")
        assert page.locator(".turn").count() == 2
        assert page.get_by_role("radio", name="Unsure").first.is_disabled()
        page.get_by_role("button", name="Open the next exchange").click()
        page.get_by_text("Exchanges opened: 2").wait_for()
        assert page.locator(".turn").count() == 4
        decide(page, "Entity A", "Human")
        page.reload()
        page.get_by_text("Entity A: Human. Decided.").wait_for()
        page.get_by_role("button", name="Open the next exchange").click()
        page.get_by_text("There is no further exchange to open").wait_for()
        decide(page, "Entity B", "Unsure")
        features(page)
        heading(page, "Conversation 2 of 2")
        page.locator(".decision input").first.focus()
        page.keyboard.press("2")
        page.keyboard.press("Enter")
        page.locator(".decided").wait_for()
        page.keyboard.press("1")
        page.keyboard.press("Enter")
        button(page, "Continue").wait_for()
        features(page)
        heading(page, "Overview")
        button(page, "Hand in").click()
        page.get_by_role("table", name="Leaderboard").get_by_text("(you)").wait_for()
        (record,) = st.kept
    first, second = record["items"]
    names = {first["presentation"][key]: key for key in ("entity:0", "entity:1")}
    opened = {(a["question"], a["target"]): (a["answer"], a["opened"]) for a in first["answers"]}
    assert opened["nature", names["Entity A"]] == ("human", 2)
    assert opened["nature", names["Entity B"]] == ("unsure", 3)
    assert {a["answer"] for a in second["answers"] if a["question"] == "nature"} == {"human", "bot"}
    assert all(a["seconds"] is not None for row in record["items"] for a in row["answers"])


def decide(page, entity, label):
    decision = page.locator(".decision", has_text=f"Is {entity} ")
    decision.locator(".option", has_text=label).click()
    decision.get_by_role("button", name=f"Decide for {entity}: {label}").click()
    page.get_by_text(f"{entity}: {label}. Decided.").first.wait_for()


def features(page):
    button(page, "Continue").click()
    page.get_by_text("Step 2 of 2").wait_for()
    for name in FEATURES:
        choose(page, group(page, name), "No difference")
    following(page)


def test_two_speakers_compared_in_eight_respects_by_keyboard_on_a_phone(tmp_path, visit):
    page = visit(PHONE, color_scheme="dark")
    with stage(bare(get_survey("comparative")), [pair_item(0, TALKS[:2], (1, 0))], tmp_path) as st:
        page.goto(st.link("bob"))
        heading(page, "What to do")
        for name in ("I have understood", "Start"):
            tab_to(page, name)
            page.keyboard.press("Enter")
        heading(page, "Pair 1 of")
        upper, lower = page.locator(".transcript").all()
        assert upper.bounding_box()["y"] + upper.bounding_box()["height"] <= lower.bounding_box()["y"]
        order = [one.get_attribute("data-question").split()[0] for one in page.locator("[data-question]").all()]
        assert sorted(order) == sorted(NAMES)
        meaning = page.locator("details.definitions")
        assert meaning.count() == 1  # all eight have the same answers
        assert "details" in page.locator("[data-question]").first.inner_html()
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
                assert page.locator("input:checked").count() == 4
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
    assert {f"{a['question']} {a['target']}": a["answer"] for a in record["items"][0]["answers"]} == expected


def test_on_a_phone_the_conversation_and_the_way_to_hand_in_stay_in_view(tmp_path, visit):
    """In later steps the conversation is folded above the questions; finished answers are folded in the overview."""
    page = visit(PHONE)
    with stage(bare(get_survey("spot_the_bot")), [item(number, TALKS[0]) for number in range(12)], tmp_path) as st:
        start(page, st.link("ann"))
        for number in range(12):
            heading(page, f"Conversation {number + 1} of 12")
            for question in page.locator("[data-question]").all():
                question.locator(".option").first.click()
            following(page)
            page.get_by_text("Step 2 of 2").wait_for()
            if number == 0:
                page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
                folded = page.get_by_text("Show the conversation")
                folded.click()
                said = page.get_by_text(TALKS[0][0], exact=True)
                said.wait_for()
                box, room = said.bounding_box(), page.viewport_size
                assert 0 <= box["y"] <= room["height"]
                folded.click()
            for question in page.locator("[data-question]").all():
                question.locator(".option").first.click()
            following(page)
        heading(page, "Overview")
        assert page.evaluate("document.body.scrollHeight") < 3 * PHONE["height"]
        box = button(page, "Hand in").bounding_box()
        assert 0 <= box["y"] <= PHONE["height"] - box["height"]
        card = page.locator(".card").first
        card.locator("summary").click()
        card.locator("dd", has_text="Human").first.wait_for()
        button(page, "Hand in").click()
        page.get_by_text("Tasks done: 1").wait_for()
        assert len(st.kept) == 1
