"""Every survey of conversations can be planned on from its analysis, by the command that a user types."""

import pytest

from parlai_spotbot.scripts.spotbot_plan import SpotbotPlan
from tests.findings.scripted import answered, knowing, rows_of, small_study
from tests.findings.test_unusual_designs import alphabetic, says


@pytest.mark.parametrize("survey", ["spot_the_bot", "acute_eval", "comparative", "dialogue_likert", "turn_likert"])
def test_each_survey_can_be_planned_on_from_there(survey, tmp_path, capsys):
    study = small_study(tmp_path / "study", survey, per_pair=10, people=12, selves=10)
    script = says(alphabetic) if survey == "spot_the_bot" else knowing
    answered(study, survey, rows_of(study, survey, script, ["w1", "w2"]))
    SpotbotPlan.main(study=str(study.path), survey=survey)
    out = capsys.readouterr().out
    assert "ann / bob" in out
    assert "settled" in out
    assert (study.analysis_path(survey) / "plan.json").exists()
