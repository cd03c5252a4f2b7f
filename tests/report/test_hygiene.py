"""The section on hygiene: what stands there is what hygiene.json says, and text in it stays text."""

import shutil

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.answers import Facts
from parlai_spotbot.findings.frames import stored_form
from parlai_spotbot.findings.whole_study.hygiene import FINDING, hygiene
from parlai_spotbot.report.page import build_report
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey

BAD = "<b>i am a bot</b> . </s>"


@pytest.fixture
def looked_at(tmp_path, new_study):
    """A study in which every conversation of bots holds a turn with a tag, a token and a confession."""
    study = new_study(tmp_path / "study", text=BAD, sources=("human",), analyze=False)
    result = hygiene(
        Facts.from_records(get_survey("spot_the_bot"), study.conversations(), bots=tuple(study.plan.contestants))
    )
    checksums.write_json(study.analysis_path("spot_the_bot") / "hygiene.json", stored_form(result))
    return study, result["by_source"][""]


def section(study):
    page = build_report(study).read_text(encoding="utf-8")
    return page, page.split('name="sections" id="hygiene"')[1].split('name="sections"')[0]


def test_faults_are_said_and_drawn(looked_at):
    study, result = looked_at
    _, own = section(study)
    assert "Special tokens" in own
    rates = {(row["name"], row["kind"]): row["rate"] for row in result.rows("hygiene")}
    assert FINDING.tables["hygiene"].columns["rate"].show(rates["eliza", "special_tokens"]) in own


def test_what_was_not_looked_through_says_so_and_what_is_wrong_is_named(looked_at, tmp_path):
    shutil.copytree(looked_at[0].path, tmp_path / "s")
    study = Study.open(tmp_path / "s")
    path = study.analysis_path("spot_the_bot") / "hygiene.json"
    checksums.write_json(path, {"kinds": {}})
    with pytest.raises(UserError, match="nothing of 'made_by'") as error:
        build_report(study)
    assert "spotbot_analyze" in error.value.remedy
    checksums.remove(path)
    assert 'id="hygiene"' not in build_report(study).read_text(encoding="utf-8")
