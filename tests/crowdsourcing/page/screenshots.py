"""Makes the pictures of the annotation page again: every step of a task of Spot The Bot, the game, an item of each
survey of whole conversations, and the training and a task of ABC-Eval.

.venv/bin/python tests/crowdsourcing/page/screenshots.py [FOLDER]
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[2]))

from chromium import browser
from stage import DESKTOP, PHONE, TALKS, bare, button, heading, item, judged_item, page_in, pair_item, stage
from trained import key_of_gold

from parlai_spotbot.crowdsourcing.desk.training import course_of
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.abc_eval.labels import QUESTIONS

FOLDER = Path(__file__).parents[3] / "crowdsourcing" / "spot_the_bot" / "screenshots"
WHOLE = FOLDER.parents[1] / "whole_conversations" / "screenshots"
TASKS = FOLDER.parents[1] / "abc_eval" / "screenshots"
SHOWN = {
    "acute_eval": pair_item(0, (TALKS[0], TALKS[1]), (1, 1), ("engagingness", "reason")),
    "comparative": pair_item(0, (TALKS[2], TALKS[1]), (1, 1)),
    "dialogue_likert": judged_item(0, TALKS[1], 1),
    "turn_likert": judged_item(0, TALKS[1], 1, ("relevance",)),
}
ITEMS = [item(number, talk) for number, talk in enumerate(TALKS)]


def shoot(page, folder: Path, name: str, whole: bool = False, colours: int = 64) -> None:
    """A picture of what is in view, or of the whole page, in so many colours."""
    page.mouse.move(0, 0)
    picture = Image.open(io.BytesIO(page.screenshot(full_page=whole, animations="disabled"))).convert("RGB")
    picture.quantize(colours, dither=Image.Dither.NONE).save(folder / f"{name}.png", optimize=True)


def choose(page, group: int, label: str) -> None:
    """Choose an answer in the question of this number on the page."""
    page.locator("[data-question]").nth(group).locator(".option", has_text=label).first.click()


def practise(page, folder: Path | None = None, stem: str = "") -> None:
    """Answer the exercises any way, and look at the marks."""
    for number in range(page.practice):
        heading(page, f"Exercise {number + 1} of")
        if number == 0:
            choose(page, 0, "Human")
            if folder:
                shoot(page, folder, f"{stem}onboarding")
        while True:
            for group in range(page.locator("[data-question]").count()):
                if page.locator("[data-question]").nth(group).get_attribute("data-answered") != "true":
                    page.locator("[data-question]").nth(group).locator(".option").nth(1).click()
            following = page.locator(".panel .actions .primary")
            said = following.inner_text()
            step = page.locator(".step-heading").inner_text()
            following.click()
            if said != "Continue" or not step.startswith("Step 1 of 2"):
                break
    heading(page, "Practice")
    if folder:
        shoot(page, folder, f"{stem}onboarding-marks", whole=True)


def spot_the_bot(page, url: str, folder: Path, stem: str) -> None:
    """From the link to the thanks."""
    page.goto(url)
    heading(page, "Before you begin")
    shoot(page, folder, f"{stem}consent", whole=True)
    button(page, "I agree and want to take part").click()
    heading(page, "What to do")
    shoot(page, folder, f"{stem}instructions", whole=True)
    button(page, "I have understood").click()
    practise(page, folder, stem)
    button(page, "Go on").click()
    heading(page, "Ready")
    shoot(page, folder, f"{stem}ready")
    button(page, "Start").click()
    for number in range(len(ITEMS)):
        heading(page, f"Conversation {number + 1} of")
        choose(page, 0, "Human")
        if number == 0:
            shoot(page, folder, f"{stem}step-1", whole=stem.startswith("phone"))
        choose(page, 1, "Human" if number % 2 == 0 else "Bot")
        button(page, "Continue").click()
        page.get_by_text("Step 2 of 2").wait_for()
        choose(page, 0, "Entity A")
        choose(page, 1, "No difference")
        if number == 0:
            shoot(page, folder, f"{stem}step-2", whole=stem.startswith("phone"))
        choose(page, 2, "Entity B")
        page.locator(".panel .actions .primary").click()
    heading(page, "Overview")
    page.get_by_label("Comment").fill("The third conversation was fun to read.")
    shoot(page, folder, f"{stem}overview", whole=True)
    button(page, "Hand in").click()
    heading(page, "Thank you")
    shoot(page, folder, f"{stem}thank-you")


def game(page, url: str, folder: Path, stem: str) -> None:
    """One dialogue of the game, opened twice."""
    page.goto(url)
    heading(page, "What to do")
    button(page, "I have understood").click()
    heading(page, "Ready")
    button(page, "Start").click()
    heading(page, "Conversation 1 of")
    page.get_by_role("button", name="Open the next exchange").click()
    page.get_by_text("Exchanges opened: 2").wait_for()
    choose(page, 0, "Human")
    page.locator(".decide").first.click()
    page.locator(".decided").wait_for()
    choose(page, 0, "Bot")
    shoot(page, folder, f"{stem}game", whole=stem.startswith("phone"))


def whole(page, url: str, folder: Path, name: str) -> None:
    """The first item of a survey of whole conversations, with the first question answered."""
    page.goto(url)
    heading(page, "What to do")
    button(page, "I have understood").click()
    button(page, "Start").click()
    heading(page, "(Conversation|Pair) 1 of")
    page.locator(".option").nth(1).click()
    page.evaluate("window.scrollTo(0, 0)")
    shoot(page, folder, name, whole=True)


def abc_eval(page, url: str, survey, folder: Path, stem: str) -> None:
    """A round of the training with two mistakes, its result, the definitions, and a look-up."""
    page.goto(url)
    heading(page, "What to do")
    button(page, "I have understood").click()
    gold = course_of(survey)[0][0]
    answer = key_of_gold(gold, {3, 4})
    for place in range(len(gold.bot_turns)):
        page.locator(".step-heading", has_text=f"Turn {place + 1} of").wait_for()
        if place == 4:
            page.keyboard.press("1")
            page.keyboard.press("4")
            shoot(page, folder, f"{stem}look-up", whole=bool(stem))
            page.keyboard.press("d")
            page.get_by_role("dialog").wait_for()
            shoot(page, folder, f"{stem}definitions")
            page.keyboard.press("d")
            page.keyboard.press("4")
        annotate_turn(page, answer)
    heading(page, "the result")
    page.evaluate("document.querySelector('.told.wrong').closest('li').previousElementSibling.scrollIntoView()")
    shoot(page, folder, f"{stem}result")


def annotate_turn(page, answer) -> None:
    """Answer what is open in the turn in hand, and go on."""
    while (left := page.locator('[data-question][data-answered="false"]')).count():
        name, target = left.first.get_attribute("data-question").split(" ")
        left.first.locator(f'.option:has(input[value="{answer(name, target)}"])').click()
    page.locator(".panel .actions .primary").click()


@contextlib.contextmanager
def staged(survey, items=ITEMS, **more):
    """The survey on a stage of its own."""
    with tempfile.TemporaryDirectory() as place, stage(survey, items, Path(place), **more) as st:
        yield st


def main(*folders: Path) -> None:
    """All surveys, on a desktop in daylight, and on a phone at night; a folder for each group of them."""
    folder, others, tasks = folders
    for one in folders:
        one.mkdir(parents=True, exist_ok=True)
    survey = get_survey("spot_the_bot")
    survey = replace(survey, limits=replace(survey.limits, onboarding_mistakes=99))
    code = {"kind": "code", "code": "C1X7-SPOT", "link": "https://example.org/complete"}
    with browser() as found:
        for stem, size, colours in (("", DESKTOP, "light"), ("phone-", PHONE, "dark")):
            page = page_in(found, size, color_scheme=colours, has_touch=size is PHONE, is_mobile=size is PHONE)
            page.practice = len(survey.onboarding[0])
            with staged(survey, number=1, finish=lambda *_: code) as st:
                spot_the_bot(page, st.link("ann"), folder, stem)
            with staged(bare(get_survey("spot_the_bot_game"))) as st:
                game(page, st.link("ann"), folder, stem)
            for name in [name for name in SHOWN if (name == "turn_likert") == bool(stem)]:
                with staged(bare(get_survey(name)), [SHOWN[name]]) as st:
                    whole(page, st.link("ann"), others, f"{stem}{name}")
            task = replace(get_survey("abc_eval").task("knowledge"), consent=())
            with staged(task, [judged_item(0, TALKS[1], 1, QUESTIONS["knowledge"])]) as st:
                abc_eval(page, st.link("ann"), task, tasks, stem)
            print(stem or "desktop", page.said or "no complaints")


if __name__ == "__main__":
    main(*([Path(sys.argv[1])] * 3 if len(sys.argv) > 1 else (FOLDER, WHOLE, TASKS)))
