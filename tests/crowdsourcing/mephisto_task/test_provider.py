"""The in-house provider: Mephisto's own contract tests, and what is remembered of reviews, blocks and bonuses."""

import math

import pytest

from parlai_spotbot.crowdsourcing.mephisto_task import home  # noqa: F401  before any of Mephisto
from parlai_spotbot.crowdsourcing.mephisto_task.provider import InHouseProvider

from mephisto.abstractions.test import crowd_provider_tester  # isort: skip
from mephisto.data_model.unit import Unit  # isort: skip
from mephisto.data_model.worker import Worker  # isort: skip
from tests.case_tables import cases


class TestContract(crowd_provider_tester.CrowdProviderTests):
    """Mephisto's tests of a crowd provider, all of them."""

    CrowdProviderClass = InHouseProvider

    def get_test_worker_name(self):
        return "annotator"

    def get_test_requester_name(self):
        return "requester"

    def get_test_requester_balance(self, requester_name):
        return math.inf


@pytest.fixture
def done(setup_task, serve_task, finish):
    """(agent, unit) of a unit that was handed in."""
    with serve_task(setup_task()) as task:
        agent = finish(task.crowd)
        yield agent, Unit.get(task.crowd.db, agent.unit_id)


def test_approved_work_stays_approved_and_does_not_expire(done):
    agent, unit = done
    assert unit.expire() == 0.0
    assert (unit.get_status(), unit.is_expired()) == ("completed", False)
    agent.approve_work()
    agent.reject_work("too late")  # as on paid platforms
    unit.expire()
    assert unit.get_status() == "accepted"


@cases("decide status", "[[reject_work, rejected], [soft_reject_work, soft_rejected]]")
def test_work_is_rejected_or_passed_over(done, decide, status):
    agent, unit = done
    getattr(agent, decide)(*(["all answers the same"] if decide == "reject_work" else []))
    assert unit.get_status() == status


def test_blocks_outlive_the_process(done):
    agent, _ = done
    worker, run = agent.get_worker(), agent.get_task_run()
    assert worker.is_eligible(run)
    worker.block_worker("insults in the comments")
    assert not Worker.get(worker.db, worker.db_id).is_eligible(run)
    worker.unblock_worker("apologised", run.get_requester())
    assert worker.is_eligible(run)
    assert not worker.bonus_worker(1.0, "thanks")[0]
