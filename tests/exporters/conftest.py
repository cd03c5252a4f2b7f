"""Fixtures: the studies that goldens are made of, and the command in this process."""

import shutil
from pathlib import Path

import pytest

from parlai_spotbot.scripts.spotbot_export import SpotbotExport
from parlai_spotbot.study import Study
from tests.in_process import in_a_line

STUDIES = Path(__file__).parents[1] / "goldens" / "studies"


@pytest.fixture
def study(tmp_path):
    """A copy of one of these studies."""

    def copy(name: str) -> Study:
        return Study.open(shutil.copytree(STUDIES / name, tmp_path / name))

    return copy


@pytest.fixture
def run():
    """Run spotbot_export; returns (exit code, stdout, stderr in one line)."""
    return in_a_line(SpotbotExport.main)
