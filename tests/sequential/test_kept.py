"""A state that is kept: a course that goes on from it is the one that counts everything again, wherever it stopped."""

import dataclasses
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Unit
from parlai_spotbot.sequential import betting, kept
from parlai_spotbot.sequential.course import Block, Course
from parlai_spotbot.sequential.evidence import Bets, Evidence
from parlai_spotbot.sequential.kept import Keeper
from tests.sequential.test_course import PLAN, POOL, TALKS, answers

EVERY = 4


class Served:
    """People served for so many steps, some of whom give their unit back, with all states that were kept."""

    def __init__(self, path, seed, steps, plan=PLAN):
        self.plan, self.units, self.done, self.lost, self.states = plan, [], {}, [], []
        self.rng = np.random.default_rng(seed)
        self.course = Course(plan, POOL, TALKS, keeper=Keeper(path))
        for _ in range(steps):
            self.step()
            if path.exists():
                self.states.append(path.read_bytes())

    def step(self):
        waiting = self.course.waiting
        if waiting and (len(waiting) > 3 or self.rng.random() < 0.4):
            name = waiting[self.rng.integers(len(waiting))].unit_id
            if self.rng.random() < 0.2:
                self.lost.append(name)
                self.course.lose(name)
            else:
                self.done[name] = answers(self.course, self.course.blocks[name].unit, self.rng)
                self.course.close(name, self.done[name])
        elif unit := self.course.draw():
            self.units.append(Unit.from_json(json.loads(json.dumps(unit.to_json())), ""))
            self.course.keep()

    def again(self, keeper=None):
        return Course(self.plan, POOL, TALKS, self.units, self.done, self.lost, keeper=keeper)


def plain(value):
    """Return what a course holds as plain values that can be compared."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Evidence | Bets | Block):
        return plain(vars(value))
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value


def same(course, other):
    beside = {"_watch", "_keeper", "_mark", "_places_of"}
    held = [{key: plain(value) for key, value in vars(each).items() if key not in beside} for each in (course, other)]
    assert held[0] == held[1]
    for _ in range(3):
        assert course.draw() == other.draw()
    assert plain(course.evidence) == plain(other.evidence)


@pytest.fixture(autouse=True)
def _often(monkeypatch):
    monkeypatch.setattr("parlai_spotbot.sequential.course.EVERY", EVERY)


@settings(deadline=None)
@given(st.data())
def test_from_a_state_kept_at_any_time_it_goes_on_as_from_the_beginning(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("kept") / "state"
    served = Served(path, data.draw(st.integers(0, 2**32)), data.draw(st.integers(1, 60)))
    state = data.draw(st.sampled_from([*served.states, b""]))
    path.write_bytes(state[: data.draw(st.sampled_from([len(state), len(state) // 2, 40]))])
    same(served.again(Keeper(path)), served.again())


def test_what_is_kept_is_not_counted_again(tmp_path, monkeypatch):
    served, counted, bets = Served(tmp_path / "state", 1, 60), [], betting.bets
    monkeypatch.setattr(betting, "bets", lambda *args: counted.append(1) or bets(*args))
    served.again(Keeper(tmp_path / "state"))
    assert len(counted) <= EVERY < len(served.units)
    served.again()
    assert len(counted) > len(served.units)


@pytest.mark.parametrize("other", ["points", "units", "plan", "lost"])
def test_a_state_of_anything_else_is_left_alone(tmp_path, other):
    path = tmp_path / "state"
    served = Served(path, 2, 60)
    if other == "points":
        first = next(iter(served.done))
        served.done[first] = {item: 1 - point for item, point in served.done[first].items()}
    elif other == "units":
        served.units[1] = dataclasses.replace(served.units[1], items=served.units[1].items[:-1])
    elif other == "plan":
        served.plan = dataclasses.replace(PLAN, budget=PLAN.budget + 1)
    else:
        served.lost.append(next(iter(served.done)))
        del served.done[served.lost[-1]]
    same(served.again(Keeper(path)), served.again())


def test_answers_that_are_gone_are_told_beside_a_state(tmp_path):
    served = Served(tmp_path / "state", 3, 60)
    served.done = dict(list(served.done.items())[3:])
    with pytest.raises(UserError, match="later units were drawn by its answers"):
        served.again(Keeper(tmp_path / "state"))


def test_where_the_disk_is_full_nothing_is_kept(tmp_path, monkeypatch):
    def full(path, data):
        raise UserError(f"{path}: no space left.")

    monkeypatch.setattr(files, "write_bytes", full)
    assert not Served(tmp_path / "state", 1, 40).states


def test_a_state_that_is_too_large_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "LARGEST", 1000)
    assert not Served(tmp_path / "state", 1, 40).states
