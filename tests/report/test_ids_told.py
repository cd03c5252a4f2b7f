"""The page says where nobody verified who annotators were, and how many the platform did not know."""

import html

import pytest

from parlai_spotbot import files
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.ids_words import strangers, unverified
from parlai_spotbot.report.page import build_report

SURVEY = "spot_the_bot"
UNVERIFIED = "Annotators' ids were not verified when they came, so one person may have taken part as several"


def test_the_words():
    prolific = {"settings": {"provider": "prolific"}}
    assert unverified(prolific) == f"{UNVERIFIED}."  # a version that did not ask for signatures
    assert unverified({**prolific, "ids": "signed by the platform"}) == ""
    assert unverified({"settings": {"provider": "in_house"}, "ids": "personal links"}) == ""
    assert unverified({}) == strangers({}) == ""
    checked = {**prolific, "ids": "not verified", "platform": {"listed": 9, "unknown_annotators": 2}}
    assert unverified(checked).endswith("answers by ids that the platform does not know are left out.")
    assert strangers(checked) == "2 annotators whom the platform did not know are left out."
    assert strangers({"platform": {"unknown_annotators": 1}}).startswith("1 annotator whom")


@pytest.mark.slow
def test_the_page_tells_of_people_whose_ids_nobody_verified(new_study, tmp_path):
    study = new_study(tmp_path / "study", bots=("smollm2", "eliza"), per_pair=6, analyze=False)
    about = {"settings": {"provider": "prolific"}, "platform": {"listed": None, "unknown_annotators": 0}}
    study.record("crowdsourcing", {SURVEY: {**about, "ids": "not verified"}})
    analyze(study, SURVEY, bootstraps=20, backend="native")
    found = files.read_json(study.analysis_path(SURVEY) / "annotators.json")["by_source"]
    assert found["human"]["ids"]["sentence"] == f"{UNVERIFIED}."
    assert "strangers" not in found["human"]
    assert "ids" not in found["judge:spotter"]  # a judge is nobody
    page = html.unescape(build_report(study).read_text(encoding="utf-8"))
    assert UNVERIFIED in page
