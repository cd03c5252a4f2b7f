"""What answers.yaml says of the six studies is true of them: what a report's page is judged by."""

import json

import pytest

from parlai_spotbot.records import HUMAN


def places(study, answer):
    """The bots' places by the survey and source that leads, people left out."""
    ranking = json.loads((study.analysis_path(answer["survey"]) / "ranking.json").read_text())
    return {bot: own for bot, own in ranking["by_source"][answer["source"]]["clusters"].items() if bot != HUMAN}


def test_every_study_has_its_answer(answers, names):
    assert list(answers) == list(names)


def test_whom_the_analysis_lets_be_first(which, study_of, answers):
    found = places(study_of(which), answers[which])
    first = {bot for bot, (best, _) in found.items() if best == 1}
    if which == "demo":
        assert set(answers[which]["may_be_first"]) <= first
    else:
        assert first == set(answers[which]["may_be_first"])


def test_all_bots_are_told_apart_where_people_know_what_they_like(study_of, answers):
    assert list(places(study_of("clear"), answers["clear"]).values()) == [[1, 1], [2, 2], [3, 3], [4, 4]]


@pytest.mark.slow
def test_three_surveys_put_the_same_bot_first(study_of, answers):
    study = study_of("surveys")
    for survey in ("spot_the_bot", "acute_eval", "dialogue_likert"):
        found = places(study, answers["surveys"] | {"survey": survey})
        assert min(found, key=lambda bot: found[bot]) == "tfidf"


@pytest.mark.slow
def test_judges_are_as_good_as_they_were_made(study_of):
    study, right = study_of("judges"), {}
    for name in ("good", "fair", "coin"):
        summary = json.loads((study.survey_path("spot_the_bot") / "judges" / f"{name}.json").read_text())
        right[name] = [variant["balanced_accuracy"] for variant in summary["variants"].values()]
    assert min(right["good"]) > 0.75 > max(right["fair"])
    assert min(right["fair"]) > 0.52
    assert all(0.42 < share < 0.58 for share in right["coin"])
    answered = dict.fromkeys(("good", "killed"), 0)
    for row in study.judgements("spot_the_bot"):
        if row.source.removeprefix("judge:") in answered:
            answered[row.source.removeprefix("judge:")] += 1
    assert 4 * answered["killed"] == answered["good"]


def test_the_careless_annotator_is_careless(study_of):
    rows = study_of("careless").judgements("spot_the_bot")
    controls = {row.item_id: row.control for row in rows if row.control}
    assert len({row.annotation_id for row in rows}) == 14
    assert len({row.worker_id for row in rows}) == 1
    assert {row.answer for row in rows if row.question == "nature"} == {"human"}
    assert 0.5 < sum({row.annotation_id: row.seconds for row in rows}.values()) / 14 < 1.6
    assert len(controls) == 2
    assert sum(control.startswith("known_bot") for control in controls.values()) == 1


@pytest.mark.parametrize("name", ["clear", "careless"])
def test_made_again_it_is_the_same_study(name, study_of, played, tmp_path, monkeypatch):
    from six_studies import SpotbotAnalyze, make

    study_of(name)
    monkeypatch.setattr(SpotbotAnalyze, "main", lambda **options: None)  # of what is answered, not of what is found
    again, first = make(name, played, tmp_path), study_of(name)
    own = [path.judgements_path("spot_the_bot").read_bytes() for path in (first, again)]
    assert own[0] == own[1]
