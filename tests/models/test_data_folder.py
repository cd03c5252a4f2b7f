"""What ParlAI downloads outlives the installation."""

import os

import pytest

from parlai_spotbot.models.data_folder import VARIABLE, data_folder, parlais_own


@pytest.fixture
def places(tmp_path, monkeypatch):
    """ParlAI's own folder, and the cache."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("PARLAI_HOME", str(tmp_path / "parlai"))
    monkeypatch.setenv("SPOTBOT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "parlai" / "data", tmp_path / "cache" / "data"


def test_it_is_in_the_cache(places):
    old, new = places
    assert parlais_own() == old
    with data_folder():
        assert os.environ[VARIABLE] == str(new)
    assert VARIABLE not in os.environ


def test_the_variable_goes_before(places, monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "mine"))
    with data_folder():
        assert os.environ[VARIABLE] == str(tmp_path / "mine")
    assert not places[1].exists()
