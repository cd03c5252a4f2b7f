"""The report of ABC-Eval, from judgements on disk to the page: no overall order, but one by each behaviour, wherever
rankings are read."""

import sys
from pathlib import Path

import pytest

from parlai_spotbot import files
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.contents import read_contents
from parlai_spotbot.findings.standings import standings
from parlai_spotbot.findings.whole_study import methods
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.chapters import chapter_of
from parlai_spotbot.report.first_screen import ROWS, first_screen
from parlai_spotbot.report.page import build_report
from parlai_spotbot.report.parts import SurveyView
from parlai_spotbot.report.studies import standings_table
from parlai_spotbot.surveys.abc_eval.labels import LABELS

for folder in (Path(__file__).parent, Path(__file__).parents[1] / "analysis"):
    sys.path.insert(0, str(folder))

import made_abc_eval  # noqa: E402
from made_up import answers_for  # noqa: E402

TASKS = ("consistency", "personal_information")
SHOWN = [label for task in TASKS for label in LABELS[task]]


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    path = tmp_path_factory.mktemp("abc") / "study"
    made = made_abc_eval.make(path, answers_for, per_bot=6, exchanges=6, tasks=TASKS, sources=(HUMAN, "judge:x"))
    analyze(made, "abc_eval", bootstraps=40)
    return made


@pytest.fixture(scope="module")
def contents(study):
    return read_contents(study, "abc_eval")


def test_what_the_analysis_writes(study):
    folder = study.analysis_path("abc_eval")
    names = {path.name for path in folder.iterdir()}
    assert {
        "ranking.json",
        "behaviours.csv",
        "agreement.json",
        "annotators.json",
        "screening.json",
        "screening.csv",
        "trust.json",
    } <= names
    screening = files.read_json(folder / "screening.json")["by_source"][HUMAN]["rows"]
    assert [(row["task"], row["group"], row["annotators"], row["passed"]) for row in screening] == [
        (task, *rest) for task in TASKS for rest in (("experts", 3, 3), ("students", 3, 2))
    ]
    gold = files.read_json(folder / "annotators.json")["by_source"][HUMAN]["gold"]
    assert len(gold) == 12
    assert sum(row["turns"] - row["right"] for row in gold) == 4
    assert [row["at"] for row in gold] == sorted(row["at"] for row in gold)


def test_the_first_screen_tells_each_behaviour(contents):
    first = first_screen(chapter_of(SurveyView(contents)))
    card = first.lead.card
    shown = [row[0] for row in card.table.rows]
    assert shown == [label.replace("_", " ") for label in SHOWN for _ in ("ann", "bob", "cy")][:ROWS]
    assert first.lead.more == 3 * len(SHOWN) - ROWS
    assert card.clusters == []
    assert "no overall order" in first.answer


def test_each_behaviour_is_a_standing_of_its_own(contents):
    found = {row.criterion: row for row in standings(contents) if row.source == HUMAN}
    assert list(found) == SHOWN
    scores = [found["self_contradiction"].score[bot] for bot in found["self_contradiction"].order]
    assert scores == sorted(scores)
    assert not found["redundant"].relative


def test_the_page_shows_it(study, tmp_path):
    text = build_report(study, "abc_eval").read_text(encoding="utf-8")
    assert "ABC-Eval: what do bots do, turn by turn?" in text
    for heading in (
        "How often does each contestant show each behaviour?",
        "Every pair",
        "Who passed the training?",
        "gold dialogues",
    ):
        assert heading in text, heading
    assert "known_labels:" not in text


@pytest.mark.slow
def test_studies_are_compared_by_each_behaviour(study, tmp_path):
    other = made_abc_eval.make(tmp_path / "other", answers_for, per_bot=5, exchanges=6, tasks=TASKS, training=False)
    analyze(other, "abc_eval", bootstraps=40)
    table = standings_table([study.path, other.path])
    assert set(table["criterion"]) == set(SHOWN)
    assert table["study"].nunique() == 2
    screening = files.read_json(other.analysis_path("abc_eval") / "screening.json")
    assert screening["by_source"][HUMAN] == {"rows": []}


def test_beside_a_survey_with_an_order_nothing_is_compared_that_cant_be(contents):
    assert methods.compute([contents, contents]) == {}
