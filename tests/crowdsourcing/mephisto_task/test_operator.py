"""Serving, resuming in place, stopping, closing, and what is refused before anything is posted."""

import os
import subprocess
import sys
import threading

import pytest

from parlai_spotbot.errors import UserError

from parlai_spotbot.crowdsourcing.mephisto_task.operator import close  # isort: skip


# -- stopped and resumed ---------------------------------------------------------------------------------------------
def test_resumed_in_one_run_until_it_is_closed(setup_task, serve_task, finish):
    setup, runs = setup_task(), []
    for _ in range(2):
        with serve_task(setup) as task:
            runs.append(task.crowd.task_run.db_id)
        assert task.outcome == "stopped"
    close(setup)
    close(setup)
    with serve_task(setup) as task:
        runs.append(task.crowd.task_run.db_id)
        assert finish(task.crowd).task_run_id == runs[2]
    assert runs[0] == runs[1] != runs[2]
    close(setup_task(data_root=setup.data_root.parent / "never began"))


def test_ends_when_all_is_done(setup_task, serve_task):
    with serve_task(setup_task()) as task:
        task.server.done = True
        for thread in threading.enumerate():
            if thread.name.startswith("Thread-") and "run" in thread.name:
                thread.join(10)
    assert task.outcome == "done"
    assert task.server.stops == 1


# -- refusals --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("change", "problem"),
    [({"units": ()}, "no units"), ({"provider": "mturk", "public_url": "http://here"}, "https address")],
)
def test_setups_that_cannot_be_launched(setup_task, serve_task, change, problem):
    with pytest.raises(UserError, match=problem) as caught, serve_task(setup_task(**change)):
        pass
    assert caught.value.remedy or "Did you mean" in caught.value.problem


def test_a_collection_stays_on_its_platform(setup_task, serve_task):
    with serve_task(setup_task()):
        pass
    with (
        pytest.raises(UserError, match="begun on in_house, not on prolific"),
        serve_task(setup_task(provider="prolific")),
    ):
        pass


# -- hygiene ---------------------------------------------------------------------------------------------------------
def test_importing_asks_nothing_and_a_line_of_the_log_comes_once(tmp_path):
    script = """
from parlai_spotbot.crowdsourcing.mephisto_task import home, operator
import logging, sys
logging.basicConfig(stream=sys.stdout, format="%(name)s %(message)s")
logging.getLogger("mephisto.data_model.agent").warning("once")
logging.getLogger("mephisto.data_model.agent").info("never")
from mephisto.utils.dirs import get_root_data_dir
try:
    get_root_data_dir()
except Exception as err:
    print(type(err).__name__)
home.database(sys.argv[1]).shutdown()
print(get_root_data_dir() == sys.argv[1])
"""
    env = {**os.environ, "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "root")],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=env,
    )
    assert done.stdout == "mephisto.data_model.agent once\nUserError\nTrue\n", done.stderr
    assert done.stderr == ""
    assert {path.name for path in tmp_path.iterdir()} == {"root"}
