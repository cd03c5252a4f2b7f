"""The desk's rules, one at a time: who gets what, what is taken, and what does not fit."""

import pytest

from parlai_spotbot.crowdsourcing.desk.contract import Visitor
from parlai_spotbot.sequential.outlook import lacking
from tests.crowdsourcing.office import careful, controls_of, conversations, refused, spot_the_bot

ANN, BOB = Visitor("ann"), Visitor("bob")


def held(o, visitor):
    """The ledger's open hand-out of an annotator."""
    (handout,) = o.ledger.handouts("worker = ? AND status = 'open'", visitor.worker)
    return handout


def do_unit(o, visitor):
    """A whole unit, done; returns the session."""
    return o.desk.submit(visitor, careful(o.survey, o.desk.next_unit(visitor)["unit"]))


# -- handing out -------------------------------------------------------------------------------------------------------


def test_what_is_begun_is_finished_first(office):
    o = office(talks=conversations(bots=3, per_pair=4, people=6))
    order = []
    for n in range(6):
        o.unit(f"w{n}")
        order.append(held(o, Visitor(f"w{n}")).unit_id)
    assert order == [unit.unit_id for unit in o.units[:6]]
    o.desk.give_back(Visitor("w2"), {"unit": held(o, Visitor("w2")).handle})
    o.unit("new")
    assert held(o, Visitor("new")).unit_id == order[2]


def test_waiting_while_others_have_all_units_that_could_come(office):
    o = office(talks=conversations(bots=2, per_pair=4, people=2), annotators_per_segment=1)
    for n, _ in enumerate(o.units):
        o.unit(f"w{n}")
    said = o.desk.next_unit(ANN)
    assert (said["state"], "unit" in said) == ("waiting", False)
    for n, _ in enumerate(o.units):
        do_unit(o, Visitor(f"w{n}"))
    assert o.desk.session(ANN)["state"] == "finished"


def test_whom_the_platform_refuses_gets_nothing(office):
    o = office()
    body = careful(o.survey, o.unit("ann"))
    o.crowd.refused = {"ann": "Blocked.", "bob": "Not qualified."}
    assert refused(o.desk.next_unit, BOB) == (403, "stopped")
    assert o.desk.session(BOB)["why"] == "Not qualified."
    said = o.desk.submit(ANN, body)  # what was begun is taken
    assert (said["accepted"], said["state"], said["why"]) == (True, "stopped", "Blocked.")


def test_the_operator_sees_who_did_what_and_whether_those_invited_can_do_the_rest(office):
    o = office(talks=conversations(bots=2, per_pair=6, people=2), annotators_per_segment=1)
    do_unit(o, ANN)
    o.clock.pass_by(60)
    o.unit("bob")
    _, pairs, (ann, bob) = o.desk.standing()
    assert pairs == []
    assert (ann["worker"], ann["done"], ann["out"], ann["used"], ann["missed"]) == ("ann", 1, 0, 1, 0)
    assert (bob["done"], bob["out"], bob["minutes"]) == (0, 1, None)
    allowance = o.survey.limits.units_per_annotator
    assert 0 <= ann["can"] <= allowance - 1
    people = [{"worker": "ann", "can": 2}, {"worker": "bob", "can": 0}]
    some = {"free": 15, "allowance": 7}
    assert lacking(some, people, ["ann", "bob"]) == (
        "all links together can do at most 2 of 15 units that nobody has: add 2 annotators, by the same launch with "
        "--annotators 4"
    )
    assert lacking(some, people, ["ann", "bob", "cyd", "dan"]) == ""
    assert lacking({"free": 0, "allowance": 7}, people, ["ann"]) == ""


def test_no_control_comes_twice_to_an_annotator(office):
    o = office(spot_the_bot(controls_per_unit=2), controls=controls_of(each=1))
    for _ in range(3):
        do_unit(o, ANN)
    handed = [item for handout in o.ledger.handouts() for item in handout.items]
    assert sorted(item for item in handed if item.startswith("control")) == sorted(c.item_id for c in o.controls)
    assert {seed for _, kind, seed in o.ledger.seen() if kind == "seed"} <= set(o.seeds.values())


# -- registrations (MTurk's assignments) -------------------------------------------------------------------------------
def test_an_open_unit_belongs_to_its_registration(office):
    o = office()
    first, second = Visitor("ann", "assignment-1"), Visitor("ann", "assignment-2")
    unit = o.desk.next_unit(first)["unit"]
    assert o.desk.next_unit(second)["state"] == "waiting"
    body = careful(o.survey, unit)
    assert refused(o.desk.submit, second, body) == (403, "foreign")
    assert o.desk.submit(first, body)["state"] == "handed_in"
    assert o.desk.next_unit(first)["state"] == "handed_in"
    assert o.desk.next_unit(second)["state"] == "working"
    assert o.desk.session(first)["state"] == "handed_in"


# -- submitting --------------------------------------------------------------------------------------------------------
def test_what_is_handed_in_counts_once_and_is_recorded(office):
    o = office()
    body = {**careful(o.survey, o.unit("ann")), "comment": "fun"}
    handout = held(o, ANN)
    o.clock.pass_by(100)
    for _ in range(2):
        assert o.desk.submit(ANN, body)["progress"]["done"] == 1
    for call in (o.desk.submit, o.desk.give_back):
        assert refused(call, ANN, {**body, "comment": "more"}) == (409, "doubled")
    record = o.crowd.done["agent-1"]
    assert [row["item_id"] for row in record.pop("items")] == list(handout.items)
    assert record == {
        "handle": body["unit"],
        "unit_id": handout.unit_id,
        "started_at": handout.handed_at,
        "submitted_at": handout.handed_at + 100,
        "comment": "fun",
        "texts_language": "en",
    }


def test_another_ones_unit_is_refused(office):
    o = office()
    body = careful(o.survey, o.unit("ann"))
    o.unit("bob")
    for call in (o.desk.submit, o.desk.give_back, o.desk.open_exchange, o.desk.decide):
        assert refused(call, BOB, {"unit": "f" * 32}) == (404, "unknown")
        if call in (o.desk.open_exchange, o.desk.decide):  # a survey without a game opens and decides nothing
            assert refused(call, BOB, body) == (404, "unknown")
            continue
        assert refused(call, BOB, body) == (403, "foreign")
        for bad in (None, [], {}, {"unit": 1}, {**body, "unit": "\ud83d"}, {**body, "unit": "A" * 32}):
            assert refused(call, BOB, bad) == (400, "malformed")
    assert held(o, ANN).status == "open"
    assert refused(o.desk.submit, ANN, {**body, "texts_language": "<b>"}) == (400, "malformed")
    assert o.desk.submit(ANN, body)["accepted"]


def test_late_is_late_after_the_grace(office):
    o = office()
    body = careful(o.survey, o.unit("ann"))
    other = careful(o.survey, o.unit("bob"))
    o.clock.pass_by(3630)
    assert o.desk.session(ANN)["unit"]["seconds_left"] == 0
    assert o.desk.expire() == 0
    assert o.desk.submit(BOB, other)["accepted"]
    o.clock.pass_by(0.5)
    assert refused(o.desk.submit, ANN, body) == (410, "late")
    assert o.desk.expire() == 1
    assert o.desk.expire() == 0
    assert refused(o.desk.submit, ANN, body) == (410, "late")
    assert o.desk.give_back(ANN, body)["state"] == "ready"
    assert [submission.body for submission in o.ledger.submissions()] == [other]


# -- what doesn't fit --------------------------------------------------------------------------------------------------


def test_an_open_unit_whose_controls_are_no_more_expires(office):
    o = office()
    o.unit("ann")
    o.controls = []
    assert o.restart() == {"told": 0, "expired": 1}
    assert o.desk.next_unit(ANN)["state"] == "working"


# -- after a crash, or where the platform fails ------------------------------------------------------------------------
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


def test_the_platform_is_told_until_it_has_heard(office):
    o = office()
    o.crowd.failing = {"finished"}
    done = o.desk.submit(ANN, careful(o.survey, o.unit("ann")))
    assert done["accepted"]
    assert o.crowd.done == {}
    o.crowd.failing = set()
    o.clock.pass_by(120)
    o.desk.expire()
    assert list(o.crowd.done) == ["agent-1"]
    assert o.restart()["told"] == 0
