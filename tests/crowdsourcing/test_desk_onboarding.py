"""Consent, the onboarding that must be passed, and controls inside units."""

import json
import re

import pytest

from parlai_spotbot.crowdsourcing.desk.contract import Visitor
from parlai_spotbot.crowdsourcing.desk.grading import exercises_of
from parlai_spotbot.crowdsourcing.page_texts import page_texts
from parlai_spotbot.surveys import get_survey
from tests.crowdsourcing.office import answers, careful, conversations, plain, refused, spot_the_bot

ANN, BOB = Visitor("ann"), Visitor("bob")
FULL = get_survey("spot_the_bot")


def keyed(survey, attempt, said, wrong=()):
    """A body that answers every exercise by its key, those in `wrong` by what the key doesn't have."""
    items = []
    for page, exercise in zip(said["onboarding"]["items"], exercises_of(survey, attempt), strict=True):
        key = {(q, t): accepted for q, t, accepted in exercise.key}

        def answer(question, target, key=key, page=page):
            accepted = key.get((question, target), ("no_difference",))
            values = [option.value for option in survey.question(question).options]
            bad = [value for value in values if value not in accepted]
            return bad[0] if page["item"] in wrong and bad else accepted[0]

        items.append(answers(survey, page, answer))
    return {"items": items, "attempt": said["onboarding"]["attempt"]}


@pytest.fixture
def full(office):
    """A desk of the whole survey, with consent and onboarding."""
    return office(survey=FULL)


# -- consent -----------------------------------------------------------------------------------------------------------
def test_consent_comes_first_and_is_kept(full):
    said = full.desk.session(ANN)
    assert said["state"] == "consent"
    text = "\n".join(said["consent"])
    assert "Pay for a task: 1 dollar" in text
    assert "us@example.org" in text
    assert "{" not in text
    assert refused(full.desk.next_unit, ANN) == (403, "consent")
    assert refused(full.desk.onboarding, ANN, {"items": [], "attempt": 1}) == (403, "consent")
    assert full.desk.consent(ANN)["state"] == "onboarding"
    full.restart()
    assert full.desk.consent(ANN)["state"] == "onboarding"
    assert full.desk.session(BOB)["state"] == "consent"


# -- onboarding --------------------------------------------------------------------------------------------------------
def test_who_passes_gets_units(full):
    said = full.desk.consent(ANN)
    assert (said["onboarding"]["attempt"], said["onboarding"]["attempts"]) == (1, 2)
    assert said["onboarding"]["needed"] == len(said["onboarding"]["items"]) - FULL.limits.onboarding_mistakes
    assert refused(full.desk.next_unit, ANN) == (403, "onboarding")
    body = keyed(FULL, 0, said)
    done = full.desk.onboarding(ANN, body)
    result = done["onboarding_result"]
    assert done["state"] == "ready"
    assert (result["passed"], result["right"], result["of"]) == (True, 4, 4)
    assert all(row["explanation"] and "{" not in row["explanation"] for row in result["items"])
    assert full.desk.onboarding(ANN, body)["onboarding_result"] == result  # the same again, as after a lost answer
    assert refused(full.desk.onboarding, ANN, {**body, "attempt": 2}) == (409, "attempt")
    full.restart()
    assert full.desk.next_unit(ANN)["state"] == "working"


def test_a_second_attempt_has_other_exercises_and_is_the_last(full):
    said = full.desk.consent(ANN)
    first = keyed(FULL, 0, said, wrong={2})
    failed = full.desk.onboarding(ANN, first)
    assert failed["state"] == "onboarding"
    assert [row["right"] for row in failed["onboarding_result"]["items"]] == [True, True, False, True]
    assert failed["onboarding"]["attempt"] == 2
    shown = [page["transcripts"] for page in failed["onboarding"]["items"]]
    assert shown != [page["transcripts"] for page in said["onboarding"]["items"]]
    again = full.desk.onboarding(ANN, first)  # a retry of the first is no second attempt
    assert again["onboarding_result"] == failed["onboarding_result"]
    assert refused(full.desk.onboarding, ANN, {**first, "items": []}) == (409, "attempt")
    out = full.desk.onboarding(ANN, keyed(FULL, 1, failed, wrong={0, 3}))
    assert (out["state"], out["onboarding_result"]["right"]) == ("stopped", 2)
    full.restart()
    assert refused(full.desk.next_unit, ANN) == (403, "stopped")
    assert refused(full.desk.onboarding, ANN, {**first, "attempt": 3}) == (403, "stopped")
    assert "exercises" in full.desk.session(ANN)["why"]
    assert "in each attempt" in full.desk.session(ANN)["why"]
    assert "Who passes in no attempt gets no tasks" in page_texts()["onboarding_needed"]  # said beforehand


def test_no_key_and_no_explanation_is_sent_before_the_attempt(full):
    said = json.dumps({k: v for k, v in full.desk.consent(ANN).items() if k not in ("survey", "texts")})
    for exercise in (e for attempt in FULL.onboarding for e in attempt):
        assert not any(part in said for part in re.split(r"{entity:[01]}", exercise.explanation) if len(part) > 15)
    assert '"human"' not in said
    assert "onboarding" not in full.desk.session(ANN)["survey"]


def test_unfinished_exercises_are_no_attempt(full):
    said = full.desk.consent(ANN)
    body = keyed(FULL, 0, said)
    assert refused(full.desk.onboarding, ANN, {**body, "items": body["items"][1:]}) == (422, "incomplete")
    for bad in (None, [], {}, {"items": 0}):
        assert refused(full.desk.onboarding, ANN, bad) == (400, "malformed")
    for attempt in (0, 2, "1", None, True):  # no attempt that isn't counted
        assert refused(full.desk.onboarding, ANN, {**body, "attempt": attempt}) == (400, "malformed"), attempt
    assert full.ledger.attempts("ann") == []


def test_exercises_are_refused_while_no_unit_is_left(office):
    o = office(FULL, conversations(bots=2, per_pair=4, people=2), annotators_per_segment=1)
    body = keyed(FULL, 0, o.desk.consent(ANN))
    workers = [Visitor(f"w{n}") for n in range(len(o.units))]
    for worker in (BOB, *workers):
        o.desk.onboarding(worker, keyed(FULL, 0, o.desk.consent(worker)))
    units = [o.desk.next_unit(worker)["unit"] for worker in workers]
    for why in ("waiting", "finished"):
        assert o.desk.session(ANN)["state"] == why
        assert refused(o.desk.onboarding, ANN, body) == (409, "taken")
        assert refused(o.desk.onboarding, BOB, {**body, "attempt": 2}) == (409, "attempt")  # he has passed
        for worker, unit in zip(workers, units, strict=True):
            o.desk.submit(worker, careful(FULL, unit))


# -- controls ----------------------------------------------------------------------------------------------------------
def careless(survey, unit, answer="bot"):
    """Everybody is called the same."""
    items = [answers(survey, page, lambda q, t: answer if q == "nature" else plain(q, t)) for page in unit["items"]]
    return {"unit": unit["unit"], "items": items}


def test_who_misses_too_many_controls_is_stopped_and_the_unit_counts(office):
    o = office(survey=spot_the_bot(control_mistakes=1))
    said = o.desk.submit(ANN, careless(o.survey, o.unit("ann")))  # "bot" misses the known people only
    assert said["state"] == "ready"
    said = o.desk.submit(ANN, careless(o.survey, o.unit("ann")))
    assert (said["accepted"], said["state"], said["progress"]["done"]) == (True, "stopped", 2)
    assert refused(o.desk.next_unit, ANN) == (403, "stopped")
    assert len(o.crowd.done) == 2
    o.restart()
    assert o.desk.session(ANN)["state"] == "stopped"
    assert o.desk.counts()["stopped"] == 1
    assert [missed for *_, missed in o.ledger.grades()].count(True) == 2
