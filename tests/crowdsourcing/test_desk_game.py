"""The game: what is open and what is decided is in the ledger, and points follow from that alone."""

import json
from dataclasses import replace

import pytest

from parlai_spotbot.crowdsourcing.desk.contract import Visitor
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.controls import truth
from parlai_spotbot.surveys.game import points
from tests.crowdsourcing.office import answers, conversations, plain, refused

ANN, BOB = Visitor("ann"), Visitor("bob")
GAME = replace(get_survey("spot_the_bot_game"), consent=(), onboarding=())


@pytest.fixture
def game(office):
    """A desk of the game; every conversation is packed once, whole (five exchanges), controls have three."""
    return office(survey=GAME, segments=(5,))


def opens(unit, item, opened):
    return {"unit": unit["unit"], "item": item, "opened": opened}


def decides(unit, item, target, answer, **more):
    return {
        "unit": unit["unit"],
        "item": item,
        "question": "nature",
        "target": target,
        "answer": answer,
        "seconds": 3.5,
        **more,
    }


def shown(page):
    return len(page["transcripts"][0]["turns"]) // 2


def play(o, visitor, opened=1, answer="bot", upto=None):
    """Open `opened` exchanges of every item and call everybody the same; returns the body to submit."""
    unit = o.desk.next_unit(visitor)["unit"]
    for page in unit["items"][:upto]:
        for has in range(1, opened):
            page = o.desk.open_exchange(visitor, opens(unit, page["item"], has))["item"]
        for target in ("entity:0", "entity:1"):
            o.desk.decide(visitor, decides(unit, page["item"], target, answer))
    return {"unit": unit["unit"], "items": [features(page) for page in unit["items"]]}


def features(page):
    """The answers beside the decisions."""
    row = answers(GAME, page, plain)
    return {**row, "answers": [a for a in row["answers"] if a["question"] != "nature"]}


# -- deciding ----------------------------------------------------------------------------------------------------------
def test_a_decision_is_final_and_knows_what_was_open(game):
    unit = game.unit("ann")
    page = game.desk.decide(ANN, decides(unit, 0, "entity:0", "bot"))["item"]
    assert page["opening"] == {"opened": 1, "more": True, "decided": {"entity:0": "bot"}}
    assert shown(game.desk.open_exchange(ANN, opens(unit, 0, 1))["item"]) == 2  # for the other one
    game.restart()
    assert game.desk.decide(ANN, decides(unit, 0, "entity:0", "bot", seconds=9))["item"]["opening"]["opened"] == 2
    assert refused(game.desk.decide, ANN, decides(unit, 0, "entity:0", "human")) == (409, "decided")
    game.desk.decide(ANN, decides(unit, 0, "entity:1", "human"))
    made = game.ledger.decisions(unit["unit"])
    assert [(d.target, d.answer, d.opened, d.seconds) for d in made] == [
        ("entity:0", "bot", 1, 3.5),
        ("entity:1", "human", 2, 3.5),
    ]
    assert refused(game.desk.open_exchange, ANN, opens(unit, 0, 2)) == (409, "decided")


def test_unsure_only_when_everything_is_open(game):
    unit = game.unit("ann")
    assert refused(game.desk.decide, ANN, decides(unit, 0, "entity:0", "unsure")) == (409, "not_yet")
    page, has = unit["items"][0], 1
    while page["opening"]["more"]:
        page, has = game.desk.open_exchange(ANN, opens(unit, 0, has))["item"], has + 1
    assert game.desk.decide(ANN, decides(unit, 0, "entity:0", "unsure"))["item"]["opening"]["decided"]


# -- handing in --------------------------------------------------------------------------------------------------------
def test_what_is_handed_in_takes_decisions_from_the_ledger(game):
    body = play(game, ANN, opened=2, answer="bot")
    lie = {"question": "nature", "target": "entity:0", "answer": "human"}
    body["items"][0]["answers"].append(lie)
    said = game.desk.submit(ANN, body)
    (kept,) = game.ledger.submissions()
    assert said["accepted"]
    for row in kept.record["items"]:
        natures = [(a["target"], a["answer"], a["opened"]) for a in row["answers"] if a["question"] == "nature"]
        assert natures == [("entity:0", "bot", 2), ("entity:1", "bot", 2)]
        assert {a["opened"] for a in row["answers"]} == {2}
        assert len(row["answers"]) == 5
    assert refused(game.desk.decide, ANN, decides(body, 0, "entity:0", "bot")) == (409, "doubled")


# -- points ------------------------------------------------------------------------------------------------------------
def test_points_are_those_of_the_rule_and_come_when_the_unit_is_done(game):
    body = play(game, ANN, opened=3, answer="bot")
    before = game.desk.session(ANN)["game"]
    assert before == {"points": 0, "rank": None, "leaderboard": []}
    handout = game.ledger.handouts()[0]
    truths = {talk.conversation_id: ["human" if human else "bot" for human in talk.is_human] for talk in game.talks}
    wanted = 0
    for item in map(game.desk.items.get, handout.items):
        true = truth(item.control) if item.control else truths[item.conversation_ids[0]]
        wanted += sum(points(GAME.game, one, "bot", 3) for one in true)
    after = game.desk.submit(ANN, body)["game"]
    assert (after["points"], after["rank"]) == (wanted, 1)
    game.restart()
    assert game.desk.session(ANN)["game"] == after


def test_the_leaderboard_orders_by_points_and_names_nobody(office):
    o = office(survey=GAME, segments=(5,), talks=conversations(bots=3, per_pair=6, people=8), annotators_per_segment=3)
    for n, opened in enumerate((1, 3, 2)):
        visitor = Visitor(f"annotator-{n}")
        o.desk.submit(visitor, play(o, visitor, opened))
    board = o.desk.session(Visitor("annotator-1"))["game"]["leaderboard"]
    earned = [row["points"] for row in board]
    assert earned == sorted(earned, reverse=True)
    assert [row["you"] for row in board].count(True) == 1
    assert "annotator" not in json.dumps(board)
    assert all(len(row["name"].split()) == 2 for row in board)
    ranks = [o.desk.session(Visitor(f"annotator-{n}"))["game"]["rank"] for n in range(3)]
    assert sorted(ranks) == [1, 2, 3]
