"""What ParlAI downloads outlives the installation, and what is in the old place is found."""

import os

import pytest

from parlai_spotbot.models.data_folder import VARIABLE, data_folder, parlais_own


@pytest.fixture
def places(tmp_path, monkeypatch):
    """ParlAI's own folder with a task and a zoo model in it, and the cache."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("PARLAI_HOME", str(tmp_path / "parlai"))
    monkeypatch.setenv("SPOTBOT_CACHE", str(tmp_path / "cache"))
    for name in ("dailydialog", "models/blender", "models/spotbot/dr"):
        (tmp_path / "parlai" / "data" / name).mkdir(parents=True)
        (tmp_path / "parlai" / "data" / name / "file").write_text(name)
    return tmp_path / "parlai" / "data", tmp_path / "cache" / "data"


def test_it_is_in_the_cache_and_finds_what_is_in_the_old_place(places):
    old, new = places
    assert parlais_own() == old
    with data_folder():
        assert os.environ[VARIABLE] == str(new)
        for name in ("dailydialog", "models/blender", "models/spotbot/dr"):
            assert (new / name / "file").read_text() == name
        (new / "models" / "mine").mkdir()
    assert VARIABLE not in os.environ
    assert not (old / "models" / "mine").exists()


def test_when_the_installation_goes_what_was_downloaded_since_stays(places):
    old, new = places
    with data_folder():
        (new / "convai2").mkdir()
    old.rename(old.with_name("gone"))
    with data_folder():
        assert [path.name for path in sorted(new.iterdir())] == ["convai2", "models"]
        assert not list((new / "models" / "spotbot").iterdir())


def test_the_variable_goes_before(places, monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "mine"))
    with data_folder():
        assert os.environ[VARIABLE] == str(tmp_path / "mine")
    assert not places[1].exists()
