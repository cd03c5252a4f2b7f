"""Fixtures of the Mephisto tests: a page, units, a task served in a thread or in a process, with a real database."""

import contextlib
import functools
import http.server
import importlib.util
import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from parlai_spotbot.crowdsourcing.mephisto_task.setup import TaskSetup
from parlai_spotbot.records import Item, Unit, Utterance


class PlainServer:
    """A web server that serves a folder: what the operator needs of a server, without a desk behind."""

    def __init__(self, folder, crowd, host, port):
        self.crowd = crowd
        self.error = None
        self.done = False
        self.stops = 0
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
        self._make = lambda: http.server.ThreadingHTTPServer((host, port), handler)

    def start(self):
        self._httpd = self._make()
        self._thread = threading.Thread(target=self._httpd.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return "http://{}:{}".format(*self._httpd.server_address)

    def stop(self):
        self.stops += 1
        if self.stops == 1:
            self._httpd.shutdown()
            self._httpd.server_close()
            self._thread.join()

    def finished(self):
        return self.done

    def failed(self):
        return self.error


class Launched:
    """A task that is being served; the test's thread plays the desk's."""

    def __init__(self, server, url):
        self.server, self.crowd, self.url = server, server.crowd, url
        self.outcome = None


@contextlib.contextmanager
def serving(setup, port=0):
    """Serve `setup` in a thread while the block runs; `outcome` is there afterwards."""
    from parlai_spotbot.crowdsourcing.mephisto_task.operator import serve

    stop, ready, box = threading.Event(), threading.Event(), {}

    def make_server(crowd, host, port):
        box["server"] = PlainServer(setup.page, crowd, host, port)
        return box["server"]

    def on_ready(url):
        box["url"] = url
        ready.set()

    def run():
        try:
            box["outcome"] = serve(replace(setup, port=port), make_server=make_server, stop=stop, on_ready=on_ready)
        except BaseException as err:
            box["error"] = err
        ready.set()

    thread = threading.Thread(target=run)
    thread.start()
    ready.wait(60)
    launched = None
    try:
        if "url" in box:
            launched = Launched(box["server"], box["url"])
            yield launched
        else:
            stop.set()
            thread.join()
            raise box["error"]
    finally:
        stop.set()
        thread.join()
        if launched is not None:
            launched.outcome, launched.error = box.get("outcome"), box.get("error")
    if "error" in box:
        raise box["error"]


@pytest.fixture
def serve_task():
    return serving


@pytest.fixture
def plain_server():
    return PlainServer


def units_of(blocks, per_block=3, start=0):
    """`blocks` blocks of `per_block` units, one item each."""
    made = []
    for b in range(start, start + blocks):
        for u in range(per_block):
            words = (Utterance(0, f"secret words {b}"), Utterance(1, "an answer"))
            items = (Item(f"item-{b}-{u}", (f"conversation-{b}",), 1, (words,)),)
            made.append(Unit(f"unit-{b}-{u}", "spot_the_bot", f"block-{b}", u, 0, items))
    return tuple(made)


@pytest.fixture
def make_units():
    return units_of


@pytest.fixture
def setup_task(tmp_path):
    """setup_task(**changes): a task of two blocks with three units each, in-house, with a page of one line."""
    page = tmp_path / "page"
    page.mkdir()
    (page / "index.html").write_text("<p>the page</p>", encoding="utf-8")
    setup = TaskSetup(
        study=Path(tmp_path / "study"),
        survey="spot_the_bot",
        data_root=tmp_path / "study" / "surveys" / "spot_the_bot" / "crowdsourcing" / "mephisto",
        task_name="study-spot_the_bot",
        title="Which of them is a bot?",
        description="Read twenty short conversations.",
        keywords=("chat", "bot"),
        pay=1.5,
        minutes=60,
        provider="in_house",
        units=units_of(2),
        page=page,
    )
    return lambda **changes: replace(setup, **changes)


# -- operators in processes of their own -----------------------------------------------------------------------------
SCRIPT = Path(__file__).parent / "operator_process.py"


@pytest.fixture
def journal_of():
    """journal_of(path): what an operator's journal says (operator_process.read_journal)."""
    return load_script().read_journal


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


def read_rows(root):
    """(agents, units, number of runs) of the whole database, as plain rows."""
    from parlai_spotbot.crowdsourcing.mephisto_task import home

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


@pytest.fixture
def rows():
    return read_rows
