"""Launching, resuming in place, stopping, closing: real processes, killed for real, and what they leave behind."""

import os
import signal
import socket
import subprocess
import sys
import threading

import pytest

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.contract import Visitor
from parlai_spotbot.crowdsourcing.mephisto_task import home
from parlai_spotbot.errors import UserError

from mephisto.data_model.agent import Agent  # isort: skip
from mephisto.tools.data_browser import DataBrowser  # isort: skip

from parlai_spotbot.crowdsourcing.mephisto_task.operator import close  # isort: skip


# -- stopped and resumed ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_by_a_signal_even_in_the_background(operator, tmp_path, number, rows):
    """A shell starts background jobs with SIGINT ignored; open work stays open."""
    one = operator(2, "idle", prepare=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
    one.wait_for("ready", "idle")
    one.process.send_signal(number)
    code, out, err = one.end()
    assert (code, out, err) == (0, "ended stopped\n", "")
    agents, units, _ = rows(tmp_path / "study" / "mephisto")
    assert [status for *_, status in agents] == ["in task"]
    assert sorted(found[0][2] for found in units.values()) == ["assigned"] + ["launched"] * 5


def test_resumed_in_place(setup_task, serve_task):
    setup = setup_task()
    with serve_task(setup) as task:
        done = task.crowd.assign(Visitor("ann"), "unit-0-0")
        task.crowd.completed(done, {"items": []})
        still_open = task.crowd.assign(Visitor("bob"), "unit-0-1")
        dead = task.crowd.assign(Visitor("cat"), "unit-0-2")
        task.crowd.db.update_agent(dead, status="accepted")  # as if it died before it was at work
        first = task
    with serve_task(setup) as task:
        crowd = task.crowd
        assert crowd.task_run.db_id == first.outcome.task_run_id
        assert crowd.statuses() == {"completed": 1, "assigned": 1, "launched": 4}
        assert Agent.get(crowd.db, dead).db_status == "disconnect"
        assert [running.agent.db_id for running in crowd.runner.running_units.values()] == [still_open]
        crowd.completed(still_open, {"items": []})
        crowd.assign(Visitor("dan"), "unit-0-2")
    assert task.outcome.statuses == {"completed": 2, "assigned": 1, "launched": 3}
    assert task.outcome.reason == "stopped"


def test_a_study_that_grew(setup_task, serve_task, make_units, rows):
    setup = setup_task()
    with serve_task(setup) as task:
        agent = task.crowd.assign(Visitor("ann"), "unit-1-0")
    grown = setup_task(units=make_units(4, per_block=4))  # two blocks more, and a replicate more in each
    with serve_task(grown) as task:
        assert task.crowd.statuses() == {"assigned": 1, "launched": 15}
        task.crowd.completed(agent, {"items": []})
        task.crowd.assign(Visitor("bob"), "unit-3-3")
        task.crowd.assign(Visitor("cat"), "unit-0-3")
    _, units, runs = rows(setup.data_root)
    assert runs == 1
    assert all(len(found) == 1 for found in units.values())


def test_ends_when_all_is_done(setup_task, serve_task):
    with serve_task(setup_task()) as task:
        task.server.done = True
        for thread in threading.enumerate():
            if thread.name.startswith("Thread-") and "run" in thread.name:
                thread.join(10)
    assert task.outcome.reason == "done"
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
    with serve_task(setup) as task:
        assert task.crowd.statuses() == {"launched": 6}


# -- closed ----------------------------------------------------------------------------------------------------------
def test_closing_is_for_good_and_spares_what_is_done(setup_task, serve_task, rows):
    setup = setup_task()
    with serve_task(setup) as task:
        done = task.crowd.assign(Visitor("ann"), "unit-0-0")
        task.crowd.completed(done, {"items": []})
        at_work = task.crowd.assign(Visitor("bob"), "unit-0-1")
    assert close(setup) == {"completed": 1, "expired": 5}
    assert close(setup) == {}
    agents, _, _ = rows(setup.data_root)
    assert {a: status for a, _, status in agents} == {done: "completed", at_work: "expired"}
    with serve_task(setup) as task:  # somebody thinks better of it: a new run with what isn't done
        task.crowd.gone(at_work, "expired")  # the desk, too, hears of it and tells: the closed run stays closed
        assert task.crowd.db.unit_statuses("1") == {"completed": 1, "expired": 5}
        assert task.crowd.statuses() == {"launched": 5}
        task.crowd.assign(Visitor("cat"), "unit-0-1")
        with pytest.raises(RuntimeError, match="is done"):
            task.crowd.assign(Visitor("cat"), "unit-0-0")
    browser = DataBrowser(db=home.database(setup.data_root))
    assert len(browser.get_units_for_task_name(setup.task_name)) == 1


def test_closing_what_never_began(setup_task):
    assert close(setup_task()) == {}


# -- refusals --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"provider": "mtruk"}, "Did you mean 'mturk'"),
        ({"title": " "}, "title is empty"),
        ({"pay": -1.0}, "pay is -1.0"),
        ({"pay": float("nan")}, "pay is nan"),
        ({"minutes": 0}, "minutes is 0"),
        ({"units": ()}, "no units"),
        ({"provider": "mturk", "public_url": "http://here"}, "https address"),
        ({"provider": "mturk", "public_url": "https://here", "countries": ("Germany",)}, "ISO codes"),
        ({"provider": "mturk", "public_url": "https://here", "pay": 0.0}, "unpaid"),
    ],
)
def test_setups_that_cannot_be_launched(setup_task, serve_task, change, problem):
    with pytest.raises(UserError, match=problem) as caught, serve_task(setup_task(**change)):
        pass
    assert caught.value.remedy or "Did you mean" in caught.value.problem


def test_units_with_one_id(setup_task, make_units):
    units = make_units(1)
    with pytest.raises(UserError, match="unit-0-1 is there twice"):
        setup_task(units=(*units, units[1])).check()


def test_a_collection_stays_on_its_platform(setup_task, serve_task):
    with serve_task(setup_task()):
        pass
    with (
        pytest.raises(UserError, match="begun on in_house, not on prolific"),
        serve_task(setup_task(provider="prolific")),
    ):
        pass


# -- hygiene ---------------------------------------------------------------------------------------------------------
def test_a_launch_writes_nothing_outside_its_folder(operator, tmp_path):
    """Not beside Mephisto's code, not in the home folder, not where it was started."""
    code, _, err = operator(2).end()
    assert (code, err) == (0, "")
    study = tmp_path / "study"
    written = (study / "written.txt").read_text(encoding="utf-8").splitlines()
    assert str(study / "mephisto" / "database.db") in written
    assert [
        path for path in written if not path.startswith(f"{study}{os.sep}") and path not in (str(study), os.devnull)
    ] == []
    assert list((tmp_path / "home").iterdir()) == []  # home, and the folder it was started in
    assert {path.name for path in study.iterdir()} == {"page", "mephisto", "journal.jsonl", "written.txt"}


@pytest.mark.parametrize("spoilt", [b"core: [", b"\xff\xfe", b"a: &a [*a]"])
def test_a_spoilt_configuration_of_mephisto_is_one_error_with_its_remedy(tmp_path, spoilt):
    (tmp_path / "config.yml").write_bytes(spoilt)
    with pytest.raises(UserError, match=r"config\.yml: not valid YAML"):
        home.use(tmp_path)


def test_nothing_listens_but_the_server(operator):
    one = operator(2, "idle")
    one.wait_for("ready", "idle")
    for port in (3031, 3032, 9090):
        with socket.socket() as asked:
            if asked.connect_ex(("127.0.0.1", port)) == 0:
                assert port not in ports_of(one.process.pid)
    assert ports_of(one.process.pid) == set()  # its desk opens none


def ports_of(pid):
    import psutil

    return {c.laddr.port for c in psutil.Process(pid).net_connections() if c.status == psutil.CONN_LISTEN}


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


def test_mephistos_own_tools_find_the_study(setup_task, serve_task):
    """What `use` sets up is enough for scripts that open Mephisto's database without naming it."""
    from mephisto.abstractions.databases.local_database import LocalMephistoDB

    setup = setup_task()
    with serve_task(setup) as task:
        task.crowd.completed(task.crowd.assign(Visitor("ann"), "unit-0-0"), {"items": [7]})
    home.use(setup.data_root)
    database = LocalMephistoDB(os.path.join(files.read_json(_config(setup))["path"], "database.db"))
    browser = DataBrowser(db=database)
    (unit,) = browser.get_units_for_task_name(setup.task_name)
    assert browser.get_data_from_unit(unit)["data"] == {"items": [7]}
    unit.get_assigned_agent().approve_work()
    assert unit.get_status() == "accepted"
    database.shutdown()


def _config(setup):
    import yaml

    config = yaml.safe_load((setup.data_root / "config.yml").read_text(encoding="utf-8"))
    path = setup.study / "config.json"
    files.write_json(path, {"path": config["core"]["main_data_directory"]})
    return path
