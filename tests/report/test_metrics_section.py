"""The section on metrics: what it says of a study, of a small one, and of one that lacks something."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "analysis"))  # made_up_metrics
from made_up_metrics import evidence_of, made_up, write_study

from parlai_spotbot import checksums
from parlai_spotbot.analysis.metrics import STEMS, Evidence, Outcomes, Wishes, analyze
from parlai_spotbot.findings.contents import read_contents
from parlai_spotbot.findings.metrics_of_study import metrics_path
from parlai_spotbot.findings.whole_study.metrics import read, tell
from parlai_spotbot.report import build_report, chapters
from parlai_spotbot.report.parts import SurveyView


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A study on disk, and what writes an analysis of metrics into it and gives the section's parts."""
    made = made_up()
    study = write_study(made, tmp_path_factory.mktemp("metrics") / "study")
    contents = read_contents(study, "dialogue_likert")

    def make(evidence=None, **wishes):
        wishes = Wishes(seed=1, draws=20, **wishes)
        for stem, own in analyze(evidence or evidence_of(made), wishes).items():
            checksums.write_json(metrics_path(study) / f"{stem}.json", own)
        page = SurveyView(contents)
        return [chapters.part_of_source(page, source, own) for source, own in tell(read(study, ["dialogue_likert"]))]

    make.study, make.contents, make.made = study, contents, made
    return make


@pytest.fixture(scope="module")
def part(told):
    (found,) = told(wage=20.0, dialogues=400)
    return found


def test_a_study_whose_metrics_were_not_studied_has_no_such_section(study):
    assert read(study, ["spot_the_bot"]) == {}


def test_figures_and_their_sentences(part):
    text = " ".join(part.text)
    assert (part.title, part.caution) == ("People", "")
    assert "10 metrics of ABC-Eval, Dialogue Likert and Comparative." in text
    assert "with 96 rated conversations a metric that explains less than about 8% is easily missed" in text
    titles = [figure.title for figure in part.figures]
    assert titles[:4] == [
        "What explains people's ratings?",
        "Do two people mean the same by it?",
        "How much of people's ratings do a method's metrics explain together?",
        "Which metric tells bots apart?",
    ]
    assert [figure.folded for figure in part.figures] == [False] * 4 + [True] * (len(titles) - 4)
    assert all(figure.drawing is not None for figure in part.figures)
    sentence = part.figures[0].sentence
    assert sentence.startswith(
        "4 of 8 metrics explain people's ratings by more than chance (n 96). The most: quality (Dialogue"
    )
    assert "self contradiction (ABC-Eval)" in sentence
    assert "people agree most on" in part.figures[1].sentence.lower()
    assert "(−)" in str(part.figures[0].drawing)  # more contradictions go with less quality


def test_the_table_holds_costs(part):
    tables = {table.title: table for table in part.tables}
    cost = tables["What a method costs for 400 dialogues"]
    assert [row[0] for row in cost.rows] == ["ABC-Eval", "Dialogue Likert", "Comparative"]
    assert cost.head[-1] == "pay"
    assert all(len(row) == len(table.head) for table in part.tables for row in table.rows)


def test_without_anybody_who_led_conversations_that_is_said(told):
    full = evidence_of(told.made)
    (part,) = told(Evidence(full.metrics, Outcomes.none(), full.times))
    text = " ".join(part.text)
    assert "Nothing is known of importance and coverage: nobody who led conversations" in text
    assert [figure.title for figure in part.figures] == [
        "Do two people mean the same by it?",
        "Which metric tells bots apart?",
    ]


def test_with_choices_alone_they_come_first(told):
    full = evidence_of(told.made)
    only = Outcomes(full.outcomes.ratings.iloc[:0], full.outcomes.choices)
    (part,) = told(Evidence(full.metrics, only, full.times))
    assert part.figures[0].title == "What explains people's choices?"
    assert part.figures[2].title == "How much of people's choices do a method's metrics explain together?"


def test_the_whole_page_holds_it(told, part):
    text = build_report(told.study, "dialogue_likert").read_text(encoding="utf-8")
    assert 'id="metrics"' in text
    assert "Which metrics are worth their money?" in text
    assert all((metrics_path(told.study) / f"{stem}.json").exists() for stem in STEMS)
