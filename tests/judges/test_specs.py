"""Which judges are asked for: names, files and options, and what is wrong with them, each named with a remedy."""

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.judges.language_model import LanguageModelJudge
from parlai_spotbot.judges.specs import JudgeRequest, read_judges
from parlai_spotbot.judges.spotter import Spotter
from parlai_spotbot.scripts.spotbot_judge import SpotbotJudge
from parlai_spotbot.surveys import get_survey
from tests.case_tables import case_table
from tests.judges.small_study import SURVEY, spot_study


def written(tmp_path, text):
    path = tmp_path / "judges.yaml"
    path.write_text(text)
    return path


GOOD = """
small: {url: "http://127.0.0.1:1/v1", model: m}
large:
  url: https://api.example.org/v1
  model: example-large
  key_variable: EXAMPLE_KEY
  temperature: 0.5
  price_prompt: 0.15
  price_completion: 0.6
"""


def judges_of(text=None, **options):
    return JudgeRequest.from_options({"judges": text, **options}).specs(get_survey(SURVEY))


def test_names_and_files_become_judges(tmp_path):
    specs = judges_of(f"{written(tmp_path, GOOD.partition('large')[0])}, spotter", max_cost=None)
    assert [(spec.name, spec.kind) for spec in specs] == [("small", "language_model"), ("spotter", "spotter")]
    made = [spec.make(3) for spec in [*specs, *judges_of(str(written(tmp_path, GOOD)))]]
    assert [type(judge) for judge in made[:2]] == [LanguageModelJudge, Spotter]
    assert [judge.source for judge in made] == ["judge:small", "judge:spotter", "judge:small", "judge:large"]
    assert {judge.seed for judge in made} == {3}
    assert made[-1].settings.temperature == 0.5


def test_a_single_model_by_options():
    served = {"judge_model": "Owner/My-Model_1", "judge_url": "http://127.0.0.1:1/v1"}
    found = judges_of("spotter, language_model", **served)
    assert [spec.name for spec in found] == ["spotter", "My-Model_1"]
    assert found[1].options.model == "Owner/My-Model_1"
    (spec,) = judges_of(judge_model="m", judge_url="http://127.0.0.1:1/v1", judge_name="mine")
    assert (spec.name, spec.kind, spec.options.url) == ("mine", "language_model", "http://127.0.0.1:1/v1")
    with pytest.raises(UserError, match="--judge-model: it goes with --judges language_model"):
        judges_of("x.yaml", judge_model="m")
    with pytest.raises(UserError, match="option 'url' is missing"):
        judges_of(judge_model="m")


@case_table(__file__, "refused")
def test_what_is_wrong_with_a_file_is_said(tmp_path, text, problem, remedy):
    path = written(tmp_path, text)
    with pytest.raises(UserError) as caught:
        read_judges(path)
    assert str(path) in caught.value.problem
    assert problem in caught.value.problem
    assert remedy in caught.value.remedy


def test_what_is_wrong_with_the_option_is_said(tmp_path):
    with pytest.raises(UserError, match="no such judge"):
        judges_of("nobody")
    with pytest.raises(UserError, match="no such file"):
        judges_of("nobody.yaml")
    with pytest.raises(UserError, match="judge 'spotter' stands twice"):
        judges_of("spotter,spotter")
    with pytest.raises(UserError, match="judge a has no prices"):
        judges_of(str(written(tmp_path, "a: {url: 'http://x/v1', model: m}")), max_cost=1.0)


def test_the_command_says_what_it_would_take_and_does_nothing(tmp_path, capsys):
    study = spot_study(tmp_path / "study")
    SpotbotJudge.main(study=str(study.path), judges=f"{written(tmp_path, GOOD)},spotter", dry_run=True)
    shown = capsys.readouterr().out
    assert "judge small answers 2 of 4 units" in shown
    assert "judge spotter answers 2 of 4 units" in shown
    assert "about 8 requests" in shown
    assert "USD, at most" in shown
    assert not (study.survey_path(SURVEY) / "judges").exists()
    assert not study.judgements_path(SURVEY).exists()
    with pytest.raises(SystemExit):
        SpotbotJudge.main(study=str(study.path), judges="spotter", max_cost=-1.0)
    assert "--max-cost -1: expected more than 0" in capsys.readouterr().err
