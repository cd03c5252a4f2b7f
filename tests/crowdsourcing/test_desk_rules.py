"""The rules that never break, whatever annotators do and wherever the process is killed: random walks over the desk.

Many annotators take units in several tabs, hand them in twice, otherwise, late or not at all, while the process is
killed before and after writes and in the middle of calls to the platform, and started again on the same ledger.
"""

import contextlib
import json
import random
import sqlite3
from collections import Counter
from dataclasses import replace

import pytest
from office import MemoryCrowd, careful, conversations, spot_the_bot
from test_desk_game import GAME, features

from parlai_spotbot.crowdsourcing.desk.contract import Refusal, Visitor
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.surveys.survey import Question

LIMIT = 3


class Killed(BaseException):
    """What kill -9 looks like from inside: nothing after it happens."""


class Fate:
    """Kills at one moment in `odds`, and fills the disk at one in `odds`, while `on`."""

    def __init__(self, seed, odds=12):
        self.rng, self.odds, self.on, self.kills, self.full = random.Random(seed), odds, True, 0, 0

    def moment(self):
        if self.on and self.rng.randrange(self.odds) == 0:
            self.kills += 1
            raise Killed

    def disk(self):
        if self.on and self.rng.randrange(self.odds) == 0:
            self.full += 1
            raise sqlite3.OperationalError("database or disk is full")


class Walk:
    """A random walk; everything that the desk says is checked on the way."""

    def __init__(self, office, seed, monkeypatch, **options):
        self.rng, self.fate = random.Random(seed), Fate(seed)
        self.office = office(**options)
        self.hidden = hidden_words(self.office)
        self.units, self.accepted, self.states = {}, {}, Counter()
        fate, writing, call = self.fate, Ledger._writing, MemoryCrowd._call

        @contextlib.contextmanager
        def fateful_writing(ledger):
            fate.moment()
            with writing(ledger):
                yield
                fate.disk()
            fate.moment()

        def fateful_call(crowd, *what):
            fate.moment()
            call(crowd, *what)
            fate.moment()

        monkeypatch.setattr(Ledger, "_writing", fateful_writing)
        monkeypatch.setattr(MemoryCrowd, "_call", fateful_call)

    # -- what may happen -----------------------------------------------------------------------------------------------
    def step(self, workers):
        visitor = Visitor(self.rng.choice(workers))
        deeds = [self.take, self.hand_in, self.again, self.give_back, self.wait, self.kill]
        (deed,) = self.rng.choices(deeds, (5, 4, 1, 2, 1, 1))
        try:
            with contextlib.suppress(Refusal):
                deed(visitor)
        except Killed:
            self.restart()

    def restart(self):
        while True:
            with contextlib.suppress(Killed, sqlite3.OperationalError):
                self.office.restart()
                return

    def heard(self, session):
        """What the desk said, looked through."""
        said = json.dumps({key: value for key, value in session.items() if key != "survey"})
        found = [word for word in self.hidden if word in said]
        assert not found
        assert session["progress"]["used"] <= LIMIT
        self.states[session["state"]] += 1
        return session

    def take(self, visitor):
        for _ in range(self.rng.choice((1, 1, 1, 6))):
            session = self.heard(self.office.desk.next_unit(visitor))
            if session["state"] == "working":
                unit = session["unit"]
                known = self.units.setdefault(visitor.worker, {}).setdefault(unit["unit"], unit)
                assert [p["transcripts"][0]["entities"] for p in known["items"]] == [
                    p["transcripts"][0]["entities"] for p in unit["items"]
                ]

    def hand_in(self, visitor):
        mine = self.units.get(visitor.worker)
        if mine:
            unit = list(mine.values())[-1]
            self.submit(visitor, self.body(visitor, unit))

    def body(self, visitor, unit):
        if self.office.survey.layout != "opening":
            return careful(self.office.survey, unit)
        for page in unit["items"]:
            for target in ("entity:0", "entity:1"):
                about = {"unit": unit["unit"], "item": page["item"], "question": "nature", "target": target}
                self.office.desk.decide(visitor, {**about, "answer": "bot"})
            if page["item"] % 3 == 0:
                with contextlib.suppress(Refusal):
                    self.office.desk.open_exchange(visitor, {"unit": unit["unit"], "item": page["item"], "opened": 1})
        return {"unit": unit["unit"], "items": [features(page) for page in unit["items"]]}

    def submit(self, visitor, body):
        session = self.heard(self.office.desk.submit(visitor, body))
        assert session["accepted"] is True
        assert self.accepted.setdefault(body["unit"], body) == body

    def again(self, visitor):
        """The same or another body for something handed in before, in another's name too."""
        mine = [handle for handle in self.units.get(visitor.worker, ()) if handle in self.accepted]
        if mine:
            body = self.accepted[self.rng.choice(mine)]
            self.submit(visitor, body)
            for other, different in ((visitor, {**body, "comment": "changed"}), (Visitor("thief"), body)):
                with pytest.raises(Refusal):
                    self.office.desk.submit(other, different)

    def give_back(self, visitor):
        mine = self.units.get(visitor.worker)
        if mine:
            self.heard(self.office.desk.give_back(visitor, {"unit": self.rng.choice(list(mine))}))

    def wait(self, visitor):
        self.office.clock.pass_by(self.rng.choice((10, 600, 3700)))
        self.office.desk.expire()

    def kill(self, visitor):
        raise Killed

    def finish(self):
        """Fresh annotators do whatever is left; there must be an end to it."""
        self.fate.on = False
        self.restart()
        self.office.clock.pass_by(5000)
        self.office.desk.expire()
        for n in range(2 * len(self.office.units)):
            if not self.office.desk.stock.free:
                return
            visitor = Visitor(f"last-{n}")
            for _ in range(LIMIT):
                self.take(visitor)
                if self.office.desk.session(visitor)["state"] == "working":
                    self.hand_in(visitor)

    # -- what must hold ------------------------------------------------------------------------------------------------
    def check(self):
        o = self.office
        handouts = o.ledger.handouts()
        kept = {s.handle: s for s in o.ledger.submissions()}
        done = {h.handle for h in handouts if h.status == "done"}
        assert set(kept) == done
        assert set(self.accepted) <= done  # "accepted" was said of nothing that isn't there
        assert all(kept[handle].body == body for handle, body in self.accepted.items())
        holders = Counter(h.unit_id for h in handouts if h.status in ("open", "done"))
        assert max(holders.values(), default=0) <= 1
        for worker in {h.worker for h in handouts}:
            mine = [h for h in handouts if h.worker == worker]
            assert sum(h.status != "void" for h in mine) <= LIMIT
            talks = [t for h in mine for i in h.items for t in o.desk.items[i].conversation_ids]
            seeds = [o.seeds[t] for t in talks if o.seeds.get(t)]
            assert len(set(talks)) == len(talks)
            assert len(set(seeds)) == len(seeds)
            assert len({h.block_id for h in mine}) == len(mine)
        self.check_platform(handouts, kept)

    def check_platform(self, handouts, kept):
        """The platform has the answers that we have, each once."""
        crowd = self.office.crowd
        assert {h.agent_id: kept[h.handle].record for h in handouts if h.status == "done"} == crowd.done

    def check_all_done(self, replicates):
        """Every unit is done, so every segment has its annotators in each of its blocks, all different people."""
        o = self.office
        assert o.desk.counts()["done"] == len(o.units)
        by = {}
        for h in o.ledger.handouts("status = 'done'"):
            for item_id in h.items:
                if not o.desk.items[item_id].control:
                    by.setdefault(item_id, []).append(h.worker)
        blocks = Counter(item_id for item_id, _ in {(i.item_id, u.block_id) for u in o.units for i in u.items})
        assert {item_id: len(workers) for item_id, workers in by.items()} == {
            item_id: replicates * number for item_id, number in blocks.items()
        }
        assert all(len(set(workers)) == len(workers) for workers in by.values())


def hidden_words(o):
    """What no response may hold: ids, names of contestants, seeds, control marks, turns before the segment."""
    words = {"known_", "control", "is_human", "unseen", "seed"}
    for talk in o.talks:
        words |= {talk.conversation_id, talk.seed_id, *(name for name in talk.entities if name != "human")}
    for unit in o.units:
        words |= {unit.unit_id, unit.block_id}
        words |= {item.item_id for item in unit.items}
    for item in o.controls:
        words |= {item.item_id, *item.conversation_ids}
    return {word for word in words if len(word) > 2}


CASES = {
    "as in the paper, smaller": {"talks": conversations(bots=3, per_pair=6, people=8)},
    "one annotator a segment": {"talks": conversations(bots=3, per_pair=5, people=5), "annotators_per_segment": 1},
    "few seeds": {"talks": conversations(bots=4, per_pair=4, people=6, seeds=4), "unit_size": 5, "humans_per_unit": 1},
    "short conversations": {"talks": conversations(bots=3, per_pair=4, people=5, exchanges=3), "unit_size": 4},
    "no controls": {"talks": conversations(bots=3, per_pair=5, people=5), "controls": []},
    "the game": {
        "talks": conversations(bots=3, per_pair=5, people=6),
        "segments": (5,),
        "annotators_per_segment": 3,
        "survey": replace(GAME, limits=replace(GAME.limits, control_mistakes=99)),
    },
}


def walk(office, monkeypatch, case, seed, steps):
    options = dict(CASES[case])
    options.setdefault("survey", spot_the_bot(units_per_annotator=LIMIT))
    path = Walk(office, f"{case} {seed}", monkeypatch, **options)
    for number in range(steps):
        path.step([f"w{number // 10 + n}" for n in range(8)])  # some stay away for good, new ones come
        if number % 50 == 0:
            path.fate.on = False
            path.restart()
            path.check()
            path.fate.on = True
    path.finish()
    path.check()
    path.check_all_done(options.get("annotators_per_segment", 2))
    return path


@pytest.mark.parametrize("case", CASES)
def test_the_rules_hold_whatever_happens(office, monkeypatch, case):
    path = walk(office, monkeypatch, case, 0, 150)
    assert path.fate.kills > 3  # it did happen
    assert path.fate.full > 0
    assert path.accepted
    assert path.states["finished"]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.parametrize("case", CASES)
def test_the_rules_hold_for_longer(office, monkeypatch, case, seed):
    walk(office, monkeypatch, case, seed, 400)


def test_nobody_is_stopped_for_want_of_reasons_that_were_not_asked_for(office):
    o = office(survey=spot_the_bot(units_without_reason=1))
    o.desk.submit(Visitor("ann"), careful(o.survey, o.unit("ann")))
    assert o.ledger.annotator("ann").standing != "stopped"


@pytest.mark.parametrize("said", [0, 1, 2])
def test_who_gives_no_reason_in_so_many_units_gets_no_further_one(office, said):
    """`said`: with which of their units they give one; 0 for none."""
    survey = spot_the_bot(units_without_reason=2)
    why = Question("why", "free_text", ("pair",), "Why?", required=False)
    o = office(survey=replace(survey, questions=(*survey.questions, why)))
    for number in (1, 2):
        body = careful(o.survey, o.unit("ann"))
        for item in body["items"]:
            [reason] = [row for row in item["answers"] if row["question"] == "why"]
            reason["answer"] = "it was rude" if number == said else ""
        assert o.ledger.annotator("ann").standing != "stopped"
        o.desk.submit(Visitor("ann"), body)
    found = o.ledger.annotator("ann")
    assert (found.standing, found.why) == (("new", "") if said else ("stopped", "reasons"))
