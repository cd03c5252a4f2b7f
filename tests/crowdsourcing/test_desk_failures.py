"""What a crash, a full disk or a platform that fails leaves behind: everything that was said, and nothing else."""

import contextlib
import sqlite3

import pytest
from office import Office, careful, conversations, refused

from parlai_spotbot.crowdsourcing.desk.contract import Refusal, Visitor

ANN, BOB = Visitor("ann"), Visitor("bob")


def held(o, visitor):
    """The ledger's open hand-out of an annotator."""
    (handout,) = o.ledger.handouts("worker = ? AND status = 'open'", visitor.worker)
    return handout


def test_open_pages_go_on_after_a_restart(office):
    o = office()
    before = o.desk.next_unit(ANN)
    assert o.restart() == {"told": 0, "expired": 0}
    assert o.desk.session(ANN) == before
    assert o.desk.submit(ANN, careful(o.survey, before["unit"]))["accepted"]


def test_a_platform_that_does_not_take_the_annotator_in_costs_nothing(office):
    o = office()
    o.crowd.failing = {"arrived"}
    with pytest.raises(RuntimeError):
        o.desk.next_unit(ANN)
    assert o.ledger.handouts() == []
    o.crowd.failing = set()
    assert o.desk.next_unit(ANN)["progress"]["used"] == 1


@pytest.mark.parametrize(("back", "after", "taken"), [(7200, 80, True), (7200, 95, False), (3640, 0, True)])
def test_what_was_done_while_there_was_no_server_may_still_be_sent(office, back, after, taken):
    o = office()
    body = careful(o.survey, o.unit("ann"))
    o.clock.pass_by(back)
    o.restart()
    o.clock.pass_by(after)
    assert o.desk.expire() == (0 if taken else 1)
    if taken:
        assert o.desk.submit(ANN, body)["accepted"]
    else:
        assert refused(o.desk.submit, ANN, body) == (410, "late")


def test_a_restart_prolongs_nothing_that_comes_after_it_or_is_over_on_the_platform(office):
    o = office()
    first = Visitor("ann", "assignment-1")
    body = careful(o.survey, o.desk.next_unit(first)["unit"])
    o.clock.pass_by(3640)
    o.restart()
    assert refused(o.desk.submit, first, body) == (410, "late")
    later = careful(o.survey, o.unit("bob"))
    o.clock.pass_by(3631)
    assert refused(o.desk.submit, BOB, later) == (410, "late")


@pytest.mark.parametrize("restart", [True, False])
def test_the_platform_is_told_until_it_has_heard(office, restart):
    o = office()
    o.crowd.failing = {"finished"}
    done = o.desk.submit(ANN, careful(o.survey, o.unit("ann")))
    assert done["accepted"]
    o.desk.give_back(BOB, o.unit("bob"))
    assert o.crowd.done == {}
    o.crowd.failing = set()
    if restart:
        assert o.restart()["told"] == 1
    else:
        o.clock.pass_by(120)
        o.desk.expire()
    assert list(o.crowd.done) == ["agent-1"]
    assert o.restart()["told"] == 0


def full(ledger):
    """Leave the ledger's disk no room; a few bytes still fit in the pages that it has."""
    ledger._db.execute("CREATE TABLE filler (x)")
    ledger._db.execute(f"PRAGMA max_page_count = {ledger._db.execute('PRAGMA page_count').fetchone()[0]}")
    with contextlib.suppress(sqlite3.OperationalError):
        while True:
            ledger._db.execute("INSERT INTO filler VALUES (zeroblob(100))")


def room(ledger):
    ledger._db.execute("PRAGMA max_page_count = 1000000")


def test_a_full_disk_says_busy_and_changes_nothing(office):
    o = office(talks=conversations(bots=5, per_pair=8, people=20))
    unit = o.desk.next_unit(ANN)["unit"]
    body = {**careful(o.survey, unit), "comment": "x" * 2000}
    full(o.ledger)
    assert refused(o.desk.submit, ANN, body) == (503, "busy")
    crowd = (Visitor(f"w{n}") for n in range(len(o.units)))
    late = next(visitor for visitor in crowd if not gets_a_unit(o, visitor))
    before = [o.desk.session(ANN), o.desk.session(late), o.desk.counts()]
    assert (before[0]["state"], before[1]["state"]) == ("working", "ready")
    assert refused(o.desk.next_unit, late) == (503, "busy")
    assert refused(o.desk.submit, ANN, body) == (503, "busy")
    assert [o.desk.session(ANN), o.desk.session(late), o.desk.counts()] == before
    o.restart()
    assert [o.desk.session(ANN), o.desk.session(late), o.desk.counts()] == before  # what memory says, the ledger says
    room(o.ledger)
    assert o.crowd.done == {}
    assert o.desk.submit(ANN, body)["accepted"]
    assert o.desk.next_unit(late)["state"] == "working"


def gets_a_unit(o, visitor):
    with contextlib.suppress(Refusal):
        return o.desk.next_unit(visitor)["state"] == "working"
    return False


def test_expiring_on_a_full_disk_tries_again(office, monkeypatch):
    o = office()
    o.unit("ann")
    o.clock.pass_by(4000)

    def no_room(*args):
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(o.ledger, "end", no_room)
        assert o.desk.expire() == 0
    assert o.desk.expire() == 1


def test_a_ledger_that_another_process_wrote_to_is_read_again(office):
    # Two desks on one ledger, which the operator's lock rules out: still nobody gets what is taken.
    o = office()
    other = Office(o.survey, o.units, o.controls, o.talks, o.path, o.clock, o.crowd)
    taken = {held(o, Visitor(f"w{n}")).unit_id for n in range(4) if o.unit(f"w{n}")}
    other.unit("ann")
    assert held(other, ANN).unit_id not in taken
    assert len(other.desk.stock.open) == 5
