"""Helpers of the browser's tests: the real server and desk on made-up conversations, a survey with every kind of
question, partners that say what a test wants, Chromium, and a record of all that the page complains about.
"""

import contextlib
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue

import yaml

from parlai_spotbot.crowdsourcing.chat.bots import TurnReply, TurnRequest
from parlai_spotbot.crowdsourcing.chat.chat_ledger import ChatLedger
from parlai_spotbot.crowdsourcing.desk.desk import Desk
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.crowdsourcing.platforms.in_house import InHouseDoor
from parlai_spotbot.crowdsourcing.platforms.sign_in import Door
from parlai_spotbot.crowdsourcing.server.page_server import PageServer, PageServerOptions
from parlai_spotbot.records import Item, Unit, Utterance
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.packing.partners import partner_units
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.user_files import read_file
from tests.crowdsourcing import picking
from tests.crowdsourcing.office import SECRET, desk_of

PAGE = Path(__file__).parents[3] / "crowdsourcing" / "webapp" / "build"
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 390, "height": 844}

TALKS = yaml.safe_load("""
- - 'hi, how was your weekend ?'
  - 'pretty good, we drove out to the lake and it rained the whole time. yours ?'
  - 'ha, sorry about the rain. i helped my sister move into her new flat.'
  - 'fifth floor and no lift, i bet ?'
  - 'third, but she owns about four hundred books.'
  - 'that is a workout. did she at least buy you pizza ?'
- - 'do you have any pets ?'
  - i have a dog and a cat . they are my best friends .
  - 'what are their names ?'
  - i like to go hiking with my friends .
  - 'no, i mean the names of your pets.'
  - i have a dog and a cat . they are my best friends .
- - 'what do you do for a living ?'
  - 'i bake bread, so i get up at three every morning.'
  - 'that is early ! do you sleep in the afternoon ?'
  - i do. my kids think it is hilarious.
  - 'how many kids do you have ?'
  - 'two, and both of them hate bread, if you can believe it.'
- - i am so nervous about tomorrow.
  - 'oh no, what is happening tomorrow ?'
  - 'my driving test, the third time.'
  - 'i think that is great . what do you do for work ?'
  - 'er, i just said that i am nervous ...'
  - i think that is great . i love to travel .
""")


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


def bare(survey: Survey, **limits: object) -> Survey:
    """The survey without consent and onboarding."""
    return replace(survey, consent=(), onboarding=(), limits=replace(survey.limits, **limits))


MANY = read_file(Survey, Path(__file__).with_name("many_kinds.yaml"), "")
PARTNERS = ("secret-bot-1", "secret-bot-2")


def interactive(messages: int = 4, **rules: object) -> Survey:
    """The survey with short chats that are answered at once."""
    survey = get_survey("interactive")
    rules = {"answer_delay": False, **rules}
    return replace(survey, chat=replace(survey.chat, messages=messages, most_messages=100, **rules))


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

    def keep(self, chats: set[str]) -> None:
        pass

    def set_aside(self) -> dict[str, str]:
        return {}


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
        return [
            submission.record for submission in self.server.intake.call(lambda: self.server.desk.ledger.submissions())
        ]


@contextlib.contextmanager
def serve(desk: Callable[[], Desk], folder: Path, door: Door | None = None) -> Iterator[Stage]:
    """Serve what `desk` makes."""
    with PageServer(desk, door or InHouseDoor(SECRET), SECRET, PageServerOptions(PAGE)) as server:
        yield Stage(server, server.url, folder)


def stage(
    survey: Survey,
    items: Sequence[Item],
    folder: Path,
    *,
    door: Door | None = None,
    number: int = 3,
    bots: Scripted | None = None,
    **more,
) -> contextlib.AbstractContextManager[Stage]:
    """Serve a survey on `number` units of these items, or of chats with two partners; `more` goes to the desk."""
    units = partner_units(survey, PARTNERS, 2, 0, ()) if survey.chat else units_of(survey, items, number)
    names = [name for unit in units for one in unit.items for name in one.conversation_ids]

    def desk() -> Desk:
        ledger = ChatLedger if survey.chat else Ledger
        return desk_of(
            survey,
            units,
            ledger(folder / "ledger.db"),
            truths=dict.fromkeys(names, ("human", "bot")),
            bots=bots or Scripted(),
            **more,
        )

    return serve(desk, folder, door)


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


def start(page, url: str) -> None:
    """From the link to the first item of a task."""
    page.goto(url)
    heading(page, "Before you begin|What to do")
    if button(page, "I agree and want to take part").count():
        button(page, "I agree and want to take part").click()
    button(page, "I have understood").click()
    button(page, "Start").click()
    heading(page, "(Conversation|Pair) 1 of|Chat with Partner 1")


def following(page) -> None:
    """On to the next step, by the button that does that."""
    page.locator(".panel .actions .primary").click()


# -- a person who chats --------------------------------------------------------------------------------------------
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


# -- choices among candidates ----------------------------------------------------------------------------------------
def shown(page) -> list[str]:
    """The replies as they are on the page."""
    return page.locator("[data-question] .option .text").all_inner_texts()


def said(page) -> tuple[str, ...]:
    """The turns of the conversation."""
    return tuple(page.locator(".transcript .turn:not(.next) .bubble").all_inner_texts())


def right_place(page) -> int:
    """Where the reply stands that a check wants; in other questions the first place."""
    reply = picking.REPLIES.get(said(page))
    return shown(page).index(reply) if reply else 0


def kept_choices(st: Stage) -> list[tuple[str, ...]]:
    """The texts that were chosen, in the order of the unit, as the ledger has them."""
    [record] = st.kept
    items = st.server.desk.items
    return [
        tuple(items[row["item_id"]].candidates[int(a["answer"].partition(":")[2])] for a in row["answers"])
        for row in record["items"]
    ]
