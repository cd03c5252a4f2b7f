"""Commands that users are told are whole: they run as they are printed."""

import os
import shlex
import sys
from pathlib import Path

import pytest

from parlai_spotbot import hints
from parlai_spotbot.report.parts import here
from parlai_spotbot.study import Study


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
    assert here(Study(Path(path), None, None), told) == expected  # type: ignore[arg-type]


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
