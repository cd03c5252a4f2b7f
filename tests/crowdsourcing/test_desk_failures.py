"""What a crash, a full disk or a platform that fails leaves behind: everything that was said, and nothing else."""

import pytest
from office import careful, refused

from parlai_spotbot.crowdsourcing.desk.contract import Visitor

ANN, BOB = Visitor("ann"), Visitor("bob")


def held(o, visitor):
    """The ledger's open hand-out of an annotator."""
    (handout,) = o.ledger.handouts("worker = ? AND status = 'open'", visitor.worker)
    return handout


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
