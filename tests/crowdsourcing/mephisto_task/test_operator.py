"""Launching, resuming in place, stopping, closing: real processes, killed for real, and what they leave behind."""

import importlib.util
import os
import random
import signal
import socket
import subprocess
import sys
import sysconfig
import threading
from pathlib import Path

import pytest

from parlai_spotbot import files
from parlai_spotbot.crowdsourcing.contract import Visitor
from parlai_spotbot.crowdsourcing.mephisto_task import home
from parlai_spotbot.errors import UserError

from mephisto.data_model.agent import Agent  # isort: skip
from mephisto.tools.data_browser import DataBrowser  # isort: skip

from parlai_spotbot.crowdsourcing.mephisto_task.operator import close  # isort: skip

SCRIPT = Path(__file__).parent / "operator_process.py"


def load_script():
    spec = importlib.util.spec_from_file_location("operator_process", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Operator:
    """The script in a process of its own, with an empty home and nobody at the terminal."""

    def __init__(self, root, blocks, mode, prepare=None):
        self.home = root / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        env = {**os.environ, "HOME": str(self.home), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        self.process = subprocess.Popen(
            [sys.executable, str(SCRIPT), str(root / "study"), str(blocks), mode],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=env,
            cwd=self.home,
            preexec_fn=prepare,
        )

    def wait_for(self, *words):
        """Read one line for each word, in any order."""
        lines = sorted(self.process.stdout.readline() for _ in words)
        assert all(map(str.startswith, lines, sorted(words))), self.process.stderr.read()

    def end(self):
        out, err = self.process.communicate(timeout=120)
        return self.process.returncode, out, err


@pytest.fixture
def operator(tmp_path):
    """operator(blocks, mode): starts one; none outlives the test."""
    started = []

    def start(blocks=2, mode="busy", prepare=None):
        started.append(Operator(tmp_path, blocks, mode, prepare))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
            one.process.communicate()


def rows(root):
    """(agents, units) of the whole database, as plain rows."""
    database = home.database(root)
    try:
        agents = [(a.db_id, a.unit_id, a.db_status) for a in database.find_agents()]
        units = {}
        for assignment in database.find_assignments():
            data = assignment.get_assignment_data().unit_data
            for unit in assignment.get_units():
                units.setdefault(data[unit.unit_index]["unit_id"], []).append(
                    (unit.db_id, unit.agent_id, unit.db_status)
                )
        return agents, units, len(database.find_task_runs())
    finally:
        database.shutdown()


# -- killed ----------------------------------------------------------------------------------------------------------
def kill_and_go_on(operator, tmp_path, blocks, kills, seed):
    """Kill the operator again and again while it works, then let it end; every answer must be there once."""
    script, chance = load_script(), random.Random(seed)
    journal = tmp_path / "study" / "journal.jsonl"
    for _ in range(kills):
        one = operator(blocks)
        if chance.random() < 0.7:
            one.wait_for("ready")  # else while it creates or recovers
        try:
            one.process.wait(chance.random() * 1.2)
        except subprocess.TimeoutExpired:
            one.process.send_signal(signal.SIGKILL)
        one.end()
    code, out, err = operator(blocks).end()
    assert (code, err) == (0, "")
    assert out.endswith("ended done\n")
    opened, done, given = script.read_journal(journal)
    assert opened == {}
    assert len(done) == blocks * 3
    assert len(given) == len(done)  # each was given out once: nobody lost a unit that was open
    agents, units, runs = rows(tmp_path / "study" / "mephisto")
    assert runs == 1
    assert {unit: [(row[1], row[2]) for row in found] for unit, found in units.items()} == {
        unit: [(agent, "completed")] for unit, agent in done.items()
    }
    assert {a for a, _, status in agents if status == "completed"} == set(done.values())
    assert {status for a, _, status in agents if a not in done.values()} <= {"disconnect"}


def test_killed_twice_and_resumed(operator, tmp_path):
    kill_and_go_on(operator, tmp_path, blocks=30, kills=2, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_killed_many_times(operator, tmp_path, seed):
    kill_and_go_on(operator, tmp_path, blocks=150, kills=8, seed=seed)


class CutOffError(BaseException):
    """The moment of a kill, at a chosen statement."""


def test_cut_off_at_every_statement_of_a_launch(setup_task, serve_task, monkeypatch, tmp_path):
    """After a launch that ended at any write to Mephisto's database, the next one offers every unit once."""
    Database = home._database_class()
    writes = ("_new_task", "_new_task_run", "_new_assignment", "_new_unit", "_update_unit", "_new_requester")
    countdown = [0]

    def cut(original):
        def write(self, *args, **kwargs):
            countdown[0] -= 1
            if countdown[0] == 0:
                raise CutOffError
            return original(self, *args, **kwargs)

        return write

    for name in writes:
        monkeypatch.setattr(Database, name, cut(getattr(Database, name)))
    cuts = 0
    for step in range(1, 100):
        setup = setup_task(data_root=tmp_path / f"root{step}")
        countdown[0] = step
        try:
            with serve_task(setup):
                break  # ran through: there are no more statements
        except CutOffError:
            cuts += 1
        countdown[0] = 0
        with serve_task(setup) as task:
            assert task.crowd.statuses() == {"launched": 6}
        _, units, runs = rows(setup.data_root)
        assert runs == 1
        assert sorted(units) == sorted(unit.unit_id for unit in setup.units)
        assert all(len(found) == 1 for found in units.values())
    assert cuts > 15


def test_a_torn_assignment_file(setup_task, serve_task):
    """A power cut took a file that Mephisto had written: its rows are given up, its units get new ones."""
    setup = setup_task()
    with serve_task(setup):
        pass
    (torn, *_) = sorted(setup.data_root.rglob("assign_data.json"))
    torn.write_text('{"shared": {"blo', encoding="utf-8")
    with serve_task(setup) as task:
        assert task.crowd.statuses() == {"expired": 3, "launched": 6}
        for unit in setup.units:
            task.crowd.assign(Visitor("w" + unit.unit_id), unit.unit_id)


# -- stopped and resumed ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_stopped_by_a_signal_even_in_the_background(operator, tmp_path, number):
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


def test_a_study_that_grew(setup_task, serve_task, make_units):
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
def test_closing_is_for_good_and_spares_what_is_done(setup_task, serve_task):
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
def listing(folder):
    """Every file below `folder` with its size and time, but compiled Python."""
    found = {}
    for path in Path(folder).rglob("*"):
        if "__pycache__" not in path.parts and path.is_file():
            found[str(path)] = (path.stat().st_size, path.stat().st_mtime_ns)
    return found


def test_a_launch_writes_nothing_outside_its_folder(operator, tmp_path):
    packages = Path(sysconfig.get_paths()["purelib"])
    watched = [packages / "mephisto", packages / "parlai", packages / "tmp", packages / "data"]
    before = [listing(folder) for folder in watched], sorted(os.listdir(packages))
    code, _, err = operator(2).end()
    assert (code, err) == (0, "")
    assert ([listing(folder) for folder in watched], sorted(os.listdir(packages))) == before
    assert list((tmp_path / "home").iterdir()) == []  # home, and the folder it was started in
    assert {path.name for path in (tmp_path / "study").iterdir()} == {"page", "mephisto", "journal.jsonl"}
    assert {path.name for path in (tmp_path / "study" / "mephisto").iterdir()} >= {"database.db", "data", "config.yml"}


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
