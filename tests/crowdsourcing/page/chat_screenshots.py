"""Makes the pictures of the page on which one chats with two partners.

.venv/bin/python tests/crowdsourcing/page/chat_screenshots.py [FOLDER]
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from chat_stage import Scripted, box, chat_stage, compare, enter, interactive, rate, say
from chromium import browser
from screenshots import shoot
from stage import DESKTOP, PHONE, button, heading, page_in

FOLDER = Path(__file__).parents[3] / "crowdsourcing" / "chat" / "screenshots"

SAID = (
    "hi there! i just came home from a long walk along the river",
    "two hours. and then it began to rain, of course",
    "no, i had forgotten it at the office. what do you do when it rains?",
    "the one with the lighthouse? i never got further than the second chapter",
    "alright, i will give it another try tonight",
)
GOOD = (
    "that sounds nice, how long were you out?",
    "oh no. did you at least have an umbrella with you?",
    "mostly i read. right now it's a novel about a man who moves into a lighthouse",
    "the second one is slow, i admit. it gets better as soon as his sister turns up",
    "let me know if you like her. i would pack my bags the moment she rings",
)
POOR = (
    "i love to hike. do you have any pets?",
    "that is great. i have two dogs and no pets.",
    "i work at a bank. what do you do for a living?",
    "i am sorry to hear that. i love to hike.",
    "i do not like to read. i love to read at night.",
)


@contextlib.contextmanager
def staged(bots: Scripted, **rules: object):
    with tempfile.TemporaryDirectory() as place, chat_stage(Path(place), interactive(**rules), bots) as st:
        yield st


def answers(question) -> str:
    """A good partner first, a poor one after it; which is which, the chat's first message tells."""
    lines = POOR if question.turns[0].startswith("hello") else GOOD
    return lines[question.number // 2 % len(lines)]


def the_chat(page, folder: Path, stem: str) -> None:
    """The first screens, and a chat in which an answer is due."""
    bots = Scripted(answers)
    with staged(bots, messages=30, slow_after=1.0) as st:
        page.goto(st.link("ann"))
        heading(page, "Before you begin")
        shoot(page, folder, f"{stem}consent", whole=True)
        button(page, "I agree and want to take part").click()
        heading(page, "What to do")
        shoot(page, folder, f"{stem}instructions", whole=True)
        button(page, "I have understood").click()
        button(page, "Start").click()
        heading(page, "Chat with Partner 1")
        for text in SAID[:3]:
            say(page, text)
        bots.held = True
        say(page, SAID[3], answered=False)
        box(page).fill("i mean the novel")
        shoot(page, folder, f"{stem}chat")
        page.get_by_text("takes longer than usual").wait_for()
        shoot(page, folder, f"{stem}slow")


def the_rest(page, folder: Path, stem: str) -> None:
    """The rating, the comparison, the overview."""
    with staged(Scripted(answers), messages=8) as st:
        enter(page, st.link("bob"))
        for text in SAID:
            say(page, text)
        button(page, "Finish this conversation").click()
        heading(page, "Rate Partner 1")
        page.locator("[data-question]").nth(0).locator(".option").nth(3).click()
        shoot(page, folder, f"{stem}rate")
        rate(page, "Partner 1", "4")
        for text in ("hello, how was your day?", *SAID[1:]):
            say(page, text)
        button(page, "Finish this conversation").click()
        rate(page, "Partner 2", "2")
        heading(page, "Compare the two partners")
        page.locator("[data-question]").nth(0).locator(".option").first.click()
        shoot(page, folder, f"{stem}compare")
        compare(page, "Partner 1")
        shoot(page, folder, f"{stem}overview", whole=True)


def main(folder: Path) -> None:
    """On a desktop in daylight, and on a phone at night."""
    folder.mkdir(parents=True, exist_ok=True)
    with browser() as found:
        for stem, size, colours in (("", DESKTOP, "light"), ("phone-", PHONE, "dark")):
            touch = size is PHONE
            for part in (the_chat, the_rest):
                page = page_in(found, size, color_scheme=colours, has_touch=touch, is_mobile=touch)
                part(page, folder, stem)
                print(stem or "desktop", page.said or "no complaints")
                page.context.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER)
