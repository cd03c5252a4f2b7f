"""Answers in a notebook: who is meant, a file that is broken, and what is said of few votes."""

import re
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


def test_of_a_pair_without_an_interval_the_votes_are_told(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\n" + "ada,bob,model_a\n" * 3)
    (said,) = (line for line in sb.rank(sb.read_votes(path)).sentences if "of decided choices" in line)
    assert said.startswith(
        "No difference is clear; the nearest to it: by all choices together ada would be chosen over "
    )
    assert said.endswith("Of those between the two, 3 of 3 are for ada.")
    others = "bob,cleo,model_a\nbob,cleo,model_b\nada,cleo,model_a\nada,cleo,model_b\n" * 6
    path.write_text("model_a,model_b,winner\n" + "ada,bob,model_a\n" * 3 + others)
    (said,) = (line for line in sb.rank(sb.read_votes(path)).sentences if "of decided choices" in line)
    assert re.search(r"ada would be chosen over bob in \d+% of decided choices \(\d+% to \d+%, adjusted p", said)
