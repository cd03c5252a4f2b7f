"""The real server, desk and chats for a page in which one chats, with partners that say what a test wants, and when it
wants it; and a person who does a unit by hand.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue

from office import SECRET, MemoryCrowd
from stage import PAGE, Stage, button, heading

from parlai_spotbot.crowdsourcing.chat.bots import TurnReply, TurnRequest
from parlai_spotbot.crowdsourcing.chat.chat_ledger import ChatLedger
from parlai_spotbot.crowdsourcing.desk.desk import Desk
from parlai_spotbot.crowdsourcing.desk.desk_inputs import DeskMaterial, DeskRecords, PageWords, Participants
from parlai_spotbot.crowdsourcing.platforms.sign_in import InHouseDoor
from parlai_spotbot.crowdsourcing.server.page_server import PageServer, ServerOptions
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.packing.partners import partner_units
from parlai_spotbot.surveys.survey import Survey

NAMES = ("secret-bot-1", "secret-bot-2")


def interactive(messages: int = 4, most: int = 100, **rules: object) -> Survey:
    """The survey with short chats that are answered at once."""
    survey = get_survey("interactive")
    rules = {"answer_delay": False, "messages_per_minute": 1000, **rules}
    return replace(survey, chat=replace(survey.chat, messages=messages, most_messages=most, **rules))


def echo(question: TurnRequest) -> str:
    return f"you said: {question.turns[-1]}"


class Scripted:
    """Instead of `Bots`: answers with `said`; what is asked while `held` waits for `release`."""

    def __init__(self, said: Callable[[TurnRequest], str | None] = echo):
        self.said, self.held = said, False
        self._waiting: list[TurnRequest] = []
        self._answers: SimpleQueue[TurnReply] = SimpleQueue()

    def ask(self, question: TurnRequest) -> None:
        self._waiting.append(question)
        if not self.held:
            self.release()

    def release(self) -> None:
        """Answer whatever waits."""
        self.held = False
        while self._waiting:
            question = self._waiting.pop(0)
            text = self.said(question)
            self._answers.put(TurnReply(question, text, () if text is not None else (("crash", "scripted"),)))

    def answers(self) -> list[TurnReply]:
        return [self._answers.get() for _ in range(self._answers.qsize())]

    def forget(self, chat: str) -> None:
        pass

    def set_aside(self) -> dict[str, str]:
        return {}


@contextlib.contextmanager
def chat_stage(
    folder: Path, survey: Survey | None = None, bots: Scripted | None = None, clock: Callable[[], float] = time.time
) -> Iterator[Stage]:
    """Serve one unit of chats with two partners."""
    survey = survey or interactive()
    units = partner_units(survey, NAMES, 2, 0, ())
    consent = {"pay": "5 dollars", "minutes": "90", "contact": "study@example.org", "units": "9"}

    def desk() -> Desk:
        return Desk(
            DeskMaterial(survey, units),
            PageWords(consent=consent),
            Participants(MemoryCrowd(), bots=bots or Scripted()),
            DeskRecords(ChatLedger(folder / "ledger.db"), SECRET, clock),
        )

    with PageServer(desk, InHouseDoor(SECRET), SECRET, ServerOptions(PAGE)) as server:
        yield Stage(server, server.url, folder)


# -- a person --------------------------------------------------------------------------------------------------------
def enter(page, url: str) -> None:
    """From the link to the first chat."""
    page.goto(url)
    button(page, "I agree and want to take part").click()
    button(page, "I have understood").click()
    button(page, "Start").click()
    heading(page, "Chat with Partner 1")


def box(page):
    return page.get_by_role("textbox", name="Your message to")


def turns(page) -> list[str]:
    """What is in the chat, with who says it."""
    return page.locator(".chat-log .turn").evaluate_all(
        "all => all.map(one => one.querySelector('.who').innerText + ': ' + one.querySelector('.bubble').innerText)"
    )


def say(page, text: str, answered: bool = True) -> None:
    """Type a message and send it by Enter; wait for it, and for the answer."""
    before = page.locator(".chat-log .turn").count()
    box(page).fill(text)
    box(page).press("Enter")
    page.locator(".chat-log .turn").nth(before + answered).wait_for()


def rate(page, partner: str, value: str = "4") -> None:
    """Rate every dimension alike and hand in."""
    heading(page, f"Rate {partner}")
    for question in page.locator("[data-question]").all():
        question.locator(".option", has_text=value).first.click()
    button(page, "Hand in these ratings").click()


def compare(page, choice: str) -> None:
    """The same choice everywhere, then to the overview."""
    heading(page, "Compare the two partners")
    for question in page.locator("[data-question]").all():
        question.locator(".option", has_text=choice).click()
    button(page, "To the overview").click()
    heading(page, "Overview")
