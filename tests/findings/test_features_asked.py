"""Spot The Bot with some of its features, or none: every finding, the page, the texts for a paper and the export."""

import csv

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.rankings import by_criterion
from parlai_spotbot.report.export.copying import export_study
from parlai_spotbot.report.page import build_report
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import survey_of
from parlai_spotbot.surveys.features import features_of
from tests.findings.scripted import answered, by_chance, rows_of, small_study

NAME, WORKERS = "spot_the_bot", ("w1", "w2", "w3")
CHOICES = [
    ("none",),
    pytest.param(("fluency",), marks=pytest.mark.slow),
    pytest.param(("sensibleness", "specificity"), marks=pytest.mark.slow),
]


@pytest.fixture(scope="module", params=CHOICES, ids="+".join)
def study(request, tmp_path_factory):
    """A study of three bots with people's answers, and a judge's, to what was chosen."""
    folder = tmp_path_factory.mktemp("asked")
    made = small_study(folder / "study", NAME, per_pair=3, ask=request.param)
    sources = [rows_of(made, NAME, by_chance, WORKERS), rows_of(made, NAME, by_chance, ("v1", "v2"), "judge:coin")]
    return made, answered(made, NAME, *sources), tuple(name for name in request.param if name != "none")


def of_people(found, name):
    return found[name]["by_source"]["human"]


def test_every_finding_is_of_what_was_asked(study):
    made, found, asked = study
    both = ("sensibleness_and_specificity",) if "specificity" in asked else ()
    assert set(by_criterion(of_people(found, "features")) if asked else ()) == {*asked, *both}
    assert ("features" in found) == bool(asked)
    assert set(of_people(found, "agreement")["alpha"]["question"]) == {"nature", *asked}
    survival = of_people(found, "survival")
    for model in ("cox", "cox_po"):
        assert {row["feature"] for row in survival.rows(model)} == set(asked)
    assert survival.rows("curves")
    labels = made.survey_path(NAME) / "analysis" / "agreement_alpha.csv"
    assert {row["question"] for row in csv.DictReader(labels.read_text().splitlines())} == {"nature", *asked}
    assert found["trust"]["by_source"]["judge:coin"]


def test_each_annotator_counts_once_on_each_segment(study):
    made, found, _ = study
    made_by = found["ranking"]["made_by"]
    items = {item.item_id for unit in made.units(NAME) for item in unit.items}
    assert made_by["used"]["human"] == len(items) * len(WORKERS)


def test_page_and_export_say_what_was_asked(study, tmp_path):
    made, _, asked = study
    page = build_report(made).read_text(encoding="utf-8")
    for feature, stem in (
        ("fluency", "more fluent"),
        ("sensibleness", "more sensible"),
        ("specificity", "more specific"),
    ):
        assert (stem in page) == (feature in asked), feature
    export_study(made, tmp_path / "copy")
    copy = Study.open(next((tmp_path / "copy").rglob("study.yaml")).parent)
    assert features_of(survey_of(copy.load(NAME))) == asked


def test_answers_to_what_was_not_asked_are_named(tmp_path):
    made = small_study(tmp_path / "none", NAME, ask=("none",))
    whole = small_study(tmp_path / "whole", NAME)
    checksums.write_jsonl(made.judgements_path(NAME), rows_of(whole, NAME, by_chance, WORKERS))
    with pytest.raises((UserError, ValueError), match="'fluency' about target 'pair', expected one of 'nature'"):
        analyze(made, NAME, bootstraps=20)
