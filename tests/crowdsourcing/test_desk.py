"""The desk's rules, one at a time."""

from office import careful

from parlai_spotbot.crowdsourcing.contract import Visitor


def test_a_unit_goes_out_and_comes_back(office):
    o = office()
    ann = Visitor("ann")
    assert o.desk.session(ann)["state"] == "ready"
    said = o.desk.next_unit(ann)
    assert said["state"] == "working"
    done = o.desk.submit(ann, careful(o.survey, said["unit"]))
    assert done["accepted"] is True
    assert done["progress"] == {"done": 1, "allowance": 3, "used": 1}
