"""Chats at the desk, with contestants in memory: what is taken, what is refused, and units whose partner is gone."""

from dataclasses import replace

import pytest

from parlai_spotbot.crowdsourcing.chat.bots import TurnReply
from parlai_spotbot.crowdsourcing.chat.chat_ledger import ChatLedger
from parlai_spotbot.crowdsourcing.desk.contract import Visitor
from parlai_spotbot.surveys import get_survey
from tests.crowdsourcing.chat.parlour import CALM, OBEDIENT, QUICK, SURVEY, make_study
from tests.crowdsourcing.office import Clock, desk_of, refused

ANN, BOB = Visitor("ann"), Visitor("bob")


class Partners:
    """Contestants in memory, who answer at once until they are `gone`."""

    gone, replies = False, ()

    def ask(self, request):
        text = f"turn {len(request.turns)}"
        self.replies = [TurnReply(request, None if self.gone else text)]

    def answers(self):
        replies, self.replies = self.replies, ()
        return replies

    def set_aside(self):
        return {}


@pytest.fixture
def desk(tmp_path):
    study = make_study(tmp_path / "study", CALM, OBEDIENT)
    survey = get_survey(SURVEY)
    survey = replace(survey, consent=(), onboarding=(), chat=replace(survey.chat, **QUICK))
    with ChatLedger(tmp_path / "ledger.db") as ledger:
        yield desk_of(survey, study.units(SURVEY), ledger, bots=Partners(), clock=Clock())


def message(unit, item=0, number=0):
    return {**unit, "item": item, "number": number, "text": "hello", "have": 0}


def rating(unit, item=0, target="entity:1", answer="4"):
    rows = [{"question": question, "target": target, "answer": answer} for question in unit["items"][item]["questions"]]
    return {**unit, "item": item, "answers": rows}


def refusals(desk, visitor, unit):
    """How all requests about a chat are refused."""
    return {refused(call, visitor, message(unit)) for call in (desk.say, desk.chat, desk.rate, desk.leave)}


def test_chats_are_held_rated_and_handed_in(desk):
    unit = desk.next_unit(ANN)["unit"]
    for item in (0, 1):
        for number in (0, 2):
            desk.say(ANN, message(unit, item, number))
        said = desk.chat(ANN, message(unit, item))
        assert [turn["text"] for turn in said["turns"]] == ["hello", "turn 1", "hello", "turn 3"]
        assert desk.rate(ANN, rating(unit, item))["unit"]["items"][item]["rated"]
    compared = rating(unit, 2, "pair", "conversation:1")
    assert desk.submit(ANN, {**unit, "items": [compared]})["accepted"]
    assert refusals(desk, ANN, unit) == {(409, "doubled")}


def test_a_unit_is_left_without_blame_when_its_partner_is_gone(desk):
    unit = desk.next_unit(ANN)["unit"]
    assert refusals(desk, BOB, unit) == {(403, "foreign")}
    assert refused(desk.leave, ANN, message(unit)) == (409, "not_failed")
    desk.chats.bots.gone = True
    desk.say(ANN, message(unit))
    for _ in range(2):
        left = desk.leave(ANN, message(unit))
        assert (left["left"], left["state"], left["progress"]["used"]) == (True, "ready", 0)
    returned = desk.next_unit(BOB)["unit"]
    desk.give_back(BOB, returned)
    assert refusals(desk, BOB, returned) == {(410, "late")}


def test_there_is_no_chat_in_other_surveys(office):
    o = office()
    assert refusals(o.desk, ANN, o.unit("ann")) == {(404, "unknown")}
    assert refused(o.desk.open_exchange, ANN, {}) == (404, "unknown")
    assert refused(o.desk.decide, ANN, {}) == (404, "unknown")
