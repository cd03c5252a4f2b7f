"""Renders the pictures of the annotation page in the READMEs.

.venv/bin/python -m tests.crowdsourcing.page.screenshots
"""

import contextlib
import io
import tempfile
from pathlib import Path

from PIL import Image

from parlai_spotbot.surveys import get_survey
from tests.chromium import browser
from tests.crowdsourcing.page.stage import (
    DESKTOP,
    PHONE,
    TALKS,
    Scripted,
    bare,
    box,
    following,
    heading,
    interactive,
    item,
    judged_item,
    page_in,
    pair_item,
    say,
    stage,
    start,
)

ROOM = Path(__file__).parents[3] / "crowdsourcing"
SPOT, GAME = "spot_the_bot", "spot_the_bot_game"
ITEMS = [item(number, talk) for number, talk in enumerate(TALKS)]
WHOLE = {
    "acute_eval": pair_item(0, (TALKS[0], TALKS[1]), (1, 1), ("engagingness", "reason")),
    "comparative": pair_item(0, (TALKS[2], TALKS[1]), (1, 1)),
    "dialogue_likert": judged_item(0, TALKS[1], 1),
    "phone-turn_likert": judged_item(0, TALKS[1], 1, ("relevance",)),
}


def shoot(page, folder: Path, name: str, whole: bool = False, colours: int = 64) -> None:
    """A picture of what is in view, or of the whole page, in so many colours."""
    page.mouse.move(0, 0)
    picture = Image.open(io.BytesIO(page.screenshot(full_page=whole, animations="disabled"))).convert("RGB")
    picture.quantize(colours, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        folder / f"{name}.png", optimize=True
    )


def choose(page, *places: int) -> None:
    """Choose these options, the first one in the first question."""
    for question, place in zip(page.locator("[data-question]").all(), places, strict=False):
        question.locator(".option").nth(place).click()


def spot_the_bot(page, st, folder: Path, stem: str) -> None:
    def shot(name: str, whole: bool = True) -> None:
        if not stem or name == "step-2":
            shoot(page, folder, f"{stem}{name}", whole)

    page.goto(st.link(stem or "wide"))
    heading(page, "What to do")
    shot("instructions")
    start(page, st.link(stem or "wide"))
    for number in range(len(ITEMS)):
        heading(page, f"Conversation {number + 1} of")
        choose(page, 0)
        if number == 0:
            shot("step-1", False)
        choose(page, 0, number % 2)
        following(page)
        page.get_by_text("Step 2 of 2").wait_for()
        choose(page, 2, 0)
        if number == 0:
            shot("step-2", whole=not stem)
        choose(page, 2, 0, 1)
        following(page)
    heading(page, "Overview")
    shot("overview")


def chat(page, st, bots: Scripted, folder: Path) -> None:
    start(page, st.link("ann"))
    for text in ("hi there! i just came home from a long walk", "two hours. and then it began to rain"):
        say(page, text)
    bots.held = True
    say(page, "no, i had forgotten it at the office. what do you do when it rains?", answered=False)
    box(page).fill("i mean in the evening")
    shoot(page, folder, "chat")


def main() -> None:
    with contextlib.ExitStack() as stack:
        found = stack.enter_context(browser())

        def opened(size=DESKTOP):
            return page_in(found, size, color_scheme="dark" if size is PHONE else "light")

        def staged(make, *args, **more):
            return stack.enter_context(make(*args, Path(stack.enter_context(tempfile.TemporaryDirectory())), **more))

        folder = ROOM / SPOT / "screenshots"
        for stem, size in (("", DESKTOP), ("phone-", PHONE)):
            spot_the_bot(opened(size), staged(stage, bare(get_survey(SPOT)), ITEMS), folder, stem)
        shown = {"game": (GAME, ITEMS[0], folder)}
        shown |= {
            name: (name.removeprefix("phone-"), one, ROOM / "whole_conversations" / "screenshots")
            for name, one in WHOLE.items()
        }
        for name, (survey, one, place) in shown.items():
            page = opened(PHONE if "phone" in name else DESKTOP)
            start(page, staged(stage, bare(get_survey(survey)), [one]).link("ann"))
            choose(page, 1)
            page.evaluate("window.scrollTo(0, 0)")
            shoot(page, place, name, whole=True)
        bots = Scripted(
            lambda request: ("nice, how long were you out?", "oh no, no umbrella?")[len(request.turns) // 2]
        )
        chat(opened(), staged(stage, interactive(30), (), bots=bots), bots, ROOM / "chat" / "screenshots")


if __name__ == "__main__":
    main()
