"""Fixtures of the Mephisto tests: a page, units, a task served in a thread or in a process, with a real database."""

import contextlib
import functools
import http.server
import threading
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from parlai_spotbot.crowdsourcing.ledger.entries import Handout
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
        box["server"] = PlainServer(setup.study, crowd, host, port)
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
    """setup_task(**changes): a task of two blocks with three units each, in-house."""
    (tmp_path / "study").mkdir()
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
    )
    return lambda **changes: replace(setup, **changes)


def handout_of(worker, unit_id, registration):
    """The desk's record of a unit that was handed in."""
    handle = sha256(f"{worker} {unit_id} {registration}".encode()).hexdigest()[:32]
    return Handout(handle, worker, registration, 0, unit_id, "block", (), "", 1.0, 2.0, "done", finished_at=1.5)


def finish_unit(crowd, worker="ann", unit_id="unit-0-0", registration="", **submission):
    """Tell the crowd of a finished unit; returns Mephisto's agent."""
    from mephisto.data_model.agent import Agent

    handout = handout_of(worker, unit_id, registration)
    return Agent.get(crowd.db, crowd.finished(handout, {"handle": handout.handle, "items": [], **submission}))


@pytest.fixture
def finish():
    return finish_unit
