"""Fixtures: the released data reproduced once, and the numbers to compare with; without the data tests skip."""

import json

import pytest

from parlai_spotbot.projects.spot_the_bot_2020.dump import DOMAINS, read_dump
from parlai_spotbot.projects.spot_the_bot_2020.reproduce import SpotTheBotSettings, reproduce_domain
from tests.outside_data import SPOT_THE_BOT, released_data


@pytest.fixture(scope="session")
def release():
    """The path of the released zip file."""
    path = released_data(SPOT_THE_BOT)
    return path


@pytest.fixture(scope="session")
def reproduced(release):
    """Domain -> `DomainReproduction`."""
    settings = SpotTheBotSettings(runs=20)
    return {domain: reproduce_domain(read_dump(release, domain), settings)[1] for domain in DOMAINS}


@pytest.fixture(scope="session")
def reference(release):
    """Read a reference file by its path under `reference/`."""

    def read(name: str):
        return json.loads((release.parents[2] / "reference" / name).read_text())

    return read


@pytest.fixture(scope="session")
def cell():
    """The cell of a table at a row and a column."""

    def find(table, row: str, column: str):
        found = [c for c in table.cells if (c.row, c.column) == (row, column)]
        assert len(found) == 1, (table.name, row, column)
        return found[0]

    return find
