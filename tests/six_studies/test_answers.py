"""What answers.yaml says of the six studies is true of them: what a report's page is judged by."""

from parlai_spotbot.findings.survey_data import load
from parlai_spotbot.records import HUMAN


def places(study, answer):
    """The bots' places by the survey and source that leads, people left out."""
    ranking = load(study, answer["survey"]).ranking(answer["source"])
    return {bot: own for bot, own in ranking.places.items() if bot != HUMAN}


def test_every_study_has_its_answer(answers, names):
    assert list(answers) == list(names)


def test_whom_the_analysis_lets_be_first(which, study_of, answers):
    found = places(study_of(which), answers[which])
    first = {bot for bot, (best, _) in found.items() if best == 1}
    if which == "demo":
        assert set(answers[which]["may_be_first"]) <= first
    else:
        assert first == set(answers[which]["may_be_first"])
