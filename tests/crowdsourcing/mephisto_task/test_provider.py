"""The in-house provider: Mephisto's own contract tests, and what is remembered of reviews, blocks and bonuses."""

import contextlib
import math
import sqlite3
from pathlib import Path

import pytest

from parlai_spotbot.crowdsourcing.mephisto_task import home  # noqa: F401  before any of Mephisto
from parlai_spotbot.crowdsourcing.mephisto_task.datastore import InHouseDatastore
from parlai_spotbot.crowdsourcing.mephisto_task.provider import InHouseProvider
from parlai_spotbot.errors import UserError

from mephisto.abstractions.test import crowd_provider_tester  # isort: skip
from mephisto.data_model.agent import Agent  # isort: skip
from mephisto.data_model.unit import Unit  # isort: skip


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
    """(crowd, agent, unit) of a unit that was handed in."""
    with serve_task(setup_task()) as task:
        agent = finish(task.crowd)
        yield task.crowd, agent, Unit.get(task.crowd.db, agent.unit_id)


def test_approving(done):
    crowd, agent, unit = done
    agent.approve_work()
    agent.approve_work()
    assert unit.get_status() == "accepted"
    assert written(crowd, "SELECT decision, reason FROM reviews") == [("approved", "")]
    agent.reject_work("too late")  # as on paid platforms
    assert Agent.get(crowd.db, agent.db_id).get_status() == "approved"


def test_rejecting_keeps_the_reason(done):
    crowd, agent, unit = done
    agent.reject_work("all answers the same")
    assert unit.get_status() == "rejected"
    assert written(crowd, "SELECT decision, reason FROM reviews") == [("rejected", "all answers the same")]


def test_soft_rejecting_pays(done):
    crowd, agent, unit = done
    agent.soft_reject_work()
    assert unit.get_status() == "soft_rejected"
    assert written(crowd, "SELECT decision, reason FROM reviews") == [("approved", "")]


def test_what_is_done_does_not_expire(done):
    _, agent, unit = done
    assert unit.expire() == 0.0
    assert unit.get_status() == "completed"
    assert not unit.is_expired()
    agent.approve_work()
    unit.expire()
    assert unit.get_status() == "accepted"


def test_bonuses_are_listed_for_payment(done):
    crowd, agent, unit = done
    worker = agent.get_worker()
    assert worker.bonus_worker(2.5, "most points", unit) == (True, "")
    worker.bonus_worker(1.0, "thanks")
    sql = "SELECT worker_id, unit_id, amount, reason FROM bonuses"
    assert written(crowd, sql) == [(worker.db_id, unit.db_id, 2.5, "most points"), (worker.db_id, None, 1.0, "thanks")]


def written(crowd, sql):
    """What the in-house provider's database holds."""
    with contextlib.closing(sqlite3.connect(Path(_folder(crowd)) / "in_house.db")) as db:
        return db.execute(sql).fetchall()


def _folder(crowd):
    return crowd.db.get_db_path_for_provider(InHouseProvider.PROVIDER_TYPE)


def test_blocks_outlive_the_process(done):
    crowd, agent, _ = done
    worker = agent.get_worker()
    run = agent.get_task_run()
    assert worker.is_eligible(run)
    worker.block_worker("insults in the comments")
    assert InHouseDatastore(_folder(crowd)).is_blocked(worker.db_id)
    assert not worker.is_eligible(run)
    worker.unblock_worker("apologised", run.get_requester())
    assert worker.is_eligible(run)


def test_no_script_lets_a_page_claim_an_identity():
    with pytest.raises(UserError, match="signed links"):
        InHouseProvider.get_wrapper_js_path()
