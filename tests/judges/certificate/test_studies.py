"""Certificates of judges by what people answered in the same study."""

import json

import pytest

import parlai_spotbot as sb
from parlai_spotbot.findings.survey_data import load
from parlai_spotbot.judges.certificate import read_certificate
from parlai_spotbot.judges.certificate.of_study import bound_of, certificate_path, certified, judged_items, stale
from tests.in_process import spotbot
from tests.judges.certificate.labelled_study import SURVEY, labelled_demo


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return labelled_demo(tmp_path_factory.mktemp("certificate") / "demo")


def test_a_study_with_answers_of_both_is_certified(study):
    out, _ = spotbot("judge", "--study", study.path, "--certify", "--json")
    told = json.loads(out)
    path = certificate_path(study, SURVEY, "spotter")
    assert told["written"] == {"certificate": str(path)}
    found = read_certificate(path.parent)
    assert found.use("gate")["status"] == "valid"
    assert found.figures["people"] == 12
    assert found.judge == "spotter"
    assert set(found.covered["bot"]) >= set(study.plan.contestants)
    assert (found.bound["survey"], found.bound["question"]) == (SURVEY, "nature")
    assert len(found.frozen) == len({row["item"] for row in found.frozen})
    assert found == certified(judged_items(study, SURVEY))


def test_alpha_is_that_of_the_report(study):
    sb.analyze(study, bootstraps=50, progress=False)
    trust = load(study, SURVEY).of("trust", "judge:spotter")
    [row] = [row for row in trust.rows("agreement") if row["question"] == "nature"]
    found = certified(judged_items(study, SURVEY)).figures
    assert found["agreement"]["estimate"] == pytest.approx(row["alpha"], abs=0.01)
    assert found["people_agreement"]["alpha"]["estimate"] == pytest.approx(row["people_alpha"], abs=0.01)
    assert found["agreement"]["low"] <= row["alpha_low"] + 0.02


def test_another_prompt_model_or_survey_makes_it_stale(study):
    certificate = certified(judged_items(study, SURVEY))
    now = bound_of(study, SURVEY, "spotter")
    assert stale(certificate, now) == []
    assert stale(certificate, {**now, "served": ["gpt-9"]}) == ["the model that answers is another"]
    assert stale(certificate, {**now, "survey_sha256": "0"}) == ["the survey's text is another"]
    assert "version is 7, was " in stale(certificate, {**now, "options": {**now["options"], "version": 7}})[0]


def test_what_cannot_be_certified_is_an_error(study, tmp_path):
    _, err = spotbot("judge", "--study", study.path, "--certify", "--judges", "spoter", code=2)
    assert "Did you mean 'spotter'?" in err
    _, err = spotbot("judge", "--study", study.path, "--certify", "--question", "fluenc", code=2)
    assert "Did you mean 'fluency'?" in err
    nobody = labelled_demo(tmp_path / "nobody", share=0.0)
    _, err = spotbot("judge", "--study", nobody.path, "--certify", code=2)
    assert "people and judge spotter have answered no item both ('nature')" in err
