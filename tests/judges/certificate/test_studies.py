"""Certificates of judges by what people answered in the same study."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import parlai_spotbot as sb
from parlai_spotbot.errors import NotVouched
from parlai_spotbot.findings.comparison import compare
from parlai_spotbot.findings.survey_data import load
from parlai_spotbot.judges import Judge
from parlai_spotbot.judges.certificate import digest, read_certificate
from parlai_spotbot.judges.certificate.gate import check_after, check_before
from parlai_spotbot.judges.certificate.of_study import bound_of, certificate_path, certified, judged_items, stale
from parlai_spotbot.judges.certificate.recheck import recheck
from parlai_spotbot.report.certified import certificate_section
from tests.case_tables import cases
from tests.in_process import spotbot
from tests.judges.certificate.labelled_study import OPTIONS, SURVEY, labelled_demo, let_people


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    return labelled_demo(tmp_path_factory.mktemp("certificate") / "demo")


def test_a_study_with_answers_of_both_is_certified(study):
    out, _ = spotbot("judge", "--study", study.path, "--certify", "--json")
    told = json.loads(out)
    path = certificate_path(study.path, SURVEY, "spotter")
    assert told["written"] == {"certificate": str(path)}
    found = read_certificate(path.parent)
    assert found.use("gate")["status"] == "valid"
    assert found.figures["people"] == 12
    assert found.judge == "spotter"
    assert set(found.covered["bot"]) >= set(study.plan.contestants)
    assert (found.bound["survey"], found.bound["question"]) == (SURVEY, "nature")
    assert len(found.frozen) == len({row["item"] for row in found.frozen})
    assert found == certified(judged_items(study.load(SURVEY)))


def test_alpha_is_that_of_the_report(study):
    sb.analyze(study, bootstraps=50, progress=False)
    trust = load(study, SURVEY).of("trust", "judge:spotter")
    [row] = [row for row in trust.rows("agreement") if row["question"] == "nature"]
    found = certified(judged_items(study.load(SURVEY))).figures
    assert found["agreement"]["estimate"] == pytest.approx(row["alpha"], abs=0.01)
    assert found["people_agreement"]["alpha"]["estimate"] == pytest.approx(row["people_alpha"], abs=0.01)
    assert found["agreement"]["low"] <= row["alpha_low"] + 0.02


def test_the_page_has_the_certificate_and_says_when_it_is_stale(study):
    contents = load(study, SURVEY)
    path = certificate_path(study.path, SURVEY, "spotter")
    assert certificate_section(contents, "judge:nobody") is None
    certificate = certified(judged_items(study.load(SURVEY)))
    certificate.write(path)
    section = certificate_section(contents, "judge:spotter")
    assert section.text[0] == "Judge spotter may screen, rank and gate: people vouch for it."
    about = {**certificate.bound, "survey_sha256": "0"}
    replace(certificate, bound={**about, "digest": digest(about)}).write(path)
    assert certificate_section(contents, "judge:spotter").text[0] == (
        "It is stale: the survey's text is another. Make it anew."
    )
    certificate.write(path)


def test_a_vouched_comparison_says_what_labels_bought(tmp_path):
    study = labelled_demo(tmp_path / "half", share=0.5)
    sb.analyze(study, bootstraps=50, progress=False)
    contents = load(study, SURVEY)
    certificate = certified(judged_items(study.load(SURVEY)))
    said = {}
    for two in (("eliza", "tfidf"), ("tfidf", "eliza")):
        found = compare(contents, "judge:spotter", *two).vouched_by(certificate, contents)
        said[two[0]] = re.findall(r"(\d+)%", str(found).partition("together give")[2])
        assert f"{two[0]} {said[two[0]][0]}%" in str(found)
    flipped = [100 - int(said["tfidf"][place]) for place in (0, 2, 1, 3, 5, 4)]
    assert [int(number) for number in said["eliza"]] == pytest.approx(flipped, abs=1)
    low, high, low_alone, high_alone = (int(said["eliza"][place]) for place in (1, 2, 4, 5))
    assert high - low < 1.2 * (high_alone - low_alone)


def test_another_prompt_model_or_survey_makes_it_stale(study):
    certificate = certified(judged_items(study.load(SURVEY)))
    now = bound_of(study.load(SURVEY), "spotter")
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
- [domain, {elsewhere: 9}, 'no labels of domain chitchat.']
- [length, {'2': 9}, 'no labels of length ']
""",
)
def test_a_gate_asks_for_labels_of_the_kind_of_bots(study, kind, covered, says):
    certificate = certified(judged_items(study.load(SURVEY)))
    bots = ("eliza", "tfidf")
    check_after(certificate, study.load(SURVEY), "spotter", bots)
    narrow = replace(certificate, covered={**certificate.covered, kind: covered})
    with pytest.raises(NotVouched, match=re.escape(says)) as caught:
        check_after(narrow, study.load(SURVEY), "spotter", bots)
    assert "crowdsource" in caught.value.remedy


def test_a_gate_is_for_the_survey_that_was_certified(study):
    certificate = certified(judged_items(study.load(SURVEY)))
    check_before(certificate, SURVEY)
    with pytest.raises(NotVouched, match="is for survey spot_the_bot, not acute_eval"):
        check_before(certificate, "acute_eval")
    with pytest.raises(NotVouched, match="bound to no survey"):
        check_before(sb.certify(["a", "b"], ["a", "b"]), SURVEY)


class Fickle(Judge):
    """Answers as the demo's judge did, but for the share of items that it now answers otherwise."""

    name = "spotter"
    workers = ("spotter",)
    changed = 0.0
    asked = 0

    def options(self):
        return self.study.provenance()["judge"][SURVEY]["spotter"]

    def open(self, data):
        self.study = data.study
        self.given = {}
        for row in data.judgements:
            if row.source == self.source:
                self.given.setdefault((row.item_id, row.worker_id), []).append(row)

    def worker_of(self, unit):
        variants = sorted({worker for _, worker in self.given})
        return variants[unit.replicate % len(variants)]

    def prepare(self, data, progress=True):
        self.rng = np.random.default_rng(1)

    def answer(self, unit):
        self.asked += 1
        rows = self.given[unit.items[0].item_id, self.worker_of(unit)]
        if self.rng.random() < self.changed:
            return [replace(row, answer=OPTIONS.get(row.answer, row.answer)) for row in rows]
        return rows

    def describe(self):
        return {}


def test_a_judge_that_answers_otherwise_is_found_and_gates_no_more(study):
    certified(judged_items(study.load(SURVEY))).write(certificate_path(study.path, SURVEY, "spotter"))
    same = Fickle()
    outcome = recheck(study.load(SURVEY), same, 100, progress=False)
    assert (outcome.changed, outcome.run, same.asked) == (False, 1, 100)
    assert str(outcome).startswith("Judge spotter has not been found to have changed, after 100 rechecks.\n  0 of 100")
    assert "A recheck of 100 items finds a judge that agreed with 85% of people's labels, and now does with" in str(
        outcome
    )
    assert str(outcome).endswith("in 75 of 100 cases or more; after --certify --repeats 4, in 92 or more.")
    other = Fickle()
    other.changed = 0.3
    outcome = recheck(study.load(SURVEY), other, 100, progress=False)
    assert (outcome.changed, outcome.run) == (True, 2)
    assert other.asked < 100  # it is asked no further
    certificate = read_certificate(certificate_path(study.path, SURVEY, "spotter"))
    with pytest.raises(NotVouched, match="--gate: Judge spotter has changed: found after "):
        check_before(certificate, SURVEY)
    labelled = let_people(study, people=3, seed=5)
    certified(judged_items(labelled.load(SURVEY))).write(certificate_path(study.path, SURVEY, "spotter"))
    assert recheck(labelled.load(SURVEY), Fickle(), 40, progress=False).run == 1  # of a new certificate


def test_verdicts_are_repeated_for_a_certificate_and_rechecks_held_against_them(study):
    path = certificate_path(study.path, SURVEY, "spotter")
    certified(judged_items(let_people(study, seed=7).load(SURVEY))).write(path)
    for repeat in (1, 2):
        again = Fickle()
        assert recheck(study.load(SURVEY), again, 60, progress=False, repeat=repeat).run == -repeat
        assert again.asked == 60
    assert recheck(study.load(SURVEY), Fickle(), 60, progress=False, repeat=2).run == -2  # there already
    same = recheck(study.load(SURVEY), Fickle(), 60, progress=False)
    assert (same.run, same.test.level, same.changed) == (1, 0.04 * (15 / 16), False)
    other = Fickle()
    other.changed = 0.3
    after = recheck(study.load(SURVEY), other, 60, progress=False)
    assert (after.run, after.changed) == (2, True)
    _, err = spotbot("judge", "--study", study.path, "--certify", "--repeats", 2, "--out", "c.json", code=2)
    assert "--repeats: they are kept beside the study's own certificate." in err


def test_a_recheck_is_over_once_it_is_tested_and_a_larger_one_is_another(study):
    certified(judged_items(let_people(study, seed=8).load(SURVEY))).write(
        certificate_path(study.path, SURVEY, "spotter")
    )
    runs = [recheck(study.load(SURVEY), Fickle(), count, progress=False).run for count in (40, 60, 60)]
    assert runs == [1, 2, 3]


def test_certifying_says_how_likely_a_drift_is_found(study):
    let_people(study, seed=9)
    out, _ = spotbot("judge", "--study", study.path, "--certify")
    assert re.search(r"A recheck of 150 items finds a judge that agreed with 85% .* --certify --repeats 4", out)


def test_a_stopped_recheck_goes_on(study):
    path = certificate_path(study.path, SURVEY, "spotter")
    certified(judged_items(let_people(study, seed=6).load(SURVEY))).write(path)
    killed = Fickle()
    answer = killed.answer
    killed.answer = lambda unit: answer(unit) if killed.asked < 50 else 1 / 0
    with pytest.raises(ZeroDivisionError):
        recheck(study.load(SURVEY), killed, 100, progress=False)
    again = Fickle()
    assert recheck(study.load(SURVEY), again, 100, progress=False).run == 1
    assert again.asked == 50


def test_other_options_are_stale_before_anything_is_asked(study):
    certified(judged_items(study.load(SURVEY))).write(certificate_path(study.path, SURVEY, "spotter"))
    judge = Fickle()
    judge.options = lambda: {"version": 99}
    outcome = recheck(study.load(SURVEY), judge, 100, progress=False)
    assert (outcome.changed, judge.asked) == (True, 0)
    assert "version is 99, was " in str(outcome)
    _, err = spotbot("judge", "--study", study.path, "--recheck", 7, code=2)
    assert "--recheck 7: expected 40 to 200" in err


def test_bots_of_the_judges_family_are_known_by_their_models(study):
    items = judged_items(study.load(SURVEY))
    assert not any(row["kind"] == "family" for row in certified(items).figures["favours"])
    bots = dict(study.plan.contestants)
    bots["eliza"] = replace(bots["eliza"], opt={"openai_model": "gpt-4o-mini"})
    data = items.data
    other = replace(data.study, plan=replace(data.study.plan, contestants=bots))
    found = certified(replace(items, judge="gpt-4", data=replace(data, study=other)))
    assert any(row["kind"] == "family" for row in found.figures["favours"])
