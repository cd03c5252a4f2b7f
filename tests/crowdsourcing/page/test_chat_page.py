"""Chatting with two partners in a real browser, against the real server and desk: by mouse and by keyboard, reloaded in
the middle, with lost connections, slow partners and partners that can't go on; what arrives is what was said and given.
"""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from parlai_spotbot.surveys.dimensions import NAMES as DIMENSIONS
from tests.crowdsourcing.page.stage import (
    DESKTOP,
    PHONE,
    Scripted,
    box,
    button,
    compare,
    heading,
    interactive,
    rate,
    say,
    stage,
    start,
    turns,
)

HOSTILE = '<img src=x onerror="document.title=1"> <script>document.title=2</script> {partner} ${1}'
HEBREW = "שלום, מה שלומך?"


def finish(page):
    button(page, "Finish this conversation").click()


def shown(page) -> bool:
    """Whether the whole box to write in is in view."""
    frame, view = box(page).bounding_box(), page.viewport_size
    return frame["y"] >= 0 and frame["y"] + frame["height"] <= view["height"]


def answers(row: dict) -> dict:
    return {answer["question"]: answer["answer"] for answer in row["answers"]}


def test_a_chat_by_mouse_on_a_desktop_reloaded_in_the_middle(tmp_path, visit):
    page = visit()
    with stage(interactive(), (), tmp_path) as st:
        page.goto(st.link("ann"))
        heading(page, "Before you begin")
        assert page.get_by_text("The chats may be published").count() == 1
        button(page, "I agree and want to take part").click()
        heading(page, "What to do")
        page.get_by_text("at least 4 messages").wait_for()
        button(page, "I have understood").click()
        button(page, "Start").click()
        heading(page, "Chat with Partner 1")
        assert page.locator(".chat .progress").inner_text() == "0 of at least 4 messages"
        page.get_by_text("Time left").wait_for()
        box(page).fill(HOSTILE)
        button(page, "Send").click()
        page.locator(".chat-log .turn").nth(1).wait_for()
        assert turns(page) == [f"You: {HOSTILE}", f"Partner 1: you said: {HOSTILE}"]
        assert page.locator(".chat-log img, .chat-log script").count() == 0
        assert page.title() == "Chat with two partners"
        assert button(page, "Finish this conversation").is_disabled()
        box(page).fill("not sent")
        page.reload()
        heading(page, "Chat with Partner 1")
        assert box(page).input_value() == "not sent"
        assert len(turns(page)) == 2
        say(page, HEBREW)
        assert page.locator(".chat-log .bubble").nth(2).evaluate("one => getComputedStyle(one).direction") == "rtl"
        finish(page)
        heading(page, "Rate Partner 1")
        button(page, "Back").click()  # and on with the chat
        say(page, "one more")
        finish(page)
        rate(page, "Partner 1", "4")
        heading(page, "Chat with Partner 2")
        assert turns(page) == []


@pytest.mark.slow
def test_a_unit_by_the_keyboard_alone_on_a_phone(tmp_path, visit):
    page = visit(PHONE)
    keys = page.keyboard
    with stage(interactive(), (), tmp_path) as st:
        start(page, st.link("ann"))
        for partner in (1, 2):
            heading(page, f"Chat with Partner {partner}")
            page.wait_for_function("document.activeElement.tagName === 'TEXTAREA'")
            for number in range(2):
                keys.type(f"line {number}")
                keys.press("Shift+Enter")
                keys.type("and another")
                assert box(page).input_value() == f"line {number}\nand another"
                keys.press("Enter")
                page.locator(".chat-log .turn").nth(2 * number + 1).wait_for()
                assert box(page).input_value() == ""
                keys.press("Enter")  # nothing to send
                assert shown(page)
            assert turns(page)[2] == "You: line 1 and another"
            page.get_by_text("You may finish this conversation now").wait_for()
            keys.press("Tab")
            keys.press("Tab")
            keys.press("Enter")
            heading(page, f"Rate Partner {partner}")
            for _ in DIMENSIONS:
                keys.press("3")
                page.wait_for_timeout(30)
            keys.press("Enter")
        heading(page, "Compare the two partners")
        for _ in DIMENSIONS:
            keys.press("2")
            page.wait_for_timeout(30)
        keys.press("Enter")
        heading(page, "Overview")
        button(page, "Hand in").press("Enter")
        page.get_by_text("Tasks done: 1 of 9").wait_for()
        (record,) = st.kept
    assert [set(answers(row).values()) for row in record["items"]] == [{"3"}, {"3"}, {"conversation:1"}]


def test_a_message_whose_connection_breaks_is_said_once(tmp_path, visit):
    page = visit(expected=("ERR_", "fetch"))
    bots = Scripted()
    with stage(interactive(), (), tmp_path, bots=bots) as st:
        start(page, st.link("ann"))
        page.route("**/api/say", lambda route: route.abort("connectionreset"))
        box(page).fill("are you there?")
        box(page).press("Enter")
        page.get_by_role("status").get_by_text("There is no connection to the server").wait_for()
        assert turns(page) == ["You: are you there?"]
        assert page.locator(".turn-note").inner_text() == "Being sent …"
        box(page).fill("written meanwhile")
        box(page).press("Enter")
        page.get_by_text("Wait for Partner 1's answer first").wait_for()
        assert button(page, "Finish this conversation").is_disabled()
        page.reload()  # with the message on its way
        page.locator(".turn-note").wait_for()
        assert box(page).input_value() == "written meanwhile"
        lost = []

        def lose_once(route):  # the server has it, the page never hears so
            if lost:
                return route.continue_()
            lost.append(route.fetch().status)
            return route.abort("connectionreset")

        page.route("**/api/say", lose_once)  # before the other one, which stays: no request gets by in between
        page.locator(".chat-log .turn").nth(1).wait_for(timeout=20_000)
        assert lost == [200]
        assert turns(page) == ["You: are you there?", "Partner 1: you said: are you there?"]
        box(page).press("Enter")
        page.locator(".chat-log .turn").nth(3).wait_for()
        assert turns(page)[2:] == ["You: written meanwhile", "Partner 1: you said: written meanwhile"]


def test_a_partner_that_breaks_off_early_ends_the_task_without_blame(tmp_path, visit):
    page = visit()
    bots = Scripted(lambda question: None if len(question.turns) > 1 else "hi")
    with stage(interactive(), (), tmp_path, bots=bots) as st:
        start(page, st.link("ann"))
        say(page, "hello")
        say(page, "how are you?", answered=False)
        page.get_by_text("This is not your doing").wait_for()
        assert box(page).count() == 0
        assert turns(page) == ["You: hello", "Partner 1: hi", "You: how are you?"]
        page.reload()
        button(page, "End this task").click()
        page.get_by_role("status").get_by_text("That task is ended").wait_for()
        page.get_by_text("Tasks done: 0 of").wait_for()
        assert page.get_by_text("So far you had").count() == 0
        assert st.kept == []
        assert page.evaluate("Object.keys(localStorage).filter(name => name.startsWith('spotbot:unit:'))") == []


@pytest.mark.slow
@pytest.mark.parametrize(("size", "scheme"), [(DESKTOP, "light"), (PHONE, "dark")])
def test_every_screen_of_it_is_accessible(tmp_path, visit, size, scheme):
    page = visit(size, color_scheme=scheme)
    bots = Scripted()

    def check():
        found = [(one["id"], [node["html"] for node in one["nodes"]]) for one in Axe().run(page).response["violations"]]
        assert found == []

    with stage(interactive(), (), tmp_path, bots=bots) as st:
        start(page, st.link("ann"))
        check()
        bots.held = True
        say(page, "hello", answered=False)
        page.wait_for_timeout(300)
        check()
        log = page.get_by_role("log", name="Chat with Partner 1")
        assert re.sub(r"\s+", " ", log.locator("li").first.inner_text()).startswith("You")
        assert log.locator("li .unseen").first.text_content().strip() == "You says"
        bots.release()
        page.locator(".chat-log .turn").nth(1).wait_for()
        say(page, "bye")
        finish(page)
        heading(page, "Rate Partner 1")
        assert page.evaluate("document.activeElement.tagName") == "H1"
        check()
        rate(page, "Partner 1")
        heading(page, "Chat with Partner 2")
        for text in ("hello", "bye"):
            say(page, text)
        finish(page)
        rate(page, "Partner 2")
        heading(page, "Compare the two partners")
        check()
        compare(page, "Neither")
        check()
