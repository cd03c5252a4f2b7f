"""What the browser's tests share: the real server with a real desk on made-up conversations, surveys of every layout
and kind of question, Chromium, and a record of all that the page complains about.
"""

from __future__ import annotations

import contextlib
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from office import SECRET, MemoryCrowd

from parlai_spotbot.crowdsourcing.desk.desk import Desk
from parlai_spotbot.crowdsourcing.desk.desk_inputs import DeskMaterial, DeskRecords, PageWords, Participants, no_finish
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.crowdsourcing.platforms.sign_in import Door, InHouseDoor
from parlai_spotbot.crowdsourcing.server.page_server import PageServer, ServerOptions
from parlai_spotbot.records import Item, Unit, Utterance
from parlai_spotbot.surveys.survey import Condition, Option, Question, Survey

PAGE = Path(__file__).parents[3] / "crowdsourcing" / "webapp" / "build"
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}

TALKS = (
    (
        "hi, how was your weekend ?",
        "pretty good, we drove out to the lake and it rained the whole time. yours ?",
        "ha, sorry about the rain. i helped my sister move into her new flat.",
        "fifth floor and no lift, i bet ?",
        "third, but she owns about four hundred books.",
        "that is a workout. did she at least buy you pizza ?",
    ),
    (
        "do you have any pets ?",
        "i have a dog and a cat . they are my best friends .",
        "what are their names ?",
        "i like to go hiking with my friends .",
        "no, i mean the names of your pets.",
        "i have a dog and a cat . they are my best friends .",
    ),
    (
        "what do you do for a living ?",
        "i bake bread, so i get up at three every morning.",
        "that is early ! do you sleep in the afternoon ?",
        "i do. my kids think it is hilarious.",
        "how many kids do you have ?",
        "two, and both of them hate bread, if you can believe it.",
    ),
    (
        "i am so nervous about tomorrow.",
        "oh no, what is happening tomorrow ?",
        "my driving test, the third time.",
        "i think that is great . what do you do for work ?",
        "er, i just said that i am nervous ...",
        "i think that is great . i love to travel .",
    ),
)


def item(number: int, texts: Sequence[str], more: Sequence[Sequence[str]] = ()) -> Item:
    """An item that shows `texts` as one conversation, or with `more` several."""
    shown = tuple(tuple(Utterance(turn % 2, text) for turn, text in enumerate(said)) for said in (texts, *more))
    ids = tuple(f"secret-conversation-{number}-{part}" for part in range(len(shown)))
    return Item(f"secret-item-{number}", ids, len(texts) // 2, shown)


def judged_item(number: int, texts: Sequence[str], judged: int, questions: Sequence[str] = ()) -> Item:
    """An item of one conversation of which one speaker is judged."""
    return replace(item(number, texts), judged=(judged,), questions=tuple(questions))


def pair_item(number: int, texts: Sequence[Sequence[str]], judged: Sequence[int], questions: Sequence[str] = ()):
    """An item of two conversations, in each of which one speaker is judged."""
    return replace(item(number, texts[0], texts[1:]), judged=tuple(judged), questions=tuple(questions))


def units_of(survey: Survey, items: Sequence[Item], units: int) -> list[Unit]:
    """As many units, of different conversations."""
    made = []
    for number in range(units):
        renamed = tuple(
            replace(
                one,
                item_id=f"{one.item_id}-{number}",
                conversation_ids=tuple(f"{name}-{number}" for name in one.conversation_ids),
            )
            for one in items
        )
        made.append(Unit(f"secret-unit-{number}", survey.name, f"block-{number}", 0, 0, renamed))
    return made


def options(*values: str) -> tuple[Option, ...]:
    return tuple(Option(value, value.replace("_", " ").capitalize(), f"What {value} means.") for value in values)


BOTH = ("entity:0", "entity:1")
MANY = Survey(
    name="many_kinds",
    title="Every kind of question",
    instructions="Answer.",
    questions=(
        Question("nature", "choice", BOTH, "Is {entity} a human or a bot?", options("human", "bot", "unsure")),
        Question(
            "why", "free_text", BOTH, "What gave {entity} away?", when=(Condition("nature", ("bot",)),), heading="Why"
        ),
        Question(
            "liking",
            "scale",
            BOTH,
            "How much do you like {entity}?",
            options("1", "2", "3", "4", "5"),
            after=("nature",),
            heading="Liking",
        ),
        Question(
            "faults",
            "checkboxes",
            ("pair",),
            "What is wrong?",
            options("repeats", "contradicts", "ignores"),
            after=("nature",),
            heading="Faults",
        ),
        Question(
            "order",
            "ranking",
            ("pair",),
            "Order these.",
            options("fluent", "sensible", "specific"),
            after=("nature",),
            heading="Order",
        ),
        Question("else", "free_text", ("pair",), "Anything else?", required=False, after=("nature",), heading="Else"),
    ),
)
TURNS = Survey(
    name="turns",
    title="Turn by turn",
    instructions="Answer.",
    layout="turn_by_turn",
    questions=(
        Question("odd", "choice", ("turn",), "Is this turn of {entity} odd?", options("yes", "no"), heading="Odd"),
        Question(
            "how",
            "checkboxes",
            ("turn",),
            "In which way?",
            options("repeats", "contradicts"),
            when=(Condition("odd", ("yes",)),),
            heading="How",
        ),
        Question(
            "overall",
            "scale",
            ("pair",),
            "How good is it overall?",
            options("bad", "fair", "good"),
            after=("odd",),
            heading="Overall",
        ),
    ),
)
SIDES = Survey(
    name="sides",
    title="Side by side",
    instructions="Answer.",
    layout="side_by_side",
    questions=(
        Question(
            "better",
            "choice",
            ("pair",),
            "Which is better?",
            (Option("conversation:0", "0"), Option("conversation:1", "1")),
            heading="Better",
        ),
        Question(
            "good",
            "scale",
            ("conversation:0", "conversation:1"),
            "How good is it?",
            options("bad", "fair", "good"),
            heading="Good",
        ),
    ),
)


def bare(survey: Survey, **limits: object) -> Survey:
    """The survey without consent and onboarding."""
    return replace(survey, consent=(), onboarding=(), limits=replace(survey.limits, **limits))


@dataclass
class Stage:
    """A server that runs, and its parts."""

    server: PageServer
    url: str
    folder: Path

    def link(self, worker: str) -> str:
        return f"{self.url}/?t={tokens.sign(SECRET, tokens.LINK, {'worker': worker})}"

    @property
    def kept(self) -> list[dict]:
        """The submissions that the ledger holds."""
        return [submission.record for submission in self.server.call(lambda: self.server.desk.ledger.submissions())]


@contextlib.contextmanager
def stage(
    survey: Survey,
    items: Sequence[Item],
    folder: Path,
    *,
    door: Door | None = None,
    number: int = 3,
    finish: Callable = no_finish,
    clock: Callable[[], float] = time.time,
    **words,
) -> Iterator[Stage]:
    """Serve a survey on `number` units of these items; `words` are those of the page."""
    units = units_of(survey, items, number)
    names = [name for unit in units for one in unit.items for name in one.conversation_ids]
    consent = {"pay": "2.50 dollars", "minutes": "60", "contact": "study@example.org", "units": "3"}

    def desk() -> Desk:
        return Desk(
            DeskMaterial(survey, units, truths=dict.fromkeys(names, ("human", "bot"))),
            PageWords(consent=consent, **words),
            Participants(MemoryCrowd(), finish),
            DeskRecords(Ledger(folder / "ledger.db"), SECRET, clock),
        )

    with PageServer(desk, door or InHouseDoor(SECRET), SECRET, ServerOptions(PAGE)) as server:
        yield Stage(server, server.url, folder)


def page_in(browser, size=DESKTOP, **context):
    """A page in a context of its own, which notes errors and whatever the security policy refused."""
    page = browser.new_context(viewport=size, **context).new_page()
    page.set_default_timeout(10_000)
    page.said = []
    page.on("console", lambda message: page.said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: page.said.append(str(error)))
    return page


def heading(page, pattern: str):
    """Wait for the heading of a screen."""
    page.get_by_role("heading", name=re.compile(pattern)).first.wait_for()


def button(page, name: str):
    return page.get_by_role("button", name=name, exact=True)
