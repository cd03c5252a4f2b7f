"""What the terminal shows fits it: the answer first, then the columns that there is room for."""

import shutil
from pathlib import Path

import pytest

import parlai_spotbot as sb
from parlai_spotbot import terminal
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.compute import summary
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey

SURVEYS = Path(__file__).parents[1] / "goldens" / "studies" / "surveys"


@pytest.fixture(scope="module")
def analysed():
    return analyze(sb.demo(), bootstraps=20)


@pytest.mark.parametrize("columns", [60, 80, 100, 132, 200])
def test_lines_fit_and_the_answer_comes_first(columns, analysed, monkeypatch):
    monkeypatch.setattr(terminal, "columns", lambda: columns)
    lines = summary(get_survey("spot_the_bot"), analysed).splitlines()
    assert max(map(len, lines)) <= columns
    head = next(place for place, line in enumerate(lines) if line.split()[:2] == ["Bot", "Places"])
    assert any("can't be told apart" in line or "is ahead" in line for line in lines[:head])
    assert "Points" in lines[head]
    assert ("Win rate" in lines[head]) == (columns >= 132)


@pytest.mark.parametrize(
    ("survey", "answer"), [("acute_eval", "can't be told apart"), ("dialogue_likert", "can't be told apart at the top")]
)
def test_the_answer_stands_before_what_could_settle_it(tmp_path, survey, answer):
    shutil.copytree(SURVEYS, tmp_path / "s")
    _, people, *lines = summary(
        get_survey(survey), analyze(Study.open(tmp_path / "s"), survey, bootstraps=20)
    ).splitlines()
    assert people.startswith("human: ")
    assert answer in lines[0]
    of_people = lines[: next(place for place, line in enumerate(lines) if line.startswith("judge:"))]
    assert any("not told apart: " in line or "to plan from" in line for line in of_people[1:])


def test_a_file_gets_whole_lines(analysed):
    text = summary(get_survey("spot_the_bot"), analysed)
    assert "TrueSkill" in text
    assert max(map(len, text.splitlines())) > 132


def test_columns_that_fit():
    rows = [["alice", "1", "xxxxxxxx", "y"], ["bob", "2", "x", "y"]]
    head = ["Bot", "Places", "Long", "Y"]
    assert terminal.fitting(rows, head, [0, 1], 1000) == [0, 1, 2, 3]
    assert terminal.fitting(rows, head, [3, 0], 8) == [0, 3]
    assert terminal.fitting(rows, head, [0, 1], 18) == [0, 1, 3]
    assert terminal.fitting(rows, head, [2], 1) == [2]
