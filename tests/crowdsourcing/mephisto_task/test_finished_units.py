"""Finished units in Mephisto's database: what its tools show, repeated and cut off; transcripts never get there."""

import json
from pathlib import Path

import pytest

from parlai_spotbot.crowdsourcing.desk.contract import Visitor
from parlai_spotbot.crowdsourcing.mephisto_task import home  # noqa: F401  before any of Mephisto
from parlai_spotbot.errors import UserError

from mephisto.data_model.agent import Agent  # isort: skip
from mephisto.tools.data_browser import DataBrowser  # isort: skip

SUBMISSION = {"items": [{"item": 0, "answers": [{"question": "nature", "answer": "bot"}]}], "comment": "naïve 😀"}


@pytest.fixture
def crowd(setup_task, serve_task):
    with serve_task(setup_task()) as task:
        yield task.crowd


def test_mephistos_tools_show_the_answers_and_approve_them(crowd, finish):
    agent = finish(crowd, "ann", "unit-1-2", started_at=1700000000.5, **SUBMISSION)
    unit = agent.get_unit()
    assert (unit.db_status, unit.agent_id, agent.db_status) == ("completed", agent.db_id, "completed")
    assert unit.get_assignment_data().unit_data == [{"unit_id": "unit-1-2"}]
    assert agent.get_worker().worker_name == "ann"
    (found,) = DataBrowser(db=crowd.db).get_units_for_task_name("study-spot_the_bot")
    shown = DataBrowser(db=crowd.db).get_data_from_unit(found)
    assert shown["status"] == "completed"
    assert shown["data"] == {"handle": shown["data"]["handle"], "started_at": 1700000000.5, **SUBMISSION}
    assert agent.state.get_task_start() == 1700000000.5
    assert agent.state.get_task_end() > agent.state.get_task_start()
    agent.approve_work()
    (found,) = DataBrowser(db=crowd.db).get_units_for_task_name("study-spot_the_bot")
    assert found.get_status() == "accepted"


def test_repeating_a_call_does_no_harm(crowd, finish):
    first = finish(crowd)
    first.approve_work()
    again = finish(crowd)
    assert (again.db_id, again.get_status()) == (first.db_id, "approved")
    other = finish(crowd, "ann", "unit-1-0")
    assert other.worker_id == first.worker_id
    assert (len(crowd.db.find_agents()), len(crowd.db.find_units()), len(crowd.db.find_workers())) == (2, 2, 1)


class CutOffError(BaseException):
    """The moment of a kill, at a chosen statement."""


@pytest.mark.parametrize("name", ["_new_assignment", "_new_unit", "_new_agent", "_update_agent", "_update_unit"])
def test_a_call_that_was_cut_off_can_be_made_again(setup_task, serve_task, finish, monkeypatch, name):
    def cut(*args, **kwargs):
        raise CutOffError

    with serve_task(setup_task()) as task, monkeypatch.context() as patched:
        patched.setattr(type(task.crowd.db), name, cut)
        with pytest.raises(CutOffError):
            finish(task.crowd)
    with serve_task(setup_task()) as task:
        agent = finish(task.crowd)
        assert agent.get_unit().db_status == agent.db_status == "completed"
        assert len(task.crowd.db.find_units()) == len(task.crowd.db.find_agents()) == 1


def test_an_answer_is_one_file_replaced_whole(crowd, finish, monkeypatch):
    agent = finish(crowd, **SUBMISSION)
    stored = json.loads(agent.state.path.read_text(encoding="utf-8"))
    assert (stored["inputs"], stored["outputs"]["comment"]) == ({"unit_id": "unit-0-0"}, SUBMISSION["comment"])
    assert [path.name for path in agent.state.path.parent.iterdir()] == ["agent_data.json"]
    agent.state.update_metadata("tips", [{"header": "h", "text": "t"}])
    assert Agent.get(crowd.db, agent.db_id).state.get_tips() == [{"header": "h", "text": "t"}]
    with pytest.raises(ValueError, match="no live updates"):
        agent.state.update_data({"text": "hello"})
    before = agent.state.path.read_bytes()
    monkeypatch.setattr("os.replace", _fail)
    with pytest.raises(UserError, match="cannot write"):
        agent.state.update_submit({"items": [2]})
    assert agent.state.path.read_bytes() == before


def _fail(*_):
    raise OSError(28, "No space left on device")


def test_blocked_annotators_are_refused(crowd, finish):
    assert crowd.refuses(Visitor("ann")) is None
    finish(crowd).get_worker().block_worker("insults")
    assert crowd.refuses(Visitor("ann")) == "You can't take part in this task."


def test_transcripts_never_enter_mephistos_files(setup_task, serve_task, finish):
    setup = setup_task()
    with serve_task(setup) as task:
        finish(task.crowd)
    everything = [path for path in Path(setup.data_root).rglob("*") if path.is_file()]
    assert len(everything) > 3
    for path in everything:
        assert not any(words in path.read_bytes() for words in (b"secret words", b"conversation-")), path
