"""Every layout and kind of question in a real browser; texts that want to be more than text; other languages."""

import pytest
from stage import DESKTOP, MANY, PHONE, SIDES, TALKS, TURNS, bare, button, heading, item, stage

from parlai_spotbot.surveys import get_survey


def start(page, url):
    page.goto(url)
    button(page, "I have understood").click()
    button(page, "Start").click()
    heading(page, "(Conversation|Pair) 1 of")


def group(page, key):
    return page.locator(f'[data-question="{key}"]')


def focused(page):
    return page.evaluate("document.activeElement.closest('[data-question]')?.dataset.question")


def tab_out(page):
    """Press Tab until the next question has the focus."""
    before = focused(page)
    while focused(page) == before:
        page.keyboard.press("Tab")


def hand_in(page):
    heading(page, "Overview")
    button(page, "Hand in").click()
    page.get_by_text("Tasks done: 1 of 3").wait_for()


def answers(row):
    return {f"{a['question']} {a['target']}": a["answer"] for a in row["answers"]}


def test_every_kind_of_question(tmp_path, visit):
    page = visit()
    with stage(bare(MANY), [item(0, TALKS[0])], tmp_path) as st:
        start(page, st.link("ann"))
        names = {
            key: page.locator(f'[data-question="nature {key}"] legend').inner_text() for key in ("entity:0", "entity:1")
        }
        group(page, "nature entity:0").get_by_role("radio", name="Human").check()
        assert group(page, "why entity:0").count() == 0
        group(page, "nature entity:1").get_by_role("radio", name="Bot").check()
        why = group(page, "why entity:1").get_by_role("textbox")
        button(page, "Continue").click()
        group(page, "why entity:1").get_by_text("Please answer this question").wait_for()
        assert why.evaluate("box => box === document.activeElement")
        why.fill("it <i>repeats</i> 🤖")
        button(page, "Continue").click()
        page.get_by_text("Step 2 of 2").wait_for()
        group(page, "liking entity:0").locator(".option", has_text="4").click()
        group(page, "liking entity:1").locator(".option", has_text="1").click()
        group(page, "faults pair").get_by_label("Contradicts").check()
        group(page, "faults pair").get_by_label("Ignores").check()
        group(page, "faults pair").get_by_label("Contradicts").uncheck()
        group(page, "faults pair").get_by_label("Repeats").check()
        order = group(page, "order pair")
        order.get_by_role("button", name="Specific").click()
        button(page, "To the overview").click()
        order.get_by_text("Please put all of them in order").wait_for()
        order.get_by_role("button", name="Fluent").first.click()
        order.get_by_role("button", name="Sensible").first.click()
        order.get_by_role("button", name="Move Sensible up").click()
        page.reload()
        order.locator("li .text").first.wait_for()  # the page asks the server first
        assert order.locator("li .text").all_inner_texts() == ["Specific", "Sensible", "Fluent"]
        button(page, "To the overview").click()
        page.get_by_text("it <i>repeats</i> 🤖").wait_for()
        hand_in(page)
        (record,) = st.kept
    assert set(names.values()) == {"Is Entity A a human or a bot?", "Is Entity B a human or a bot?"}
    assert answers(record["items"][0]) == {
        "nature entity:0": "human",
        "nature entity:1": "bot",
        "why entity:1": "it <i>repeats</i> 🤖",
        "liking entity:0": "4",
        "liking entity:1": "1",
        "faults pair": ["repeats", "ignores"],
        "order pair": ["specific", "sensible", "fluent"],
    }


def test_a_dropped_condition_takes_its_answer_along_and_numbers_do_for_every_kind(tmp_path, visit):
    page = visit()
    with stage(bare(MANY), [item(0, TALKS[0])], tmp_path) as st:
        start(page, st.link("ann"))
        page.keyboard.press("2")  # a bot
        group(page, "why entity:0").or_(group(page, "why entity:1")).get_by_role("textbox").first.fill("2 things: 1, 2")
        for key in ("entity:0", "entity:1"):
            group(page, f"nature {key}").get_by_role("radio", name="Unsure").check()
        button(page, "Continue").click()
        page.get_by_text("Step 2 of 2").wait_for()
        for key in ("3", "3", "2", "2", "1", "3"):  # two scales, a box, then the order
            page.keyboard.press(key)
            page.wait_for_timeout(50)
            if focused(page) == "faults pair" and page.locator("[value=contradicts]").is_checked():
                tab_out(page)
        button(page, "To the overview").click()
        hand_in(page)
        (record,) = st.kept
    assert answers(record["items"][0]) == {
        "nature entity:0": "unsure",
        "nature entity:1": "unsure",
        "liking entity:0": "3",
        "liking entity:1": "3",
        "faults pair": ["contradicts"],
        "order pair": ["sensible", "fluent", "specific"],
    }


def test_turn_by_turn_shows_no_later_turn(tmp_path, visit):
    page = visit()
    with stage(bare(TURNS), [item(0, TALKS[0][:4])], tmp_path) as st:
        start(page, st.link("ann"))
        for turn in range(4):
            page.locator(".step-heading", has_text=f"Turn {turn + 1}").wait_for()
            assert page.locator(".turn").count() == turn + 1
            assert page.locator(".turn.marked").inner_text().endswith(TALKS[0][turn])
            page.keyboard.press("1" if turn == 2 else "2")
            if turn == 2:
                group(page, "how turn:2").get_by_label("Contradicts").check()
            page.keyboard.press("Enter")
        page.get_by_text("Step 5 of 5").wait_for()
        button(page, "Back").click()
        page.locator(".step-heading", has_text="Turn 4").wait_for()
        page.get_by_role("radio", name="No").focus()
        page.keyboard.press("Enter")
        page.get_by_role("radio", name="Good").check()
        button(page, "To the overview").click()
        hand_in(page)
        (record,) = st.kept
    assert answers(record["items"][0]) == {
        "odd turn:0": "no",
        "odd turn:1": "no",
        "odd turn:2": "yes",
        "odd turn:3": "no",
        "how turn:2": ["contradicts"],
        "overall pair": "good",
    }


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_side_by_side(tmp_path, visit, size):
    page = visit(size)
    with stage(bare(SIDES), [item(0, TALKS[0], [TALKS[1]])], tmp_path) as st:
        start(page, st.link("ann"))
        left, right = page.locator(".transcript").all()
        assert [left.get_by_role("heading").inner_text(), right.get_by_role("heading").inner_text()] == [
            "Conversation A",
            "Conversation B",
        ]
        beside = left.bounding_box()["y"] == right.bounding_box()["y"]
        assert beside == (size is not PHONE)
        on_the_right = 0 if TALKS[0][0] in right.inner_text() else 1
        group(page, "better pair").get_by_role("radio", name="Conversation B").check()
        for place, label in enumerate(("Fair", "Good")):
            page.locator('[data-question^="good "]').nth(place).get_by_role("radio", name=label).check()
        button(page, "To the overview").click()
        page.get_by_text("Conversation B: Good").wait_for()
        hand_in(page)
        (record,) = st.kept
    assert answers(record["items"][0]) == {
        "better pair": f"conversation:{on_the_right}",
        f"good conversation:{1 - on_the_right}": "fair",
        f"good conversation:{on_the_right}": "good",
    }


HOSTILE = (
    '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 2">',
    "\u202eright to left \u2067 and never back",
    "a" * 10_000,
    "🧑‍🚀" * 200 + " שלום مرحبا Z̷̡̢̛̗̘̙̜̝̞̟̠͇̊̋̌̍̎̏̿̿̿̚͠a̸l̷g̶o̵",
    "line one\nline two\n\n   spaces   kept {entity} {{7*7}} &amp; %s",
    "javascript:alert(1) http://example.org \x00\u0007 end",
)


@pytest.mark.parametrize("width", [360, 1280])
def test_text_is_text_and_stays_in_its_place(tmp_path, visit, width):
    page = visit({"width": width, "height": 800})
    page.on("dialog", lambda dialog: pytest.fail("a dialogue came up"))
    with stage(bare(get_survey("spot_the_bot")), [item(0, HOSTILE)], tmp_path) as st:
        start(page, st.link("ann"))
        shown = page.locator(".bubble").evaluate_all("all => all.map(one => one.textContent)")
        assert [text.replace("\x00", "\ufffd") for text in shown] == [
            text.replace("\x00", "\ufffd") for text in HOSTILE
        ]
        assert page.evaluate("window.hacked") is None
        assert page.locator(".bubble *").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        for bubble in page.locator(".bubble").all():
            box, frame = bubble.bounding_box(), page.locator(".transcript").bounding_box()
            assert frame["x"] <= box["x"]
            assert box["x"] + box["width"] <= frame["x"] + frame["width"]
        who = page.locator(".who").all_inner_texts()
        assert set(who) == {"Entity A", "Entity B"}


def test_the_servers_words_go_before_the_pages_own(tmp_path, visit):
    page = visit()
    texts = {"ready_start": "<b>ابدأ</b>", "direction": "rtl", "says": "{entity} sagt"}
    with stage(bare(MANY), [item(0, TALKS[0])], tmp_path, texts=texts, language="ar") as st:
        page.goto(st.link("ann"))
        button(page, "I have understood").click()
        button(page, "<b>ابدأ</b>").click()
        heading(page, "(Conversation|Pair) 1 of")
        assert page.evaluate("[document.documentElement.lang, document.documentElement.dir]") == ["ar", "rtl"]
        assert page.get_by_role("listitem").first.get_by_text("sagt").count() == 1
