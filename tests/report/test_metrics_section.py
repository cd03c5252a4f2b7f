"""The section on metrics: what it says of a study, of a small one, and of one that lacks something."""

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.analysis.metrics import STEMS, Outcomes, StudyEvidence, Wishes, analyze
from parlai_spotbot.findings import render
from parlai_spotbot.findings.frames import Frames, stored_form
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.survey_data import load
from parlai_spotbot.findings.whole_study.metrics import FINDINGS
from parlai_spotbot.report.page import build_report
from tests.analysis.made_up import chats, evidence_of, write_chats


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A study on disk, and what writes an analysis of metrics into it and gives people's sections by their anchors."""
    made = chats()
    study = write_chats(made, tmp_path_factory.mktemp("metrics") / "study")

    def make(evidence=None, **wishes):
        wishes = Wishes(seed=1, draws=20, **wishes)
        for stem, own in analyze(evidence or evidence_of(made), wishes).items():
            own["by_source"] = {source: Frames.from_tables(frames) for source, frames in own["by_source"].items()}
            checksums.write_json(study.metrics_path / f"{stem}.json", stored_form(own))
        results = [(own, own.compute([load(study, "dialogue_likert")])) for own in FINDINGS]
        sections = [section for own, found in results if (section := render.tell(own, Result("human", found["human"])))]
        return {section.anchor.removeprefix("metrics_"): section for section in sections}

    make.study, make.made = study, made
    return make


def test_a_study_whose_metrics_were_not_studied_has_no_such_section(study):
    assert not any(own.compute([load(study, "spot_the_bot")]) for own in FINDINGS)


def test_sentences_charts_and_costs(told):
    found = told(wage=20.0, dialogues=400)
    assert list(found) == ["importance", "agreement", "coverage", "sensitivity", "costs"]
    text = found["importance"].text
    assert text[0].startswith(
        "4 of 8 metrics explain people's ratings by more than chance (n 96). The most: quality (Dialogue"
    )
    assert "self contradiction (ABC-Eval)" in text[0]
    rows = found["importance"].chart.data["rows"]
    assert [row["label"] for row in rows if row["label"].endswith("(−)")]  # more contradictions go with less quality
    assert {row["group"] for row in rows} == {"people's ratings", "people's choices"}
    assert found["agreement"].text[0].startswith("People agree most on")
    assert found["coverage"].chart.data["series"][0]["label"] == "ABC-Eval, people's ratings"
    (cost,) = found["costs"].tables
    assert [row[0] for row in cost.rows] == ["ABC-Eval", "Dialogue Likert", "Comparative"]
    assert cost.head[-1] == "Pay"
    text = build_report(told.study, "dialogue_likert").read_text(encoding="utf-8")
    assert all(f'id="metrics_{anchor}"' in text for anchor in found)
    assert all((told.study.metrics_path / f"{stem}.json").exists() for stem in STEMS)


def test_without_anybody_who_led_conversations_that_is_said(told):
    full = evidence_of(told.made)
    found = told(StudyEvidence(full.metrics, Outcomes.none(), full.times))
    assert "Nothing is known of importance: nobody who led conversations" in found["importance"].text[0]
    assert not found["importance"].chart
    assert "coverage" not in found
