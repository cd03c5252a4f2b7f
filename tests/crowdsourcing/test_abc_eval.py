"""The training of a task at the desk: rounds that are graded on the server, what passes and what doesn't, what no
browser is told beforehand, and the gold dialogues among the work.
"""

import json
import sqlite3
from dataclasses import replace

import pytest

from parlai_spotbot.crowdsourcing.desk.contract import Visitor
from parlai_spotbot.crowdsourcing.desk.training import course_of
from parlai_spotbot.crowdsourcing.ledger.entries import TrainingRound
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.surveys.abc_eval.labels import ALLOWED
from tests.crowdsourcing.office import refused
from tests.crowdsourcing.trained import by_key, filled, office_of, round_body

ANN, BOB = Visitor("ann"), Visitor("bob")


@pytest.fixture
def made(tmp_path):
    """made(task, …): the desk of a task."""
    return lambda task="consistency", name="", **more: office_of(tmp_path / (name or task), task, **more)


def sit(office, visitor, wrong=()):
    """Hand in the visitor's next round, wrong in these of its turns."""
    return office.desk.onboarding(visitor, round_body(office.survey, office.desk.session(visitor), wrong))


def trained(office, visitor):
    """Through the training without a mistake."""
    office.desk.consent(visitor)
    for _ in range(3):
        said = sit(office, visitor)
    assert said["state"] == "ready"
    return said


# -- rounds ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("task", ["consistency", "sociality"])
def test_the_third_round_decides_by_the_turns_that_are_wrong(made, task):
    allowed, office = ALLOWED[task], made(task)
    about = office.desk.consent(ANN)["onboarding"]
    assert [about[key] for key in ("attempt", "attempts", "round", "rounds", "allowed", "results")] == [
        *(1, 2, 1, 3, allowed, [])
    ]
    first = sit(office, ANN, range(99))["onboarding_result"]
    assert (first["wrong_turns"], first["passed"]) == (first["of"], None)
    second = sit(office, ANN)
    assert (second["onboarding_result"]["wrong_turns"], second["state"]) == (0, "onboarding")
    assert [result["round"] for result in second["onboarding"]["results"]] == [1, 2]
    last = sit(office, ANN, range(allowed))
    result = last["onboarding_result"]
    assert (result["wrong_turns"], result["passed"], result["round"], last["state"]) == (allowed, True, 3, "ready")
    assert result["of"] == len(course_of(office.survey)[0][2].bot_turns)


def test_who_fails_gets_a_dialogue_that_was_never_seen_and_then_no_more(made):
    office = made("interpretability")
    for visitor in (ANN, BOB):
        office.desk.consent(visitor)
        seen = []
        for wrong in ((), (), range(2)):
            seen.append(office.desk.session(visitor)["onboarding"]["items"][0]["transcripts"][0]["turns"])
            said = sit(office, visitor, wrong)
        assert said["onboarding_result"]["passed"] is False
        about = said["onboarding"]
        assert (said["state"], about["attempt"], about["round"], about["rounds"]) == ("onboarding", 2, 1, 1)
        assert about["items"][0]["transcripts"][0]["turns"] not in seen
        assert refused(office.desk.next_unit, visitor) == (403, "onboarding")
    assert sit(office, ANN, range(1))["state"] == "ready"
    failed = sit(office, BOB, range(2))
    assert failed["state"] == "stopped"
    assert "last conversation" in failed["why"]
    office.restart()
    assert office.desk.next_unit(ANN)["state"] == "working"
    assert refused(office.desk.next_unit, BOB) == (403, "stopped")


# -- what is no pass ---------------------------------------------------------------------------------------------------
def test_a_round_is_handed_in_once_and_the_same_again_gets_the_same(made):
    office = made()
    office.desk.consent(ANN)
    body = round_body(office.survey, office.desk.session(ANN), range(99))
    first = office.desk.onboarding(ANN, body)
    better = round_body(
        office.survey,
        {"onboarding": {**first["onboarding"]["results"][0], "items": [first["onboarding"]["results"][0]["item"]]}},
    )
    assert refused(office.desk.onboarding, ANN, better) == (409, "attempt")
    sit(office, ANN)
    office.restart()
    again = office.desk.onboarding(ANN, body)
    assert again["onboarding_result"] == first["onboarding_result"]
    assert again["onboarding"]["round"] == 3
    assert len(office.ledger.sittings()) == 2


def test_no_round_is_skipped_whatever_the_browser_says(made):
    office = made()
    session = office.desk.consent(ANN)
    body = round_body(office.survey, session)
    third = course_of(office.survey)[0][2]
    page = session["onboarding"]["items"][0]
    turns = [{"entity": place % 2, "text": turn.text} for place, turn in enumerate(third.turns)]
    known = {**page, "transcripts": [{**page["transcripts"][0], "turns": turns}]}
    perfect = [filled(office.survey, known, by_key(third.task, third.key))]
    for attempt, number in ((1, 2), (1, 3), (2, 1)):
        forged = {"items": perfect, "attempt": attempt, "round": number}
        assert refused(office.desk.onboarding, ANN, forged) == (400, "malformed")
    for name in ("attempt", "round"):
        for value in (0, -1, 4, 99, True, None, "1", 1.0, [1]):
            assert refused(office.desk.onboarding, ANN, {**body, name: value}) == (400, "malformed")
    for bad in ({"items": body["items"]}, {"items": [], "attempt": 1, "round": 1}, [], None):
        assert refused(office.desk.onboarding, ANN, bad)[0] in (400, 422)
    assert refused(office.desk.next_unit, ANN) == (403, "onboarding")
    assert office.ledger.sittings() == []


def test_the_database_itself_takes_no_round_out_of_turn(tmp_path):
    ledger = Ledger(tmp_path / "ledger.db")
    rounds = [TrainingRound("ann", n, f"d{n}", {"n": n}, {}, None, "", 1.0) for n in range(3)]
    for wrong in (rounds[1], rounds[2]):
        with pytest.raises(sqlite3.IntegrityError):
            ledger.practise(wrong, "passed")
    assert ledger.annotator("ann").standing == "new"
    ledger.practise(rounds[0], "new")
    for wrong in (rounds[0], rounds[2], replace(rounds[1], dialogue="d0")):
        with pytest.raises(sqlite3.IntegrityError):
            ledger.practise(wrong, "passed")
    ledger.practise(replace(rounds[1], passed=True), "passed")
    with pytest.raises(sqlite3.IntegrityError):
        ledger.practise(rounds[2], "new")
    assert [one.sitting for one in ledger.sittings()] == [0, 1]


# -- what no browser is told -------------------------------------------------------------------------------------------
def strings(value):
    """Every text in a JSON value."""
    if isinstance(value, dict):
        return {text for part in value.values() for text in strings(part)}
    if isinstance(value, list):
        return {text for part in value for text in strings(part)}
    return {value} if isinstance(value, str) else set()


@pytest.mark.parametrize("task", ["consistency", "transitions", "sociality"])
def test_nothing_of_a_key_is_sent_before_its_round_is_handed_in(made, task):
    office = made(task)
    golds = {gold.id: gold for gold in office.survey.training}
    course = [gold.id for attempt in course_of(office.survey) for gold in attempt]
    done = set()

    def check(said):
        texts = strings(said)
        raw = json.dumps(said)
        for name, gold in golds.items():
            assert name not in raw
            if name in done:
                continue
            told = {turn.why for one in done for turn in golds[one].turns}
            assert not ({turn.why for turn in gold.turns if turn.why} - told) & texts
            for shown in (said.get("onboarding") or {}).get("items", []):
                assert set(shown) == {"item", "layout", "transcripts", "questions"}
                assert all(set(turn) == {"entity", "text"} for turn in shown["transcripts"][0]["turns"])
        known = {name for name in golds if name in course[: len(done) + 1]}
        for name in golds.keys() - known:
            assert not {turn.text for turn in golds[name].turns if len(turn.text) > 40} & texts, name
        for word in ("covers", "second_chance", '"training":'):
            assert word not in raw

    check(office.desk.session(ANN))
    check(office.desk.consent(ANN))
    for number, wrong in enumerate(((), range(99), range(99), ())):
        check(office.desk.session(ANN))
        body = round_body(office.survey, office.desk.session(ANN), wrong)
        done.add(course[number])
        check(office.desk.onboarding(ANN, body))
    unit = office.desk.next_unit(ANN)
    assert unit["state"] == "working"
    check(unit)
