"""The section "How far to trust the judges": a judge that always says "bot" is unmasked by the page."""

import shutil
from dataclasses import replace

import pytest

from parlai_spotbot import checksums, files
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.trust import summarise
from parlai_spotbot.report.page import build_report
from parlai_spotbot.report.parts import CAUTION
from parlai_spotbot.study import Study

SURVEY = "spot_the_bot"


@pytest.fixture(scope="module")
def study(tmp_path_factory, new_study):
    """A study with people, a judge drawn by rule, and one that always says "bot"."""
    study = new_study(tmp_path_factory.mktemp("trust") / "study", per_pair=6, analyze=False)
    rows = list(study.judgements(SURVEY))
    always = [
        replace(
            row,
            source="judge:always",
            judgement_id=f"a{row.judgement_id}",
            annotation_id=f"a{row.annotation_id}",
            answer="bot" if row.question == "nature" else "no_difference",
        )
        for row in rows
        if row.source == "judge:spotter"
    ]
    checksums.write_jsonl(study.judgements_path(SURVEY), rows + always)
    position = {"n": 40, "flips": 10, "rate": 0.25, "ci": [0.1, 0.4], "by_question": {}}
    about = {"judge": "always", "variants": {}, "position": position}
    checksums.write_json(study.survey_path(SURVEY) / "judges" / "always.json", about)
    analyze(study, bootstraps=50, backend="native")
    return study


def test_a_judge_that_always_says_bot_is_unmasked(study):
    text = build_report(study).read_text(encoding="utf-8")
    section = text.split('id="trust"')[1].split('<details class="section"')[0]
    assert "Do not trust this judge on who is human" in section
    assert "it always gives the same answer" in section
    assert section.count("Do not trust this judge") == 1  # not of the judge that answers by rule
    assert section.count(CAUTION) == 2
    assert "Do not trust this judge" in text.split('<section class="chapter"')[0]  # under "Be careful", too


def test_files_stand_beside_the_others_and_go_when_people_are_gone(study, tmp_path):
    folder = study.analysis_path(SURVEY)
    assert {"trust.json", "trust.csv", "trust_ranks.csv"} <= {p.name for p in folder.iterdir()}
    found = files.read_json(folder / "trust.json")
    assert [row["source"] for row in found["tables"]["whole"]] == ["judge:always", "judge:spotter"]
    assert found["made_by"]["options"]["bootstraps"] == 50
    shutil.copytree(study.path, tmp_path / "copy")
    study = Study.open(tmp_path / "copy")
    judges = [row for row in study.judgements(SURVEY) if row.source == "judge:always"]
    checksums.write_jsonl(study.judgements_path(SURVEY), judges)
    analyze(study, bootstraps=10, backend="native")
    assert list(study.analysis_path(SURVEY).glob("trust*")) == []


def test_a_judge_with_too_little_beside_people_says_nothing_of_further_items():
    powered = {"criterion": "nature", "why": "too few answers"}
    data = Frames.from_tables({"whole": {"sentence": "It agrees.", "warning": False}, "powered": powered})
    assert summarise(Result("judge:quick", data)) == ["It agrees."]
