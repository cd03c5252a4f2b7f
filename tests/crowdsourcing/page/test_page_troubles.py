"""What goes wrong around a person who annotates: lost connections, a full disk, a browser that keeps nothing, impatient
clicks, time that is over, wrong links; and contrasts, names and the focus, without which some can't work at all.
"""

import json
import re

import pytest
import yaml

from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.crowdsourcing.ledger.entries import PracticeAttempt
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.survey import Option, Question, Survey
from tests.crowdsourcing.office import Clock
from tests.crowdsourcing.page.stage import DESKTOP, PHONE, TALKS, bare, button, heading, item, stage, start

ONE = Survey(
    "one",
    "One question",
    "Answer.",
    (Question("odd", "choice", ("pair",), "Is it odd?", (Option("yes", "Yes"), Option("no", "No"))),),
)
ITEMS = [item(number, talk) for number, talk in enumerate(TALKS[:2])]


def to_overview(page):
    for number in (1, 2):
        heading(page, f"Conversation {number} of 2")
        page.get_by_role("radio", name="Yes").check()
        page.locator(".panel .actions .primary").click()
    heading(page, "Overview")


def test_a_lost_connection_and_a_full_disk_are_told_and_outlasted(tmp_path, visit):
    page = visit(expected=("ERR_", "503"))
    with stage(bare(ONE), ITEMS, tmp_path) as st:
        start(page, st.link("ann"))
        to_overview(page)
        failing = iter(["lost", "full"])
        take, bodies = st.server.desk.submit, []

        def route(one):
            bodies.append(one.request.post_data)
            one.abort("connectionreset") if next(failing, None) == "lost" else one.continue_()

        def full_once(visitor, body):
            if len(bodies) == 2:
                raise Refusal(503, "busy", "The disk is full.")
            return take(visitor, body)

        page.route("**/api/submit", route)
        st.server.desk.submit = full_once
        button(page, "Hand in").click()
        lost = page.get_by_role("status").get_by_text("There is no connection to the server")
        lost.wait_for()
        assert "Your answers are kept." in lost.inner_text()
        assert page.get_by_role("button", name="Handing in").is_disabled()
        page.get_by_role("status").get_by_text("The server can't answer right now").wait_for()
        page.get_by_text("Tasks done: 1 of 3").wait_for()
        assert len(st.kept) == 1
        assert len(bodies) == 3
        assert len(set(bodies)) == 1


def test_without_a_connection_nothing_is_said_to_be_kept_where_nothing_was_answered(tmp_path, visit):
    page = visit(expected=("ERR_",))
    with stage(bare(ONE), ITEMS, tmp_path) as st:
        page.route("**/api/**", lambda one: one.abort("connectionreset"))
        page.goto(st.link("ann"))
        page.get_by_text("There is no connection to the server").wait_for()
        assert page.get_by_text("kept").count() == 0


BLOCKED = """for (const name of ['localStorage', 'sessionStorage'])
  Object.defineProperty(window, name, { get() { throw new DOMException('', 'SecurityError') } })"""


def test_a_browser_that_keeps_nothing_is_told_and_still_good_enough(tmp_path, visit):
    page = visit()
    page.add_init_script(BLOCKED)
    with stage(bare(ONE), ITEMS, tmp_path) as st:
        start(page, st.link("ann"))
        page.get_by_role("radio", name="Yes").check()
        page.get_by_text("This browser keeps nothing for this page").wait_for()
        to_overview(page)
        button(page, "Hand in").click()
        page.get_by_text("Tasks done: 1 of 3").wait_for()
        assert len(st.kept) == 1


def test_time_that_is_short_and_time_that_is_over(tmp_path, visit):
    page, clock = visit(expected=("410",)), Clock()
    with stage(bare(ONE, minutes_per_unit=60), ITEMS, tmp_path, clock=clock) as st:
        start(page, st.link("ann"))
        assert page.get_by_text("Time left").count() == 0
        clock.pass_by(54.5 * 60)
        page.reload()
        page.get_by_text("Time left: 6 min").wait_for()
        to_overview(page)
        clock.pass_by(20 * 60)
        button(page, "Hand in").click()
        heading(page, "Too late")
        assert page.get_by_text("Time left").count() == 0
        assert page.locator("main").inner_text().count("The time for this task") == 1
        assert st.kept == []
        clock.pass_by(1)
        st.server.intake.call(st.server.desk.expire)
        button(page, "Go on").click()
        heading(page, "Ready")


def test_a_wrong_link_opens_nothing_and_says_so(tmp_path, visit):
    page = visit(expected=("403",))
    with stage(bare(ONE), ITEMS, tmp_path) as st:
        page.goto(f"{st.url}/?worker_id=ann&t=forged")
        heading(page, "This link does not open anything")


FINISHES = {
    "code": {"kind": "code", "code": "C0DE-<b>", "link": "https://platform.example/complete?cc=1"},
    "mturk": {
        "kind": "mturk",
        "action": "https://workersandbox.mturk.com/mturk/externalSubmit",
        "fields": {"assignmentId": "A1", "done": 1},
    },
}


@pytest.mark.slow
def test_the_ways_to_finish(tmp_path, visit):
    for name, finish in FINISHES.items():
        page = visit(permissions=["clipboard-read", "clipboard-write"])
        with stage(
            bare(ONE, units_per_annotator=1), ITEMS, tmp_path / name, finish=lambda *_, finish=finish: finish
        ) as st:
            start(page, st.link("ann"))
            to_overview(page)
            button(page, "Hand in").click()
            heading(page, "Thank you")
            if name == "mturk":
                form = page.locator("form.finish")
                assert (form.get_attribute("method"), form.get_attribute("action")) == ("post", finish["action"])
                sent = form.evaluate("one => Object.fromEntries(new FormData(one))")
                assert sent == {"assignmentId": "A1", "done": "1"}
                button(page, "Finish on Mechanical Turk").wait_for()
                continue
            button(page, "Copy the code").click()
            page.get_by_text("The code is copied").wait_for()
            assert page.evaluate("navigator.clipboard.readText()") == finish["code"]
            assert page.get_by_role("link").last.get_attribute("href") == finish["link"]


@pytest.mark.parametrize("handed_in", [0, 1])
def test_the_end_thanks_first_and_says_that_answers_are_stored_where_there_are_some(tmp_path, visit, handed_in):
    page = visit()
    with stage(bare(ONE), ITEMS, tmp_path) as st:
        for _ in range(handed_in):
            start(page, st.link("ann"))
            to_overview(page)
            button(page, "Hand in").click()
            heading(page, "Thank you")
        ledger = st.server.desk.ledger
        failed = PracticeAttempt("ann", 0, {}, 1, False, 9.0)
        st.server.intake.call(lambda: ledger.practise(failed, "stopped", "onboarding"))
        page.goto(st.link("ann"))
        heading(page, "Thank you")
        text = page.locator("main").inner_text()
        assert text.startswith("Thank you\n" if handed_in else "Thank you for your time\n")
        assert ("stored" in text) == bool(handed_in)
        assert text.count("no tasks for you") == 1
        assert not re.search("can't go on|Tasks done|is kept", text)


CONTRASTS = """() => {
  const style = getComputedStyle(document.documentElement);
  const light = (name) => {
    const hex = style.getPropertyValue(name).trim();
    const parts = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  return PAIRS.map(([a, b]) => [a, b, ratio(a, b)]);
}"""
TEXT = yaml.safe_load("""
- ['--ink', '--ground']
- ['--ink', '--paper']
- ['--soft', '--paper']
- ['--soft', '--ground']
- ['--ink', '--left']
- ['--right-ink', '--right']
- ['--accent-ink', '--accent']
- ['--accent', '--paper']
- ['--good', '--good-wash']
- ['--bad', '--bad-wash']
- ['--bad', '--paper']
- ['--warn-ink', '--warn-wash']
- ['--ink', '--accent-wash']
- ['--good', '--paper']
- ['--soft', '--accent-wash']
""")
EDGES = [("--strong-line", "--paper"), ("--accent", "--paper"), ("--accent", "--ground")]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrasts_and_names(tmp_path, visit, scheme):
    page = visit(PHONE if scheme == "dark" else DESKTOP, color_scheme=scheme)
    with stage(bare(get_survey("spot_the_bot")), ITEMS, tmp_path) as st:
        start(page, st.link("ann"))
        found = page.evaluate(CONTRASTS.replace("PAIRS", json.dumps(TEXT + EDGES)))
        assert [pair for pair in found[: len(TEXT)] if pair[2] < 4.5] == []
        assert [pair for pair in found[len(TEXT) :] if pair[2] < 3] == []
        tree = page.locator("body").aria_snapshot()
        assert re.search(r"radiogroup \"Is Entity [AB] a human or a bot\?\"", tree)
        assert 'heading "Conversation 1 of 2" [level=1]' in tree
        for role in ("banner", "main", "progressbar", "list"):
            assert re.search(rf"- '?{role}\b", tree)
        assert "Entity A says" in tree
        assert not re.search(r"- (button|radio|textbox|checkbox|link)\s*(\[|:|$)", tree, re.M)  # none without a name
