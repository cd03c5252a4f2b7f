"""Certificates of judges by what people answered in the same study."""

import json
from dataclasses import replace

import pytest

import parlai_spotbot as sb
from parlai_spotbot.findings.survey_data import load
from parlai_spotbot.judges.certificate import read_certificate
from parlai_spotbot.judges.certificate.gate import after_answers, before_answers
from parlai_spotbot.judges.certificate.of_study import bound_of, certificate_path, certified, judged_items, stale
from tests.case_tables import cases
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


@cases(
    "kind covered says",
    """
- [bot, {zed: 9}, 'no labels of eliza or tfidf (but of zed)']
- [domain, {elsewhere: 9}, 'no labels of 1 domain (']
- [length, {'1': 9}, ' exchanges']
""",
)
def test_a_gate_asks_for_labels_of_the_kind_of_bots(study, kind, covered, says):
    certificate = certified(judged_items(study, SURVEY))
    bots = ("eliza", "tfidf")
    assert after_answers(certificate, study, SURVEY, "spotter", bots) is None
    narrow = replace(certificate, covered={**certificate.covered, kind: covered})
    problem, remedy = after_answers(narrow, study, SURVEY, "spotter", bots)
    assert says in problem
    assert "crowdsource" in remedy


def test_a_gate_is_for_the_survey_that_was_certified(study):
    certificate = certified(judged_items(study, SURVEY))
    assert before_answers(certificate, SURVEY) == ()
    assert "is for survey spot_the_bot, not acute_eval" in before_answers(certificate, "acute_eval")[0]
    assert "bound to no survey" in before_answers(sb.certify(["a", "b"], ["a", "b"]), SURVEY)[0]
