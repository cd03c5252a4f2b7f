"""A person in a real browser who chats with real contestants: embedded bots through Mephisto, whose operator is killed
on the way, and contestants that are slow, crash, hang and come back, or never do.
"""

import sys
from pathlib import Path

import pytest
import yaml
from chat_stage import box, compare, enter, rate, say, turns
from crowdsource_process import CrowdsourceProcess
from stage import PAGE, button, heading

sys.path.insert(0, str(Path(__file__).parents[1] / "chat"))

from parlour import CALM, Parlour, contestant, make_study

from parlai_spotbot.crowdsourcing.collect import collect
from parlai_spotbot.crowdsourcing.platforms.personal_links import in_house_link
from parlai_spotbot.records import HUMAN, Contestant
from parlai_spotbot.selfplay.contestants import Contestants
from parlai_spotbot.surveys.dimensions import NAMES

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


def test_a_unit_with_embedded_bots_through_mephisto_while_the_operator_is_killed(tmp_path, visit):
    bots = [Contestant("eliza", model="spotbot:eliza"), Contestant("tfidf", model="spotbot:tfidf")]
    study = make_study(tmp_path / "study", *bots, comparisons=1)
    operated = CrowdsourceProcess(study, 1, minutes=60.0, survey=SURVEY)
    settings = yaml.safe_load(operated.config.read_text())
    operated.config.write_text(yaml.safe_dump({**settings, "chat": {"messages": 4, "longest_delay": 0.5}}))
    page = visit(expected=("ERR_", "502", "503"))
    with operated:
        enter(page, operated.links()[0])
        first = chat(page, "Partner 1", ["hello, i feel a little sad today", "because it rains all the time"])
        operated.kill()
        box(page).fill("are you still there?")
        box(page).press("Enter")
        page.get_by_role("status").get_by_text("There is no connection to the server").wait_for()
        operated.start()
        page.locator(".chat-log .turn").nth(5).wait_for(timeout=60_000)
        chat_0 = turns(page)
        assert chat_0[:4] == first
        assert chat_0[4] == "You: are you still there?"
        page.reload()
        heading(page, "Chat with Partner 1")
        assert turns(page) == chat_0
        finish_and_rate(page, "Partner 1", "5")
        chat_1 = chat(page, "Partner 2", ["hello number two", "what do you do for a living?"])
        finish_and_rate(page, "Partner 2", "2")
        compare(page, "Partner 1")
        button(page, "Hand in").click()
        heading(page, "Thank you")
        seen = page.content()
        operated.process.wait(60)  # all is done, so it ends by itself
    assert "eliza" not in seen
    assert "tfidf" not in seen
    found = collect(study, SURVEY)
    assert (found.units, found.chats.conversations) == (1, 2)
    order = [item.partners[0] for item in study.units(SURVEY)[0].items[:2]]
    rows = {row.entities[1]: row for row in study.conversations()}
    assert {row.kind for row in rows.values()} == {"human_model"}
    for bot, said in zip(order, (chat_0, chat_1), strict=True):
        assert rows[bot].entities == (HUMAN, bot)
        assert [turn.text for turn in rows[bot].turns] == [line.partition(": ")[2] for line in said]
    given = {(row.question, row.target, row.conversation_ids): row.answer for row in study.judgements(SURVEY)}
    pair = tuple(rows[bot].conversation_id for bot in order)
    assert given == {
        **{(name, "entity:1", pair[:1]): "5" for name in NAMES},
        **{(name, "entity:1", pair[1:]): "2" for name in NAMES},
        **{(f"{name}_choice", "pair", pair): "conversation:0" for name in NAMES},
    }


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
    say(page, f"limp {tmp_path / 'limp'}", answered=False)
    page.get_by_text(f"The connection to {partner} broke off").wait_for()
    page.reload()
    page.get_by_text(f"The connection to {partner} broke off").wait_for()
    page.locator(".chat-log .turn").nth(5).wait_for()
    page.get_by_text("broke off").wait_for(state="hidden")
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
