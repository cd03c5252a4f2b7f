"""Every layout and kind of question in a real browser; texts that want to be more than text; other languages."""

from dataclasses import replace

import pytest

from parlai_spotbot.surveys import get_survey, own_surveys
from tests.crowdsourcing.page.stage import MANY, TALKS, bare, button, heading, item, stage, start
from tests.surveys.test_scales import survey_file


def group(page, key):
    return page.locator(f'[data-question="{key}"]')


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


def test_a_scale_of_many_values_is_a_slider_without_an_answer_before_it_is_used(tmp_path, visit):
    path = survey_file(tmp_path / "warmth.yaml", {"least": 0, "most": 100, "low": "cold", "high": "warm"})
    survey = replace(own_surveys.read_survey(path), layout="dialogue")
    for width in (390, 1280):
        page = visit({"width": width, "height": 800})
        folder = tmp_path / str(width)
        folder.mkdir()
        with stage(bare(survey), [item(0, TALKS[0])], folder) as st:
            start(page, st.link("ann"))
            button(page, "To the overview").click()
            group(page, "warm entity:0").get_by_text("Please answer this question").wait_for()
            first, second = (group(page, f"warm entity:{entity}") for entity in (0, 1))
            assert first.get_by_text("no answer").count() == 1
            assert first.locator(".ends").inner_text().split("\n") == ["0 – cold", "100 – warm"]
            slider = first.get_by_role("slider")
            slider.focus()
            page.keyboard.press("Enter")
            assert first.locator("output").inner_text() == "50"
            page.keyboard.press("ArrowRight")
            assert first.locator("output").inner_text() == "51"
            second.get_by_role("slider").click()
            assert second.locator("output").inner_text() == "50"
            page.reload()
            assert first.locator("output").inner_text() == "51"
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            button(page, "To the overview").click()
            hand_in(page)
            (record,) = st.kept
        assert answers(record["items"][0]) == {"warm entity:0": "51", "warm entity:1": "50"}


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
