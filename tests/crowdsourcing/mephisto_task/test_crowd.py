"""The crowd behind the desk: Mephisto's rows follow what the desk says, at constant cost, repeated or cut off."""

import json
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from parlai_spotbot.crowdsourcing.contract import Visitor
from parlai_spotbot.crowdsourcing.mephisto_task import home  # noqa: F401  before any of Mephisto

from mephisto.data_model.agent import Agent  # isort: skip
from mephisto.data_model.qualification import QUAL_EXISTS, QUAL_GREATER_EQUAL, QUAL_NOT_EXIST  # isort: skip
from mephisto.data_model.unit import Unit  # isort: skip
from mephisto.tools.data_browser import DataBrowser  # isort: skip

SUBMISSION = {"items": [{"item": 0, "answers": [{"question": "nature", "answer": "bot"}]}], "comment": "naïve 😀"}


def unit_of(crowd, unit_id):
    return Unit.get(crowd.db, crowd._unit_ids[unit_id])


def agent_of(crowd, agent_id):
    return Agent.get(crowd.db, agent_id)


def requirement(name, comparator, value=None, providers=None):
    return {"qualification_name": name, "comparator": comparator, "value": value, "applicable_providers": providers}


@pytest.fixture
def crowd(setup_task, serve_task):
    with serve_task(setup_task()) as task:
        yield task.crowd


# -- units -----------------------------------------------------------------------------------------------------------
def test_a_unit_given_out(crowd):
    agent = agent_of(crowd, crowd.assign(Visitor("ann"), "unit-1-2"))
    unit = unit_of(crowd, "unit-1-2")
    assert (unit.db_status, unit.agent_id, unit.unit_index) == ("assigned", agent.db_id, 2)
    assert unit.get_assignment_data().unit_data[unit.unit_index] == {"unit_id": "unit-1-2"}
    assert unit.get_assignment_data().shared == {"block_id": "block-1"}
    assert agent.db_status == "in task"
    assert agent.get_worker().worker_name == "ann"
    assert crowd.statuses() == {"assigned": 1, "launched": 5}


def test_an_annotator_is_one_worker(crowd):
    first = crowd.assign(Visitor("ann"), "unit-0-0")
    crowd.completed(first, SUBMISSION)
    second = crowd.assign(Visitor("ann"), "unit-1-0")
    assert agent_of(crowd, first).worker_id == agent_of(crowd, second).worker_id
    assert len(crowd.db.find_workers()) == 1


def test_mephistos_tools_show_the_answers(crowd):
    agent_id = crowd.assign(Visitor("ann"), "unit-0-0")
    crowd.completed(agent_id, SUBMISSION)
    browser = DataBrowser(db=crowd.db)
    (unit,) = browser.get_units_for_task_name("study-spot_the_bot")
    shown = browser.get_data_from_unit(unit)
    assert shown["data"] == SUBMISSION
    assert shown["status"] == "completed"
    agent_of(crowd, agent_id).approve_work()
    (unit,) = browser.get_units_for_task_name("study-spot_the_bot")
    assert unit.get_status() == "accepted"


def test_completing_twice_does_no_harm(crowd):
    agent_id = crowd.assign(Visitor("ann"), "unit-0-0")
    crowd.completed(agent_id, SUBMISSION)
    agent_of(crowd, agent_id).approve_work()
    crowd.completed(agent_id, SUBMISSION)  # a replay after a restart takes no approval back
    assert agent_of(crowd, agent_id).get_status() == "approved"
    assert unit_of(crowd, "unit-0-0").get_status() == "accepted"
    assert crowd.runner.running_units == {}


@pytest.mark.parametrize(("how", "status"), [("returned", "returned"), ("expired", "timeout")])
def test_a_unit_given_back_goes_to_somebody_else(crowd, how, status):
    first = crowd.assign(Visitor("ann"), "unit-0-0")
    crowd.gone(first, how)
    crowd.gone(first, how)
    assert agent_of(crowd, first).db_status == status
    assert unit_of(crowd, "unit-0-0").db_status == "launched"
    second = crowd.assign(Visitor("bob"), "unit-0-0")
    crowd.gone(first, how)  # a late repetition takes nothing from the second
    assert unit_of(crowd, "unit-0-0").agent_id == second
    assert agent_of(crowd, second).db_status == "in task"


def test_done_stays_done(crowd):
    agent_id = crowd.assign(Visitor("ann"), "unit-0-0")
    crowd.completed(agent_id, SUBMISSION)
    crowd.gone(agent_id, "expired")
    assert agent_of(crowd, agent_id).db_status == "completed"
    with pytest.raises(RuntimeError, match="is done"):
        crowd.assign(Visitor("bob"), "unit-0-0")
    assert unit_of(crowd, "unit-0-0").agent_id == agent_id


def test_what_an_older_ledger_does_not_know_is_offered_again(crowd):
    """A copy of the ledger was put back: bob's unit is done for Mephisto alone, ann's for both."""
    ann = crowd.assign(Visitor("ann"), "unit-0-0")
    bob = crowd.assign(Visitor("bob"), "unit-1-0")
    for agent_id in (ann, bob):
        crowd.completed(agent_id, SUBMISSION)
    assert crowd.forgotten([ann]) == 1
    assert crowd.forgotten([ann]) == 0
    again = crowd.assign(Visitor("cyd"), "unit-1-0")
    crowd.completed(again, SUBMISSION)
    assert unit_of(crowd, "unit-1-0").agent_id == again
    assert agent_of(crowd, bob).db_status == "completed"
    assert unit_of(crowd, "unit-0-0").agent_id == ann


@pytest.mark.parametrize("agent_id", ["999", "", "../1", "onboarding_1"])
def test_unknown_agents(crowd, agent_id):
    with pytest.raises(KeyError):
        crowd.completed(agent_id, SUBMISSION)
    with pytest.raises(KeyError):
        crowd.gone(agent_id, "returned")


def test_unknown_unit(crowd):
    with pytest.raises(KeyError):
        crowd.assign(Visitor("ann"), "unit-9-9")


def test_the_desk_decides_over_an_agent_that_mephisto_believes_in(crowd):
    """The operator died after Mephisto's note and before the ledger's: the ledger gives the unit out again."""
    ghost = crowd.assign(Visitor("ann"), "unit-0-0")
    agent_id = crowd.assign(Visitor("bob"), "unit-0-0")
    assert agent_of(crowd, ghost).db_status == "disconnect"
    assert unit_of(crowd, "unit-0-0").agent_id == agent_id


def test_an_accepted_answer_counts_whatever_mephisto_believes(crowd):
    agent_id = crowd.assign(Visitor("ann"), "unit-0-0")
    crowd.gone(agent_id, "expired")
    other = crowd.assign(Visitor("bob"), "unit-0-0")
    crowd.completed(agent_id, SUBMISSION)
    unit = unit_of(crowd, "unit-0-0")
    assert (unit.agent_id, unit.db_status) == (agent_id, "completed")
    assert unit.worker_id == agent_of(crowd, agent_id).worker_id
    assert agent_of(crowd, other).db_status == "disconnect"
    assert agent_of(crowd, agent_id).state.get_parsed_data() == SUBMISSION


def test_an_answer_is_stored_again_where_its_file_was_lost(crowd):
    agent_id = crowd.assign(Visitor("ann"), "unit-0-0")
    crowd.completed(agent_id, SUBMISSION)
    agent = agent_of(crowd, agent_id)
    agent.state.path.unlink()
    crowd.completed(agent_id, SUBMISSION)
    assert json.loads(agent.state.path.read_text(encoding="utf-8"))["outputs"] == SUBMISSION


def test_settling_ends_agents_that_the_ledger_does_not_know(crowd):
    known = crowd.assign(Visitor("ann"), "unit-0-0")
    unknown = crowd.assign(Visitor("bob"), "unit-0-1")
    done = crowd.assign(Visitor("cat"), "unit-0-2")
    crowd.completed(done, SUBMISSION)
    assert crowd.settle([known]) == [unknown]
    assert crowd.settle([known]) == []
    assert crowd.statuses() == {"assigned": 1, "completed": 1, "launched": 4}


def count_statements(crowd, work):
    seen = []
    connection = crowd.db._get_connection()
    connection.set_trace_callback(seen.append)
    work()
    connection.set_trace_callback(None)
    return len(seen)


def test_a_hand_out_costs_the_same_however_many_units_are_open(setup_task, serve_task, make_units, tmp_path):
    counts = []
    for blocks in (2, 200):
        setup = setup_task(units=make_units(blocks), data_root=tmp_path / f"root{blocks}")
        with serve_task(setup) as task:
            ids = []

            def work(crowd=task.crowd, ids=ids):
                assert crowd.refuses(Visitor("ann")) is None
                ids.append(crowd.assign(Visitor("ann"), "unit-1-1"))

            first = count_statements(task.crowd, work)
            done = count_statements(task.crowd, partial(task.crowd.completed, ids[0], SUBMISSION))
            counts.append((first, done))
    assert counts[0] == counts[1]
    assert 5 < counts[0][0] < 40  # it did count something


# -- annotators ------------------------------------------------------------------------------------------------------
def test_failed_annotators_are_refused(crowd):
    assert crowd.refuses(Visitor("ann")) is None
    crowd.qualified("ann", False)
    crowd.qualified("ann", False)
    crowd.qualified("bob", True)
    assert "known answer" in crowd.refuses(Visitor("ann"))
    assert crowd.refuses(Visitor("bob")) is None
    (bob,) = DataBrowser(db=crowd.db).get_workers_with_qualification("study-spot_the_bot-passed")
    assert bob.worker_name == "bob"


def test_blocked_annotators_are_refused(crowd):
    worker = agent_of(crowd, crowd.assign(Visitor("ann"), "unit-0-0")).get_worker()
    worker.block_worker("insults")
    assert crowd.refuses(Visitor("ann")) == "You can't take part in this task."


def test_required_qualifications(setup_task, serve_task):
    wanted = (
        requirement("speaks-english", QUAL_EXISTS),
        requirement("age", QUAL_GREATER_EQUAL, 18),
        requirement("author", QUAL_NOT_EXIST),
        requirement("only-there", QUAL_EXISTS, providers=["mturk"]),
    )
    with serve_task(setup_task(qualifications=wanted)) as task:
        crowd = task.crowd
        grant = {"none": {}, "english": {"speaks-english": 1}, "minor": {"speaks-english": 1, "age": 17}}
        grant["good"] = {"speaks-english": 1, "age": 18}
        grant["author"] = {**grant["good"], "author": 1}
        for name, granted in grant.items():
            worker = crowd._worker(name, {})
            for qualification, value in granted.items():
                worker.grant_qualification(qualification, value)
        admitted = [name for name in ["stranger", *grant] if crowd.refuses(Visitor(name)) is None]
        assert admitted == ["good"]


def test_a_failure_is_remembered_over_launches(setup_task, serve_task):
    setup = setup_task()
    with serve_task(setup) as task:
        task.crowd.qualified("ann", False)
    with serve_task(setup) as task:
        assert task.crowd.refuses(Visitor("ann"))


# -- any order of events ---------------------------------------------------------------------------------------------
EVENTS = st.lists(
    st.tuples(st.sampled_from(["assign", "completed", "returned", "expired", "settle", "restart"]), st.integers(0, 5)),
    min_size=5,
    max_size=40,
)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=EVENTS)
def test_mephisto_mirrors_the_desk(events, setup_task, serve_task, tmp_path_factory):
    """Whatever happens in whatever order, with restarts in between, the rows say what the desk's own table says."""
    setup = setup_task(data_root=tmp_path_factory.mktemp("root"))
    desk = {}  # unit id → (agent id, "open" | "done")
    remaining = [*events, ("restart", 0)]
    while remaining:
        with serve_task(setup) as task:
            crowd = task.crowd
            while remaining:
                event, number = remaining.pop(0)
                unit = setup.units[number].unit_id
                agent, state = desk.get(unit, (None, "free"))
                if event == "restart":
                    break
                if event == "assign" and state == "free":
                    desk[unit] = (crowd.assign(Visitor(f"worker-{number}"), unit), "open")
                elif event == "completed" and state != "free":
                    crowd.completed(agent, SUBMISSION)
                    desk[unit] = (agent, "done")
                elif event in ("returned", "expired") and state == "open":
                    crowd.gone(agent, event)
                    del desk[unit]
                elif event == "settle":
                    crowd.settle([a for a, s in desk.values() if s == "open"])
            check_mirror(crowd, setup, desk)


def check_mirror(crowd, setup, desk):
    for unit in setup.units:
        row = unit_of(crowd, unit.unit_id)
        agent, state = desk.get(unit.unit_id, (None, "free"))
        assert row.agent_id == agent
        assert row.db_status == {"free": "launched", "open": "assigned", "done": "completed"}[state]
        if state != "free":
            assert agent_of(crowd, agent).db_status == {"open": "in task", "done": "completed"}[state]


def test_an_assignment_that_failed_half_way_can_be_done_again(crowd, monkeypatch):
    """A full disk, say, after the unit was reserved; and nothing stays reserved of what is done or given back."""
    with monkeypatch.context() as patched:
        patched.setattr(crowd.provider.AgentClass, "new", _fail)
        with pytest.raises(OSError, match="full"):
            crowd.assign(Visitor("ann"), "unit-0-0")
    crowd.completed(crowd.assign(Visitor("bob"), "unit-0-0"), SUBMISSION)
    crowd.gone(crowd.assign(Visitor("cat"), "unit-0-1"), "returned")
    assert list((Path(crowd.task_run.get_run_dir()) / "reservations").iterdir()) == []


def _fail(*_):
    raise OSError(28, "the disk is full")
