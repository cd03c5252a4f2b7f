"""Answers in a notebook: who is meant, a file that is broken, and what is said of few votes."""

import shutil
from pathlib import Path

import pytest

import parlai_spotbot as sb
from parlai_spotbot import checksums
from parlai_spotbot.notebook.study_answers import source_named

PEOPLE = Path(__file__).parent / "goldens" / "studies" / "people"


def test_a_source_is_called_in_whole_or_as_a_judge_alone():
    known = ("human", "judge:spotter")
    assert [source_named(name, known, "") for name in ("human", "spotter", "judge:spotter")] == [
        "human",
        "judge:spotter",
        "judge:spotter",
    ]
    with pytest.raises(ValueError, match=r"^source: 'spoter' gave nothing. Did you mean 'judge:spotter'"):
        source_named("spoter", known, "gave nothing")


def test_a_malformed_line_is_a_value_error_wherever_it_is_met(tmp_path):
    folder = tmp_path / "people"
    shutil.copytree(PEOPLE, folder)
    path = sb.Study.open(folder).answers().study.judgements_path("spot_the_bot")
    checksums.forget(path)
    path.write_text('{"source": 3}\n' + path.read_text())
    for ask in (lambda own: own.of("human"), lambda own: own.sources, len, lambda own: own.frame):
        with pytest.raises(ValueError, match=r"^study: .*, line 1: "):
            ask(sb.Study.open(folder).answers())
