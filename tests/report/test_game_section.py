"""The report of a game, of controls, and of a judge beside people: what stands there is what the analysis says."""

import html
import json
import re
import shutil
from dataclasses import replace

import pytest
from game_players import Players, play

from parlai_spotbot import files
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.records import HUMAN, Contestant
from parlai_spotbot.report import build_report
from parlai_spotbot.scripts.spotbot_report import SpotbotReport
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys.packing.pack_study import pack_study

NAME = "spot_the_bot_game"
BOTS = ("alice", "dr", "blender")
PLAYERS = Players(per_pair=40, people=40, annotators=14, controls=True)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A study in which people played, and a judge answered: packed, analysed by the command's function."""
    study = Study.create(
        tmp_path_factory.mktemp("game") / "study",
        Plan("chitchat", {bot: Contestant(bot, model=f"spotbot:{bot}") for bot in BOTS}, 40, seed=5),
    )
    judgements, conversations = play(PLAYERS, 2)
    files.write_jsonl(study.conversations_path, [c.to_json() for c in conversations])
    pack_study(study, NAME)
    items = {i.conversation_ids[0]: i for unit in study.units(NAME) for i in unit.items}
    rows = [
        j if j.control else replace(j, item_id=items[j.conversation_ids[0]].item_id)
        for j in judgements
        if j.control or j.conversation_ids[0] in items
    ]
    rows += [
        replace(j, source="judge:quick", worker_id="v", exchanges=5, annotation_id=f"v{j.item_id}")
        for j in rows
        if not j.control
    ]
    files.write_jsonl(study.judgements_path(NAME), [j.to_json() for j in rows])
    result = analyze(Study.open(study.path), NAME, bootstraps=15, backend="native")
    return Study.open(study.path), result


@pytest.fixture(scope="module")
def page(played):
    return build_report(played[0], NAME).read_text(encoding="utf-8")


def section(page, anchor):
    """Return people's part of a section, and the judge's."""
    found = html.unescape(page.split(f'name="sections" id="{anchor}"')[1].split('name="sections"')[0])
    return found.split('<div class="part judge"')


def own(played, stem, source=HUMAN):
    return played[1][stem]["by_source"][source]


def test_the_page_says_that_it_is_a_game(page):
    assert '<p class="kicker">Spot The Bot, the game ·' in page
    assert "opened by the annotators themselves, up to 5 exchanges" in page
    assert 'id="segments"' not in page
    assert "no turn after what they had opened" in page


def test_the_section_holds_the_leader_and_no_id_of_the_platform(played, page):
    people, judge = section(page, "game")[0], section(page, "game")[1:]
    found = own(played, "game")
    named = sorted({row["worker_id"] for row in found["leaderboard"]})
    leader = f"nnotator {named.index(found['bonus']['annotators'][0]) + 1} leads with"
    assert leader in people
    assert "Leaderboard" in people
    assert not re.search(r"\bw\d\d\b", people)  # never by the platform's id
    assert judge == []  # a judge plays no game


def test_ids_stay_unique_and_the_bytes_the_same(played, page, tmp_path):
    ids = re.findall(r'\bid="([^"]*)"', page)
    assert len(ids) == len(set(ids))
    shutil.copytree(played[0].path, tmp_path / "copy")
    assert build_report(Study.open(tmp_path / "copy"), NAME).read_text(encoding="utf-8") == page


def test_the_commands_say_what_to_take_care_of(played, capsys):
    SpotbotReport.main(study=str(played[0].path), survey=NAME)
    assert str(played[0].report_path) in capsys.readouterr().out
    written = json.loads((played[0].analysis_path(NAME) / "game.json").read_text())
    assert written["by_source"][HUMAN]["leaderboard"] == own(played, "game")["leaderboard"]
    assert (played[0].analysis_path(NAME) / "game_leaderboard.csv").exists()
