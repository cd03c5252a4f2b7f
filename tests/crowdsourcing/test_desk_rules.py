"""The rules that never break, whatever annotators do and wherever the process is killed: a state machine over the desk.

Annotators take units in several tabs, hand them in twice, otherwise, late or not at all, while the disk fills and the
process is killed before, between and after writes and calls to the platform, and started again on the same ledger.
"""

import contextlib
import json
import sqlite3
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from parlai_spotbot.crowdsourcing.desk.contract import Refusal, Visitor
from parlai_spotbot.crowdsourcing.ledger.ledger import Ledger
from parlai_spotbot.surveys.packing.blocks import PackOptions, pack
from tests.crowdsourcing.office import MemoryCrowd, Office, careful, controls_of, conversations, spot_the_bot
from tests.crowdsourcing.test_desk_game import GAME, features

LIMIT = 3
WORKERS = st.integers(0, 7).map(lambda number: Visitor(f"w{number}"))
MOMENTS = st.integers(0, 6)


class Killed(BaseException):
    """What kill -9 looks like from inside: nothing after it happens."""


class Desks(RuleBasedStateMachine):
    """A desk under arbitrary requests; everything that it says is checked on the way."""

    case = {}

    def __init__(self):
        super().__init__()
        self.cleanup = contextlib.ExitStack()
        folder = self.cleanup.enter_context(tempfile.TemporaryDirectory())
        case = {"survey": spot_the_bot(units_per_annotator=LIMIT), "controls": controls_of(), **self.case}
        self.survey, talks, controls = (case.pop(name) for name in ("survey", "talks", "controls"))
        self.replicates = case.get("annotators_per_segment", 2)
        options = {"survey": self.survey.name, "unit_size": 6, "humans_per_unit": 2, **case}
        self.office = Office(self.survey, pack(talks, PackOptions(**options)), controls, talks, Path(folder) / "l.db")
        self.hidden = hidden_words(self.office)
        self.units, self.accepted = {}, {}
        self.kill_in = self.full_in = None  # so many moments from now
        patched = self.cleanup.enter_context(pytest.MonkeyPatch.context())
        writing, call, machine = Ledger._writing, MemoryCrowd._call, self

        @contextlib.contextmanager
        def fateful_writing(ledger):
            machine.moment()
            with writing(ledger):
                yield
                machine.disk()
            machine.moment()

        def fateful_call(crowd, *what):
            machine.moment()
            call(crowd, *what)
            machine.moment()

        patched.setattr(Ledger, "_writing", fateful_writing)
        patched.setattr(MemoryCrowd, "_call", fateful_call)

    def moment(self):
        if self.kill_in is not None:
            self.kill_in -= 1
            if self.kill_in < 0:
                self.kill_in = None
                raise Killed

    def disk(self):
        if self.full_in is not None:
            self.full_in -= 1
            if self.full_in < 0:
                self.full_in = None
                raise sqlite3.OperationalError("database or disk is full")

    @contextlib.contextmanager
    def mortal(self):
        """Requests may be refused or fail, and the process may be killed and started again."""
        try:
            with contextlib.suppress(Refusal, sqlite3.OperationalError):
                yield
        except Killed:
            self.office.restart()

    def heard(self, session):
        said = json.dumps({key: value for key, value in session.items() if key != "survey"})
        assert not [word for word in self.hidden if word in said]
        assert session["progress"]["used"] <= LIMIT
        return session

    # -- what may happen -----------------------------------------------------------------------------------------------
    @rule(moments=MOMENTS)
    def a_kill_is_coming(self, moments):
        self.kill_in = moments

    @rule(moments=MOMENTS)
    def the_disk_is_filling(self, moments):
        self.full_in = moments

    @rule(visitor=WORKERS, tabs=st.sampled_from([1, 1, 6]))
    def take(self, visitor, tabs=1):
        for _ in range(tabs):
            with self.mortal():
                session = self.heard(self.office.desk.next_unit(visitor))
                if session["state"] == "working":
                    unit = session["unit"]
                    known = self.units.setdefault(visitor.worker, {}).setdefault(unit["unit"], unit)
                    names = [[p["transcripts"][0]["entities"] for p in one["items"]] for one in (known, unit)]
                    assert names[0] == names[1]

    @rule(visitor=WORKERS)
    def hand_in(self, visitor):
        for unit in list(self.units.get(visitor.worker, {}).values())[-1:]:
            with self.mortal():
                self.submit(visitor, self.body(visitor, unit))

    def body(self, visitor, unit):
        if self.survey.layout != "opening":
            return careful(self.survey, unit)
        for page in unit["items"]:
            for target in ("entity:0", "entity:1"):
                about = {"unit": unit["unit"], "item": page["item"], "question": "nature", "target": target}
                self.office.desk.decide(visitor, {**about, "answer": "bot"})
            if page["item"] % 3 == 0:
                with contextlib.suppress(Refusal):
                    self.office.desk.open_exchange(visitor, {"unit": unit["unit"], "item": page["item"], "opened": 1})
        return {"unit": unit["unit"], "items": [features(page) for page in unit["items"]]}

    def submit(self, visitor, body):
        assert self.heard(self.office.desk.submit(visitor, body))["accepted"] is True
        assert self.accepted.setdefault(body["unit"], body) == body

    @rule(visitor=WORKERS)
    def hand_in_again(self, visitor):
        """The same or another body for something handed in before, in another's name too."""
        for handle in [handle for handle in self.units.get(visitor.worker, ()) if handle in self.accepted][:1]:
            body = self.accepted[handle]
            with self.mortal():
                self.submit(visitor, body)
            for other, different in ((visitor, {**body, "comment": "changed"}), (Visitor("thief"), body)):
                with pytest.raises(Refusal):
                    self.office.desk.submit(other, different)

    @rule(visitor=WORKERS)
    def give_back(self, visitor):
        for handle in list(self.units.get(visitor.worker, ()))[-1:]:
            with self.mortal():
                self.heard(self.office.desk.give_back(visitor, {"unit": handle}))

    @rule(seconds=st.sampled_from([10, 600, 3700]))
    def time_passes(self, seconds):
        self.office.clock.pass_by(seconds)
        with self.mortal():
            self.office.desk.expire()

    @rule()
    def restart(self):
        with self.mortal(), contextlib.suppress(sqlite3.OperationalError):
            self.office.restart()

    # -- what must hold ------------------------------------------------------------------------------------------------
    @invariant()
    def the_rules_hold(self):
        o = self.office
        handouts = o.ledger.handouts()
        kept = {s.handle: s for s in o.ledger.submissions()}
        assert set(kept) == {h.handle for h in handouts if h.status == "done"}
        assert all(kept[handle].body == body for handle, body in self.accepted.items())  # nothing said is lost
        holders = Counter(h.unit_id for h in handouts if h.status in ("open", "done"))
        assert max(holders.values(), default=0) <= 1
        for worker in {h.worker for h in handouts}:
            mine = [h for h in handouts if h.worker == worker]
            assert len(mine) <= LIMIT
            talks = [t for h in mine for i in h.items for t in o.desk.items[i].conversation_ids]
            seeds = [o.seeds[t] for t in talks if o.seeds.get(t)]
            for met in (talks, seeds, [h.block_id for h in mine]):
                assert len(set(met)) == len(met)

    def teardown(self):
        """Fresh annotators do whatever is left; the platform has every answer, each once."""
        try:
            self.kill_in = self.full_in = None
            self.office.restart()
            self.office.clock.pass_by(5000)
            self.office.desk.expire()
            for number in range(2 * len(self.office.units)):
                visitor = Visitor(f"last-{number}")
                for _ in range(LIMIT if self.office.desk.stock.free else 0):
                    self.take(visitor)
                    if self.office.desk.session(visitor)["state"] == "working":
                        self.hand_in(visitor)
            self.the_rules_hold()
            self.all_is_done()
        finally:
            self.office.ledger.close()
            self.cleanup.close()

    def all_is_done(self):
        o = self.office
        assert o.desk.counts()["done"] == len(o.units)
        done = o.ledger.handouts("status = 'done'")
        assert o.crowd.done == {h.agent_id: o.ledger.submission(h.handle).record for h in done}
        by = {}
        for handout in done:
            for item_id in handout.items:
                if not o.desk.items[item_id].control:
                    by.setdefault(item_id, []).append(handout.worker)
        blocks = Counter(item_id for item_id, _ in {(i.item_id, u.block_id) for u in o.units for i in u.items})
        assert {item: len(set(workers)) for item, workers in by.items()} == {
            item: self.replicates * number for item, number in blocks.items()
        }


def hidden_words(o):
    """What no response may hold: ids, names of contestants, seeds, control marks, turns before the segment."""
    words = {"known_", "control", "is_human", "unseen", "seed"}
    for talk in o.talks:
        words |= {talk.conversation_id, talk.seed_id, *(name for name in talk.entities if name != "human")}
    for unit in o.units:
        words |= {unit.unit_id, unit.block_id, *(item.item_id for item in unit.items)}
    for item in o.controls:
        words |= {item.item_id, *item.conversation_ids}
    return {word for word in words if len(word) > 2}


CASES = {
    "as in the paper, smaller": {"talks": conversations(bots=3, per_pair=6, people=8)},
    "few seeds": {"talks": conversations(bots=4, per_pair=4, people=6, seeds=4), "unit_size": 5, "humans_per_unit": 1},
    "one annotator a segment, no controls": {
        "talks": conversations(bots=3, per_pair=5, people=5),
        "annotators_per_segment": 1,
        "controls": [],
    },
    "the game": {
        "talks": conversations(bots=3, per_pair=5, people=6),
        "segments": (5,),
        "annotators_per_segment": 3,
        "survey": replace(GAME, limits=replace(GAME.limits, control_mistakes=99)),
    },
}


@pytest.mark.parametrize("case", CASES)
def test_the_rules_hold_whatever_happens(case):
    machine = type("Machine", (Desks,), {"case": CASES[case]})
    run_state_machine_as_test(machine, settings=settings(max_examples=4, stateful_step_count=40, deadline=None))
