"""Interactive: ratings and choices by those who chatted, against figures worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from parlai_spotbot.findings.rankings import by_criterion, main_ranking
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.dimensions import NAMES
from parlai_spotbot.surveys.packing.partners import partner_units
from tests.analysis.computing import analyze
from tests.spoken import rows_of_item, spoken

SURVEY = get_survey("interactive")
BOTS = ("ada", "bert", "carl")
QUALITY = {"ada": ("5", "4"), "bert": ("3", "2"), "carl": ("1", "2")}
"""The ratings that each gets in turn."""


def chat(unit, place, bot):
    texts = (f"turn {i}" for i in range(4))
    return spoken(f"chat-{unit.unit_id}-{place}", (HUMAN, bot), texts, domain="invented", seed_exchanges=0)


def made(units):
    """Conversations and judgements of `units`: the partner who comes first in the alphabet is always preferred."""
    talks, rows = [], []
    for number, unit in enumerate(units):
        bots = [item.partners[0] for item in unit.items[:2]]
        own = [chat(unit, place, bot) for place, bot in enumerate(bots)]
        talks += own
        better = f"conversation:{bots.index(min(bots))}"
        for place, item in enumerate(unit.items):
            ids = [own[place].conversation_id] if place < 2 else [talk.conversation_id for talk in own]
            target = "entity:1" if place < 2 else "pair"
            answer = QUALITY[bots[place]][number % 2] if place < 2 else better
            given = {(question, target): answer for question in item.questions}
            more = {"presentation": {"place:0": "left"} if place == 2 else {}, "seconds": 60.0 + number}
            shown = replace(item, conversation_ids=tuple(ids), exchanges=2)
            rows += rows_of_item(f"{unit.unit_id}-{place}", unit, shown, f"worker{number}", given, **more)
    return talks, rows


@pytest.fixture(scope="module")
def found():
    units = partner_units(SURVEY, BOTS, 8, seed=1)
    talks, rows = made(units)
    items = [item for unit in units for item in unit.items]
    return analyze(rows, talks, "interactive", bots=BOTS, items=items, asked=SURVEY, bootstraps=200), rows


def test_means_of_the_ratings(found):
    result, rows = found
    ranking = main_ranking(result["ranking"]["by_source"][HUMAN])
    assert ranking.whole["question"] == "quality"
    assert ranking.order == list(BOTS)
    for bot in BOTS:
        own = [int(r.answer) for r in rows if r.question == "quality" and r.conversation_ids[0] in ids_of(rows, bot)]
        assert ranking.contestants[bot]["score"] == pytest.approx(np.mean(own))
        assert ranking.contestants[bot]["n"] == 16
    assert set(by_criterion(result["ranking"]["by_source"][HUMAN])) == set(NAMES)


def ids_of(rows, bot):
    units = partner_units(SURVEY, BOTS, 8, seed=1)
    return {
        f"chat-{unit.unit_id}-{place}" for unit in units for place in (0, 1) if unit.items[place].partners == (bot,)
    }


def test_choices_stand_beside_the_ranking(found):
    frames = found[0]["choices"]["by_source"][HUMAN]
    choices = main_ranking(frames)
    assert choices.whole["question"] == "quality_choice"
    assert choices.order == list(BOTS)
    assert set(by_criterion(frames)) == {f"{name}_choice" for name in NAMES}
    grid = {(row["a"], row["b"]): (row["wins_a"], row["wins_b"], row["ties"]) for row in choices.pairs}
    assert grid == {("ada", "bert"): (8, 0, 0), ("ada", "carl"): (8, 0, 0), ("bert", "carl"): (8, 0, 0)}


def test_ratings_without_a_choice_are_analysed_too():
    units = partner_units(SURVEY, BOTS, 3, seed=1)
    talks, rows = made(units)
    rated = [row for row in rows if row.question == "quality"]
    result = analyze(rated, talks, "interactive", bots=BOTS, bootstraps=200)
    assert "choices" not in result
    assert result["ranking"]["made_by"]["used"] == {HUMAN: 18}
