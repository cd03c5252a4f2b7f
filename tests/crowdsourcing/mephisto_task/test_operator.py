"""Serving, resuming in place, stopping, closing, and what is refused before anything is posted."""

import os
import socket
import subprocess
import sys
import threading

import pytest

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.mephisto_task import home
from parlai_spotbot.errors import UserError

from mephisto.tools.data_browser import DataBrowser  # isort: skip

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


def test_what_ends_the_server_is_told(setup_task, serve_task):
    def lose_the_disk(task):
        task.server.error = OSError("the disk is gone")
        task.server._thread.join(60)  # the operator stops it

    with pytest.raises(OSError, match="the disk is gone"), serve_task(setup_task()) as task:
        lose_the_disk(task)


def test_a_port_that_is_taken_leaves_nothing_running(setup_task, serve_task):
    setup = setup_task()
    taken = socket.create_server(("127.0.0.1", 0))
    with taken, pytest.raises(OSError, match="in use"), serve_task(setup, port=taken.getsockname()[1]):
        pass
    with serve_task(setup):
        pass


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
@pytest.mark.parametrize("spoilt", [b"core: [", b"\xff\xfe", b"a: &a [*a]"])
def test_a_spoilt_configuration_of_mephisto_is_one_error_with_its_remedy(tmp_path, spoilt):
    (tmp_path / "config.yml").write_bytes(spoilt)
    with pytest.raises(UserError, match=r"config\.yml: not valid YAML"):
        home.use(tmp_path)


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
home.use(sys.argv[1])
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


def test_mephistos_own_tools_find_the_study(setup_task, serve_task, finish):
    """What `use` sets up is enough for scripts that open Mephisto's database without naming it."""
    from mephisto.abstractions.databases.local_database import LocalMephistoDB

    setup = setup_task()
    with serve_task(setup) as task:
        finish(task.crowd)
    home.use(setup.data_root)
    database = LocalMephistoDB(os.path.join(files.read_json(_config(setup))["path"], "database.db"))
    browser = DataBrowser(db=database)
    (unit,) = browser.get_units_for_task_name(setup.task_name)
    assert browser.get_data_from_unit(unit)["data"]["items"] == []
    unit.get_assigned_agent().approve_work()
    assert unit.get_status() == "accepted"
    database.shutdown()


def _config(setup):
    import yaml

    config = yaml.safe_load((setup.data_root / "config.yml").read_text(encoding="utf-8"))
    path = setup.study / "config.json"
    files.write_json(path, {"path": config["core"]["main_data_directory"]})
    return path
