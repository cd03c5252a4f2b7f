"""`spotbot_analyze` on studies of the comparing and rating surveys: files, options, messages."""

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.records import HUMAN, Unit
from parlai_spotbot.scripts.spotbot_analyze import SpotbotAnalyze
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from tests.analysis.made_up import Made, acute, likert
from tests.case_tables import cases
from tests.spoken import bots_of

SHARES = {("a", "b"): 0.8, ("a", HUMAN): 0.3, ("b", HUMAN): 0.1}


def write(path, made: Made, names="abc") -> Study:
    contestants = bots_of(names)
    study = Study.create(path, Plan("chitchat", contestants, surveys=(made.survey,)))
    judgements, conversations, items = made.everything()
    checksums.write_jsonl(study.conversations_path, conversations)
    checksums.write_jsonl(study.judgements_path(made.survey), judgements)
    unit = Unit("u0", made.survey, "b0", 0, 0, tuple(items))
    checksums.write_jsonl(study.units_path(made.survey), [unit])
    return study


@pytest.fixture
def study(tmp_path):
    return write(tmp_path / "study", acute(SHARES, 8, questions=("humanness", "politeness")))


def test_a_study_may_hold_several_surveys(tmp_path):
    study = write(tmp_path / "study", likert({"a": 3.0, "b": 4.0}, 5))
    made = acute(SHARES, 4)
    checksums.write_jsonl(study.conversations_path, [*study.conversations(), *made.conversations.values()])
    checksums.write_jsonl(study.judgements_path("acute_eval"), made.judgements)
    for survey in ("dialogue_likert", "acute_eval"):
        SpotbotAnalyze.main(study=str(study.path), survey=survey, bootstraps=20)
        assert (study.analysis_path(survey) / "ranking.json").exists()


@cases(
    "survey options said",
    """
- [acute_eval, {backend: native}, '--backend: the analysis of survey ''acute_eval'' has no such option']
- [acute_eval, {stability: true}, '--stability: the analysis']
- [dialogue_likert, {known_order: [human>a]}, '--known-order: the analysis of survey ''dialogue_likert''']
- [spot_the_bot, {known_order: [human>a]}, '--known-order: the analysis of survey ''spot_the_bot''']
- [acute_eval, {known_order: [human]}, '--known-order: known order ''human''']
- [acute_eval, {known_order: [human>bb]}, '--known-order: ''bb'' is no contestant']
- [acute_evil, {}, '--survey acute_evil: unknown survey']
- [acute_eval, {wage: -1.0}, '--wage -1']
""",
)
def test_options_that_a_survey_does_not_have_are_named(study, survey, options, said):
    with pytest.raises(UserError, match=said):
        analyze(study, survey, **options)
    assert not study.analysis_path(survey).exists()
