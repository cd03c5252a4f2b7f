"""Answers in a notebook: a file that is broken, and the sentences about few votes."""

import shutil
from pathlib import Path

import pytest

import parlai_spotbot as sb

PEOPLE = Path(__file__).parent / "goldens" / "studies" / "people"


def test_a_malformed_line_is_a_value_error_wherever_it_is_met(tmp_path):
    folder = tmp_path / "people"
    shutil.copytree(PEOPLE, folder)
    path = sb.Study.open(folder).answers().study.judgements_path("spot_the_bot")
    path.write_text('{"source": 3}\n' + path.read_text())
    for ask in (lambda own: own.of("human"), lambda own: own.sources, len, lambda own: own.frame):
        with pytest.raises(ValueError, match=r"^study: .*, line 1: "):
            ask(sb.Study.open(folder).answers())
