"""A person in a real browser who chats with contestants that are slow, crash, hang and come back, or never do."""

import sys
from pathlib import Path

import pytest
from chat_stage import enter, rate, say, turns
from stage import PAGE, button, heading

sys.path.insert(0, str(Path(__file__).parents[1] / "chat"))

from parlour import CALM, Parlour, contestant, make_study

from parlai_spotbot.crowdsourcing.platforms.personal_links import in_house_link
from parlai_spotbot.selfplay.contestants import Contestants

SURVEY = "interactive"
OBEDIENT = contestant("zzobedient", "Obedient", turn_timeout=4)
pytestmark = pytest.mark.slow  # quick: test_chat_page.py, the same page and server with scripted partners


def chat(page, partner: str, texts: list[str]) -> list[str]:
    """Say these, one after the other; returns the whole chat."""
    heading(page, f"Chat with {partner}")
    for text in texts:
        say(page, text)
    return turns(page)


def finish_and_rate(page, partner: str, value: str) -> None:
    button(page, "Finish this conversation").click()
    rate(page, partner, value)


@pytest.fixture
def company(tmp_path):
    with Contestants({one.name: one for one in (CALM, OBEDIENT)}, tmp_path / "logs", threads=1) as contestants:
        contestants.load()
        yield contestants


@pytest.fixture
def opened(tmp_path, company):
    """opened(rules): a place to chat with a calm and an obedient contestant."""
    made = []

    def make(**rules):
        study = make_study(tmp_path / "study", CALM, OBEDIENT)
        made.append(Parlour(study, company, PAGE, rules=rules))
        return made[-1]

    yield make
    for place in made:
        place.stop()


def meet(page, place) -> str:
    """Come in, and get to the chat with the obedient contestant; returns its name on the page."""
    enter(page, in_house_link(place.server.url, place.secret, "ann"))
    (handout,) = place.server.call(place.ledger.handouts)
    unit = next(unit for unit in place.study.units(SURVEY) if unit.unit_id == handout.unit_id)
    if unit.items[0].partners == (OBEDIENT.name,):
        return "Partner 1"
    chat(page, "Partner 1", ["one", "two"])
    finish_and_rate(page, "Partner 1", "3")
    heading(page, "Chat with Partner 2")
    return "Partner 2"


def test_a_partner_that_is_slow_crashes_hangs_and_comes_back(tmp_path, visit, opened):
    page, place = visit(), opened(slow_after=0.3)
    partner = meet(page, place)
    say(page, "sleep 3", answered=False)
    page.get_by_text(f"{partner} takes longer than usual").wait_for()
    page.locator(".chat-log .turn").nth(1).wait_for()
    say(page, f"hang {tmp_path / 'hang'}")
    say(page, f"limp {tmp_path / 'limp'}")
    page.reload()
    said = [line.partition(": ")[2] for line in turns(page)]
    assert [line[:12] for line in said[1::2]] == ["turn 1 after", "turn 2 after", "turn 3 after"]  # it knows them all
    assert place.said == []


def test_a_partner_that_never_comes_back(visit, opened):
    page, place = visit(), opened()
    partner = meet(page, place)
    say(page, "die now", answered=False)
    page.get_by_text(f"{partner} can't go on, and the conversation is too short").wait_for(timeout=30_000)
    button(page, "End this task").click()
    page.get_by_text("That task is ended").wait_for()
    assert place.crowd.done == {}
