"""Commands that users are told are whole: they run as they are printed."""

import os
import shlex
import shutil
import sys
from pathlib import Path

import pytest

from parlai_spotbot import hints
from parlai_spotbot.report.parts import here
from tests import in_process

RULES = Path(__file__).parent / "goldens" / "studies" / "rules"


def test_a_command_names_study_and_survey_and_quotes_what_needs_it():
    told = hints.command("judge", "my studies/one", "acute_eval", judges="language_model", task=None, dry_run=True)
    assert shlex.split(told) == [
        *("parlai", "spotbot_judge", "--study", "my studies/one", "--survey", "acute_eval"),
        *("--judges", "language_model", "--dry-run"),
    ]
    assert hints.run("report", "s") == "Run: parlai spotbot_report --study s"


@pytest.mark.parametrize("path", ["s", "p", "my study", "it's", "a/b"])
def test_a_page_has_the_folder_alone_in_another_place(path):
    told = hints.command("crowdsource", path, "spot_the_bot", dry_run=True)
    expected = "parlai spotbot_crowdsource --study DIR --survey spot_the_bot --dry-run"
    assert here(Path(path), told) == expected


@pytest.mark.parametrize("folder", ["", "checkout", "/"])
def test_a_command_runs_where_its_environment_is_not_active(folder, tmp_path, monkeypatch):
    program = Path(sys.executable).with_name("spotbot")
    monkeypatch.chdir(program.parents[2] if folder == "checkout" else tmp_path)
    monkeypatch.setenv("PATH", str(program.parent) if not folder else str(tmp_path))
    hints.typed.cache_clear()
    try:
        found = hints.typed("spotbot")
    finally:
        hints.typed.cache_clear()
    relative = os.path.relpath(program.parent, program.parents[2])
    assert found == {"": "spotbot", "/": str(program)}.get(folder, f"{relative}/spotbot")


ODD = ["a b", "it's", "one\ntwo", 'q"r', "~", "$(touch x)", "ünï", os.fsdecode(b"bad\xff")]
WRONG = ["file", "pipe", "broken", "loop", "empty", "plan is a pipe", "/dev/null", "x" * 300, "a\0b", "file/x"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with what is no study."""
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    os.mkfifo("pipe")
    Path("broken").symlink_to("nowhere")
    Path("loop").symlink_to("loop")
    for name in ("empty", "plan is a pipe"):
        Path(name).mkdir()
    os.mkfifo("plan is a pipe/study.yaml")
    return tmp_path


@pytest.mark.parametrize(
    "words", [["check"], ["export", "--format=messages", "--out=x"], ["report", f"--compare={RULES}"]]
)
@pytest.mark.parametrize("name", WRONG)
def test_what_is_no_study_is_one_error(folder, words, name):
    err = in_process.spotbot(*words, "--study", name, code=2)[1]
    assert err.startswith("error: ")
    assert "Traceback" not in err


@pytest.mark.parametrize("name", ODD)
def test_a_study_may_have_any_name_and_its_commands_are_quoted(folder, name):
    shutil.copytree(RULES, name)
    in_process.spotbot("export", "--study", name, "--format", "messages", "--out", "chats.jsonl")
    said = in_process.spotbot("pack", "--study", name)[0]
    assert name in shlex.split(said.rpartition("next: ")[2])
