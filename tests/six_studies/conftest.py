"""The six studies, each made once, on the conversations of one self-play."""

from pathlib import Path

import pytest
import yaml

from tests.six_studies.six_studies import STUDIES, make, play

SLOW = {"careless", "demo", "judges", "surveys", "unsettled"}
"""The spotter reads every conversation with a language model; three judges, or three surveys, take three times as long
as one; where people tell no bots apart, or one of them answered, the page has the parts of the others."""


def pytest_generate_tests(metafunc):
    if "which" in metafunc.fixturenames:
        marks = {name: [pytest.mark.slow] if name in SLOW else [] for name in STUDIES}
        metafunc.parametrize("which", [pytest.param(name, marks=marks[name]) for name in STUDIES])


@pytest.fixture(scope="session")
def names():
    return tuple(STUDIES)


@pytest.fixture(scope="session")
def answers():
    return yaml.safe_load((Path(__file__).parent / "answers.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def played(tmp_path_factory):
    """The conversations that all six are of."""
    return play(tmp_path_factory.mktemp("played"))


@pytest.fixture(scope="session")
def study_of(played, tmp_path_factory):
    """The study of a name, analysed."""
    folder, found = tmp_path_factory.mktemp("six"), {}

    def study(name):
        if name not in found:
            found[name] = make(name, played, folder)
        return found[name]

    return study
