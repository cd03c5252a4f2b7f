"""The report of a study with every survey: ABC-Eval has no overall order, the game a leader, methods stand together."""

import html
import json
import re
import shutil
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from parlai_spotbot import files
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.findings.standings import standings
from parlai_spotbot.findings.survey_data import load
from parlai_spotbot.records import HUMAN, indexed
from parlai_spotbot.report.chapters import chapter_of
from parlai_spotbot.report.examples import LEVEL, examples_of
from parlai_spotbot.report.first_screen import first_screen
from parlai_spotbot.report.page import build_report
from parlai_spotbot.report.parts import SurveyView
from parlai_spotbot.report.studies import standings_table
from parlai_spotbot.study import Study

STORED = Path(__file__).parents[1] / "goldens" / "studies" / "surveys"
SURVEYS = ("abc_eval", "acute_eval", "comparative", "dialogue_likert", "turn_likert", "spot_the_bot_game", "nuc")


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


def shown_of(made, survey):
    """The survey, and of each example of a win (winner, loser, labels by name, ids of the conversations)."""
    contents = load(made, survey)
    why = examples_of(contents, contents.ranking(HUMAN), HUMAN)
    pair = {*re.match(r"(\S+) and (\S+), the closest two", why.rule).groups()}
    talks = indexed(contents.conversations)
    shown = []
    for example in why.shown:
        winner = example.title.split()[-1]
        (loser,) = pair - {winner}
        assert winner in talks[example.talks[0][0]].entities
        for conversation, turns in example.talks:
            assert [text for *_, text in turns] == [turn.text for turn in talks[conversation].shown[: len(turns)]]
        shown.append((winner, loser, dict(example.labels), {conversation for conversation, _ in example.talks}))
    return contents, shown


def test_a_win_in_the_game_is_what_annotations_say(made):
    _, shown = shown_of(made, "spot_the_bot_game")
    assert shown
    for winner, loser, said, _ in shown:
        assert LEVEL[said[winner].split()[0]] > LEVEL[said[loser].split()[0]]


@pytest.mark.parametrize("survey", ["acute_eval", "comparative"])
def test_a_win_between_the_closest_two_is_what_annotations_say(made, survey):
    contents, shown = shown_of(made, survey)
    talks = indexed(contents.conversations)
    question = contents.ranking(HUMAN).whole["question"]
    assert shown
    for winner, loser, said, ids in shown:
        rows = [row for row in contents.kept if {*row.conversation_ids} == ids and row.source == HUMAN]
        answers = [row for row in rows if row.question == question and row.answer != "neither"]
        chosen = [winner in talks[row.conversation_ids[int(row.answer[-1])]].entities for row in answers]
        assert sum(chosen) > len(chosen) / 2
        times = {1: "once"}.get(sum(chosen), f"{sum(chosen)} times")
        assert said[winner].startswith(f"preferred {times}")
        assert f"not preferred {times}" in said[loser]


@pytest.mark.parametrize("survey", ["dialogue_likert", "turn_likert"])
def test_a_typical_conversation_is_the_one_nearest_the_mean(made, survey):
    contents = load(made, survey)
    ranking = contents.ranking(HUMAN)
    why = examples_of(contents, ranking, HUMAN)
    question = ranking.whole["question"]
    means = defaultdict(list)
    for row in contents.kept:
        if row.question == question and row.source == HUMAN and row.control is None:
            means[row.conversation_ids[0]].append(float(row.answer))
    talks = indexed(contents.conversations)
    assert len(why.shown) == 2
    for example in why.shown:
        bot = example.title.split()[-1]
        [(conversation, turns)] = example.talks
        [(named, said)] = example.labels
        away = {name: abs(np.mean(given) - ranking.contestants[bot]["score"]) for name, given in means.items()}
        of_bot = [name for name in means if bot in talks[name].entities]
        assert named == bot
        assert away[conversation] == min(away[name] for name in of_bot)
        assert said == f"{question} {round(np.mean(means[conversation]), 1):g}"
        assert {speaker for _, speaker, _ in turns} <= {*talks[conversation].entities}


@pytest.fixture
def contradicting(made, tmp_path):
    """Alice alone shows a behaviour, in the last turns of every conversation; nobody else ever does."""
    folder = tmp_path / "study"
    shutil.copytree(made.path, folder)
    path = folder / "surveys/abc_eval/judgements.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    talks = indexed(made.conversations())
    for row in rows:
        if row["question"] == "self_contradiction" and not row["control"]:
            talk = talks[row["conversation_ids"][0]]
            late = int(row["target"][5:]) > len(talk.shown) // 2
            row["answer"] = "yes" if late and "alice" in talk.entities else "no"
    files.write_jsonl(path, rows)
    (folder / "manifest.json").unlink()
    analyze(Study.open(folder), "abc_eval", bootstraps=20)
    return load(Study.open(folder), "abc_eval")


def test_of_behaviours_the_clearest_difference_is_shown_where_it_happens(contradicting):
    ranking = contradicting.ranking(HUMAN)
    assert examples_of(contradicting, ranking, HUMAN) is None  # so few conversations tell nobody apart
    pairs = contradicting.of("ranking", HUMAN)["pairs"]
    clear = (pairs["label"] == "self_contradiction") & (pairs["a"] == "alice") & (pairs["b"] == "parrot")
    pairs.loc[clear, "p_adjusted_all"] = 0.01
    why = examples_of(contradicting, ranking, HUMAN)
    assert "alice" in why.rule
    assert "“self contradiction”" in why.rule
    [example] = [example for example in why.shown if example.title.endswith("alice")]
    [(conversation, turns)] = example.talks
    [(_, said)] = example.labels
    assert re.fullmatch(r"“self contradiction” in [1-9]\d?% of its turns", said)
    talk = indexed(contradicting.conversations)[conversation]
    late = talk.shown[len(talk.shown) // 2 + 1 :]
    assert {turn.text for turn in late} & {text for *_, text in turns}


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
