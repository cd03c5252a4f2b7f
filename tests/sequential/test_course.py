"""The course: draws depend on the seed and on counted answers alone, so that a replay draws the same."""

import dataclasses
import itertools
import json

import numpy as np
import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Conversation, Item, Turn, Unit, Utterance, indexed
from parlai_spotbot.sequential.course import Course
from parlai_spotbot.sequential.evidence import added, worst
from parlai_spotbot.sequential.points import points
from parlai_spotbot.sequential.registration import Registration

BOTS = ("best", "good", "poor")
PLAN = Registration(
    "spot_the_bot", "nature", "human", BOTS, 0.95, 0.0, 200, 4, 0.25, seed=1, pool="", package="parlai_spotbot 0"
)
SHOWN = (Utterance(0, "hello"), Utterance(1, "hello"))


def talks_of(number=120):
    """Return conversations of each two bots, and of people."""
    pairs = [*itertools.combinations(BOTS, 2), ("human", "human")]
    turns = (Turn("a", "hello"), Turn("b", "hello"))
    return indexed(
        Conversation(f"{a}:{b}:{i}", "chitchat", (a, b), i, (a, b), turns, seed_id=f"seed {i}")
        for a, b in pairs
        for i in range(number)
    )


TALKS = talks_of()
POOL = [Item(f"{name}-{k}", (name,), k, (SHOWN,)) for name in TALKS for k in (2, 3)]


def answers(course, unit, rng):
    """Return an annotator's points: the one that is named first in `BOTS` wins most matches."""
    return {item: float(rng.random() < (0.8 if a < b else 0.2)) for item, a, b in course.blocks[unit.unit_id].pairs}


def served(stop=None, out=3, lost=0.0):
    """Serve, with so many units out at a time, handed in in another order; return the course, units and points.

    This share of units is given back.
    """
    course, rng, units, done, waiting = Course(PLAN, POOL, TALKS), np.random.default_rng(5), [], {}, []
    while len(units) != stop and (unit := course.draw()) is not None:
        units.append(unit)
        waiting.append(unit)
        if len(waiting) > out:
            unit = waiting.pop(rng.integers(len(waiting)))
            if rng.random() < lost:
                course.lose(unit.unit_id)
                continue
            done[unit.unit_id] = answers(course, unit, rng)
            course.close(unit.unit_id, done[unit.unit_id])
    return course, units, done


@pytest.mark.parametrize("lost", [0, 0.3])
@pytest.mark.parametrize("stop", [1, 7, 20, None])
def test_a_replay_draws_the_same(stop, lost):
    course, units, done = served(stop, lost=lost)
    units = [Unit.from_json(json.loads(json.dumps(unit.to_json())), "") for unit in units]
    gone = {name for name, block in course.blocks.items() if block.lost}
    again = Course(PLAN, POOL, TALKS, units, done, gone)
    assert again.path == course.path
    assert np.array_equal(again.evidence.better, course.evidence.better)
    assert (again.ended, again.draw()) == (course.ended, course.draw())


def test_a_unit_that_is_out_counts_as_the_worst_of_its_answers():
    course, _, _ = served(12)
    for unit in course.waiting:
        block = course.blocks[unit.unit_id]
        bets = course._bets_on[block.place]
        sides = [np.array([pair[side] for pair in block.pairs]) for side in (1, 2)]
        gains = []
        for score in itertools.product((0.0, 1.0, np.nan), repeat=len(block.pairs)):
            after = added(course.evidence, bets, PLAN.rules, *sides, np.array(score))
            gains.append(np.exp(after.better - course.evidence.better))
        least, bound = np.min(gains, 0), np.exp(worst(bets, PLAN.rules, *sides)[0])
        assert (least >= bound - 1e-9).all()
        assert np.isclose(least, bound).mean() > 0.4  # of stakes that are cut for what they may lose it is lower


def test_one_who_walks_away_keeps_nobody_from_being_counted():
    course, rng = Course(PLAN, POOL, TALKS), np.random.default_rng(3)
    first = course.draw()
    while unit := course.draw():
        course.close(unit.unit_id, answers(course, unit, rng))
    assert (course.ended, course.waiting) == ("settled", [first])


def test_no_conversation_is_drawn_twice_and_none_twice_in_a_unit():
    _, units, _ = served()
    shown = [name for unit in units for item in unit.items for name in item.conversation_ids]
    assert len(set(shown)) == len(shown)
    for unit in units:
        seeds = [TALKS[name].seed_id for item in unit.items for name in item.conversation_ids]
        assert len(set(seeds)) == len(seeds)
        assert any("human" not in name for item in unit.items for name in item.conversation_ids)
    alone = np.mean([name.startswith("human") for name in shown])
    assert 0.1 < alone < 0.3


def test_it_ends_when_all_is_settled_and_finds_the_order():
    course, _, _ = served()
    assert course.ended == "settled"
    assert (course.evidence.verdict[np.triu_indices(3, 1)] == 1).all()
    assert course.evidence.answers < PLAN.budget


def test_it_ends_where_the_budget_or_the_conversations_are_used_up():
    pool = [item for item in POOL if item.conversation_ids[0].endswith((":1", ":2"))]
    few = Course(PLAN, pool, TALKS)
    while few.draw() is not None:
        pass
    assert few.ended == "used up"
    small = Course(dataclasses.replace(PLAN, budget=8), POOL, TALKS)
    while small.draw() is not None:
        pass
    assert (small.ended, 8 <= small.out < 12) == ("budget", True)


def test_answers_that_are_gone_and_units_out_of_place_are_told():
    _, units, done = served(20)
    with pytest.raises(UserError, match=r"later units were drawn by its answers.*backup"):
        Course(PLAN, POOL, TALKS, units, dict(list(done.items())[3:]))
    with pytest.raises(UserError, match="another place"):
        Course(PLAN, POOL, TALKS, units[1:], done)


def test_a_contestant_is_shown_once_with_a_seed_and_either_first_in_turns():
    turned = {name: dataclasses.replace(talk, entities=talk.entities[::-1]) for name, talk in TALKS.items()}
    talks = {name: (turned if place % 2 else TALKS)[name] for place, name in enumerate(TALKS)}
    course, first = Course(dataclasses.replace(PLAN, budget=100), POOL, talks), {}
    while unit := course.draw():
        for item in unit.items:
            a, b = talks[item.conversation_ids[0]].entities
            first.setdefault(tuple(sorted((a, b))), []).append((a, talks[item.conversation_ids[0]].seed_id))
    assert course.ended == "budget"
    shown = [(name, seed) for pair, found in first.items() for _, seed in found for name in pair if name != "human"]
    assert len(set(shown)) == len(shown) >= 200
    for pair in itertools.combinations(BOTS, 2):
        names = [name for name, _ in first[pair]]
        assert abs(names.count(pair[0]) - names.count(pair[1])) <= 3


@pytest.mark.parametrize(
    ("question", "given", "expected"),
    [
        ("nature", {("nature", "entity:0"): "human", ("nature", "entity:1"): "unsure"}, 1),
        ("nature", {("nature", "entity:0"): "bot", ("nature", "entity:1"): "bot"}, 0.5),
        ("nature", {("nature", "entity:0"): "bot", ("nature", "entity:1"): "unsure"}, 0),
        ("quality", {("quality", "pair"): "conversation:1"}, 0),
        ("quality", {("quality", "pair"): "neither"}, 0.5),
        ("quality", {("other", "pair"): "conversation:0"}, np.nan),
        ("nature", {("nature", "entity:0"): "human"}, np.nan),
    ],
)
def test_points(question, given, expected):
    assert points(given, question) == pytest.approx(expected, nan_ok=True)
