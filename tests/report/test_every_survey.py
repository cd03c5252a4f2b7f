"""The report of a study with every survey: ABC-Eval has no overall order, the game a leader, methods stand together."""

import html
import re
import shutil
from pathlib import Path

import pytest

from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.standings import standings
from parlai_spotbot.findings.survey_data import load
from parlai_spotbot.report.chapters import chapter_of
from parlai_spotbot.report.first_screen import first_screen
from parlai_spotbot.report.page import build_report
from parlai_spotbot.report.parts import SurveyView
from parlai_spotbot.report.studies import standings_table
from parlai_spotbot.study import Study

STORED = Path(__file__).parents[1] / "goldens" / "studies" / "surveys"
SURVEYS = ("abc_eval", "acute_eval", "dialogue_likert", "spot_the_bot_game", "nuc")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    path = tmp_path_factory.mktemp("every") / "study"
    shutil.copytree(STORED, path)
    for survey in SURVEYS:
        analyze(Study.open(path), survey, bootstraps=20)
    return Study.open(path)


@pytest.fixture(scope="module")
def page(made):
    return build_report(made, "abc_eval").read_text(encoding="utf-8")


def section(page, anchor):
    return html.unescape(page.split(f'name="sections" id="{anchor}"')[1].split('name="sections"')[0])


def test_behaviours_have_an_order_each_and_none_of_all(made):
    contents = load(made, "abc_eval")
    first = first_screen(chapter_of(SurveyView(contents)))
    assert first.answer == "None of 15 differences between contestants is clear."
    assert first.uncertain[0].startswith("There is no overall order")
    assert first.lead.card.clusters == []
    assert first.lead.card.table.rows
    found = standings(contents)
    assert found
    assert all(row.criterion and row.ranking.score_column == "score" and not row.ranking.of_matches for row in found)


def test_a_survey_that_ranks_nobody_answers_its_question(made):
    first = first_screen(chapter_of(SurveyView(load(made, "nuc"))))
    assert first.answer.startswith("People chose the real next turn first in ")
    assert first.lead.card.chart


def test_no_part_is_empty_and_kinds_of_conversations_have_words(page):
    assert not re.search(r'<div class="part[^>]*>\s*<h4>[^<]*(<span[^>]*>[^<]*</span>)?\s*</h4>\s*</div>', page)
    kinds = section(page, "acute_eval-chats")
    assert "a bot with itself" in kinds
    assert "human_model" not in kinds


def test_the_page_has_the_behaviours_and_the_training(page):
    for text in ("ABC-Eval: what do bots do, turn by turn?", "Every pair", "Who passed the training?"):
        assert text in page, text


def test_a_game_has_a_leader_and_no_id_of_the_platform(page):
    game = section(page, "spot_the_bot_game-game")
    assert re.search(r"points annotators? \d+.* leads? and gets? the bonus", game)
    assert not re.search(r"\bw\d\b", game)


def test_methods_stand_together_and_judges_by_themselves(page):
    methods = section(page, "methods")
    assert "First, apart from all others" in methods or "By no method is one contestant first" in methods
    assert "automatic judge" in methods  # the coin answered two surveys


def test_ids_are_unique_and_the_bytes_the_same(made, page, tmp_path):
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    shutil.copytree(made.path, tmp_path / "copy")
    assert build_report(Study.open(tmp_path / "copy"), "abc_eval").read_text(encoding="utf-8") == page
    assert str(made.path) not in page


def test_studies_are_compared_by_each_behaviour(made, tmp_path):
    shutil.copytree(made.path, tmp_path / "other")
    table = standings_table([made.path, tmp_path / "other"], "abc_eval")
    assert set(table["study"]) == {"study", "other"}
    assert {"redundant", "empathetic"} <= set(table["criterion"])
