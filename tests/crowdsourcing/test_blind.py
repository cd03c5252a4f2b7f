"""Nothing that a browser gets tells a bot from a human: every byte of whole visits is read."""

import base64
import binascii
import json
import random
import re
from dataclasses import replace

import pytest

from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.packing.blocks import PackOptions
from tests.crowdsourcing.blind import MARK, NAMES, NATURES, Browser, controls, talk
from tests.crowdsourcing.office import answers, practised

PAGE_KEYS = {"item", "layout", "transcripts", "questions", "opening"}
TRANSCRIPT_KEYS = {"key", "name", "entities", "turns"}
SESSION_KEYS = {
    "state",
    "survey",
    "texts",
    "language",
    "progress",
    "consent",
    "onboarding",
    "unit",
    "game",
    "finish",
    "why",
    "onboarding_result",
    "accepted",
}


def whole_visit(browser, survey):
    """Everything that one can ask for, mistakes included; units until there is none."""
    browser.get("GET", "/")
    for path in ("/api/session", "/api/nothing", "/../ledger.db", "/ledger.db"):
        for method in ("GET", "HEAD", "OPTIONS", "POST", "DELETE"):
            browser.get(method, path)
    state = browser.said("session")
    assert state["state"] == "consent"
    holds_known_fields_and_no_others(state)
    state = browser.said("consent", {"agree": True})
    hidden = [piece for exercise in survey.onboarding[0] for piece in re.split(r"\{[^}]*\}", exercise.explanation)]
    assert all(json.dumps(piece)[1:-1].encode() not in browser.seen for piece in hidden if len(piece) > 20)
    assert browser.said("onboarding", practised(survey, state["onboarding"]))["onboarding_result"]["passed"]
    state = browser.said("unit", {})
    while state["state"] == "working":
        holds_known_fields_and_no_others(state)
        state = one_unit(browser, survey, state["unit"])
    assert state["state"] == "finished"
    holds_known_fields_and_no_others(state)


def one_unit(browser, survey, unit):
    handle = unit["unit"]
    if survey.layout == "opening":
        for page in unit["items"]:
            play(browser, handle, page)
        unit = browser.said("session")["unit"]
    body = {"unit": handle, "items": [answers(survey, page, opinion) for page in unit["items"]], "comment": "é"}
    browser.said("submit", {**body, "items": body["items"][1:]})
    browser.said("submit", {**body, "unit": "f" * 32})
    browser.said("return", {"unit": "1"})
    browser.said("session")
    state = browser.said("submit", body)
    assert state["accepted"]
    assert browser.said("submit", {**body, "comment": "again"})["error"]["code"] == "doubled"
    return browser.said("unit", {}) if state["state"] == "ready" else state


def opinion(question, target):
    return "human" if question == "nature" else "no_difference"


CLOSED = ("decided", "all_open")


def play(browser, handle, page):
    """Open some exchanges, decide, open more; at no time is anything sent that isn't open."""
    number, opened = page["item"], page["opening"]["opened"]

    def nothing_unopened(page):
        marks = {(int(talk), int(turn)) for talk, turn in MARK.findall(json.dumps(page).encode())}
        talk = marks.copy().pop()[0]
        assert marks == {(talk, turn) for turn in range(2 * opened)}
        assert max(turn for seen, turn in browser.turns() if seen == talk) < 2 * opened

    nothing_unopened(page)
    decide = {"unit": handle, "item": number, "question": "nature", "answer": "human", "seconds": 1.0}
    for target in ("entity:0", "entity:1"):
        for _ in range(number % 2):
            answer = browser.said("open", {"unit": handle, "item": number, "opened": opened})
            if "item" in answer:
                opened += 1
                nothing_unopened(answer["item"])
        nothing_unopened(browser.said("decide", {**decide, "target": target})["item"])
        browser.said("decide", {**decide, "target": target, "answer": "bot"})
    assert browser.said("open", {"unit": handle, "item": number, "opened": opened})["error"]["code"] in CLOSED
    nothing_unopened(browser.said("session")["unit"]["items"][number])


# -- every byte --------------------------------------------------------------------------------------------------------
def secrets_of(office):
    """What no byte may hold: names of systems and of what is inside, ids, seeds, marks of known segments."""
    inside = "known_human known_bot is_human conversation_id seed_id item_id unit_id block_id control_mistakes"
    unseen = f'{inside} controls_per_unit mephisto TornadoServer Traceback agent- "truth "exchanges"'.encode().split()
    unseen += [b"zz" + name for name in NAMES]
    for unit in office.units:
        unseen += [unit.unit_id.encode(), unit.block_id.encode(), *(item.item_id.encode() for item in unit.items)]
    return unseen + [handout.chance.encode() for handout in office.ledger.handouts()]


def unfolded(data):
    """The bytes, and what is folded up in them as base64 or hexadecimal digits."""
    yield data
    for found in set(re.findall(rb"[A-Za-z0-9_-]{16,}", data)):
        try:
            yield base64.urlsafe_b64decode(found + b"=" * (-len(found) % 4))
            yield bytes.fromhex(found.decode())
        except (ValueError, binascii.Error):
            pass


@pytest.mark.parametrize("name", ["spot_the_bot", "spot_the_bot_game"])
def test_every_byte_that_annotators_get(serve, name):
    rng = random.Random(1)
    talks = [talk(number, NATURES[number % 4], rng) for number in range(32)]
    survey = get_survey(name)
    survey = replace(survey, limits=replace(survey.limits, units_per_annotator=2, control_mistakes=99))
    lengths = (8,) if survey.layout == "opening" else (2, 3, 5)
    office, server = serve(survey, talks, PackOptions(name, lengths, 8, 2, 2), controls(100))
    browsers = [Browser(server, f"annotator {number}") for number in range(4)]
    for browser in browsers:
        whole_visit(browser, survey)
    items = {item.item_id: item for unit in office.units for item in unit.items}
    items |= {item.item_id: item for item in office.controls}
    secrets = secrets_of(office)
    for browser in browsers:
        mine = office.ledger.handouts("worker = ?", browser.worker)
        others = [handout.handle.encode() for handout in office.ledger.handouts("worker <> ?", browser.worker)]
        for data in unfolded(browser.seen):
            assert [secret for secret in secrets + others if secret in data] == []
        allowed = {mark for handout in mine for i in handout.items for mark in shown(items[i])}
        assert len(mine) == 2
        if survey.layout == "opening":
            assert browser.turns() < allowed
        else:
            assert browser.turns() == allowed
        assert len(browser.seen) > 100_000


def shown(item):
    """The (conversation, turn) of an item."""
    return {
        (int(talk), int(turn))
        for transcript in item.transcripts
        for utterance in transcript
        for talk, turn in MARK.findall(utterance.text.encode())
    }


def holds_known_fields_and_no_others(session):
    assert set(session) <= SESSION_KEYS
    assert set(session["progress"]) <= {"done", "allowance", "used"}
    unit = session.get("unit") or {"unit": "0" * 32, "seconds_left": 0, "items": []}
    assert set(unit) == {"unit", "seconds_left", "items"}
    assert re.fullmatch(r"[0-9a-f]{32}", unit["unit"])
    for number, page in enumerate(unit["items"]):
        assert set(page) <= PAGE_KEYS
        assert page["item"] == number
        for transcript in page["transcripts"]:
            assert set(transcript) == TRANSCRIPT_KEYS
            assert all(set(entity) == {"key", "name", "side"} for entity in transcript["entities"])
            assert all(set(turn) == {"entity", "text"} for turn in transcript["turns"])
