"""Fixtures of the crowdsourcing room; helpers for its tests are in office.py (a desk), asking.py (the server) and
blind.py (conversations that show in the bytes), which they import by these names.
"""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from parlai_spotbot.crowdsourcing.mephisto_task.setup import PAGE
from parlai_spotbot.crowdsourcing.server.page_server import PageServer
from parlai_spotbot.surveys.packing.blocks import PackOptions, pack
from tests.crowdsourcing.asking import RecordingDesk, server_of
from tests.crowdsourcing.office import Office, controls_of, conversations, spot_the_bot


@pytest.fixture
def office(tmp_path) -> Callable[..., Office]:
    """Makes a desk: `talks` (conversations) packed by `pack_options`; each call makes another one."""
    made = itertools.count()

    def make(survey=None, talks=None, controls=None, **pack_options) -> Office:
        survey = survey or spot_the_bot()
        talks = conversations() if talks is None else talks
        options = PackOptions(**{"survey": survey.name, "unit_size": 6, "humans_per_unit": 2, **pack_options})
        units = pack(talks, options)
        path = tmp_path / f"office{next(made)}" / "ledger.db"
        return Office(survey, units, controls_of() if controls is None else controls, talks, path)

    return make


@pytest.fixture
def page(tmp_path) -> Path:
    """A folder that stands in for the built page, and a file beside it that nobody may get."""
    folder = tmp_path / "page"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>page</title>" + "x" * 2000)
    (folder / "assets" / "main.0123abcd.js").write_text("console.log(1);" * 100)
    (folder / "icon.svg").write_text("<svg/>")
    (tmp_path / "secret.txt").write_text("not to be served")
    return folder


@pytest.fixture
def served(tmp_path, page) -> PageServer:
    """A server that runs, with a desk that notes what it is asked."""
    desk = RecordingDesk()
    server = server_of(desk, page, log=tmp_path / "server.log")
    server.tick_seconds = 0.05
    server.start()
    yield server
    desk.gate.set()
    server.stop()


@pytest.fixture
def serve(tmp_path):
    """serve(survey, talks, options, known): the office and the server, with the built page where there is one."""
    running = []

    def start(survey, talks, options, known=()):
        page = PAGE
        if not (page / "index.html").is_file():
            page = tmp_path / "page"
            page.mkdir()
            (page / "index.html").write_text("<p>not built</p>")
        office = Office(survey, pack(talks, options), list(known), talks, tmp_path / "ledger.db")
        server = server_of(office.desk, page)
        server.start()
        running.append(server)
        return office, server

    yield start
    for server in running:
        server.stop()
