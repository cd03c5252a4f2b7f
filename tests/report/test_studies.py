"""One table of several studies: places and scores of each, whose answers they are, and what is refused."""

import json
import shutil
from dataclasses import replace

import pandas as pd
import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.made_by import VERSION
from parlai_spotbot.report.studies import standings_table
from parlai_spotbot.scripts.main import main
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from tests.sealing import sealed
from tests.spoken import bots_of

SURVEY = "spot_the_bot"
UP = {"smollm2": 0.8, "minilm": 0.6, "alice": 0.4, "eliza": 0.2}
DOWN = {"smollm2": 0.2, "minilm": 0.4, "alice": 0.6, "eliza": 0.8}


def ranking(rates, source):
    rows = [
        {"source": source, "bot": bot, "cluster_first": place, "cluster_last": place, "win_rate": rates[bot]}
        | {"win_rate_low": rates[bot] - 0.04, "win_rate_high": rates[bot] + 0.04}
        for place, bot in enumerate(sorted(rates, key=lambda bot: -rates[bot]), start=1)
    ]
    return {"tables": {"ranking": rows}, "made_by": {"version": VERSION, "used": {source: 100}}}


def bare(path, rates, like, source="human"):
    """A study whose ranking is given; conversations and answers are those of `like`."""
    study = Study.create(path, Plan("chitchat", bots_of(rates, "spotbot:{}"), 4))
    checksums.write_jsonl(study.conversations_path, like.conversations())
    own = [replace(row, source=source) for row in like.judgements(SURVEY) if row.source == "human"]
    checksums.write_jsonl(study.judgements_path(SURVEY), own)
    checksums.write_json(study.analysis_path(SURVEY) / "ranking.json", ranking(rates, source))
    return study


@pytest.fixture
def pair(study, tmp_path):
    return bare(tmp_path / "one", UP, study), bare(tmp_path / "two", DOWN, study)


def test_the_command_prints_and_writes_one_table(pair, tmp_path, capsys):
    assert not main(["spotbot_report", "--study", str(pair[0].path), "--compare", str(pair[1].path)])
    printed = capsys.readouterr().out
    line = next(line for line in printed.splitlines() if "smollm2" in line)
    assert "#1 0.80 [0.76, 0.84]" in line
    assert "#4 0.20 [0.16, 0.24]" in line
    assert "do not compare them between studies with different contestants" in printed
    table = pd.read_csv(tmp_path / "compared" / "studies.csv")
    assert len(table) == 8
    row = table[(table["study"] == "two") & (table["contestant"] == "eliza")].iloc[0]
    assert row[["source", "what", "annotations"]].tolist() == ["human", "win rate", 100]
    assert row[["score", "low", "high"]].tolist() == pytest.approx([0.8, 0.76, 0.84])


def test_criteria_of_a_further_survey_are_listed(pair):
    for study in pair:
        rows = [row | {"question": "relevance"} for row in ranking(UP, "human")["tables"]["ranking"]]
        whole = [{"source": "human", "question": "relevance", "main": True}]
        target = study.survey_path("dialogue_likert")
        shutil.copytree(study.survey_path(SURVEY), target)
        made_by = {"version": VERSION, "used": {"human": 3}}
        value = {"tables": {"ranking": rows, "whole": whole}, "made_by": made_by}
        (target / "analysis" / "ranking.json").write_text(json.dumps(value))
        sealed(study.path)
    table = standings_table([s.path for s in pair], "dialogue_likert")
    assert list(dict.fromkeys(table["criterion"])) == ["", "relevance"]
    assert set(standings_table([s.path for s in pair])["survey"]) == {SURVEY, "dialogue_likert"}


def test_what_cannot_be_compared_is_refused(pair, tmp_path, capsys):
    paths = [s.path for s in pair]
    with pytest.raises(UserError, match="two different studies"):
        standings_table([paths[0], paths[0]])
    with pytest.raises(UserError, match="share no survey nuc"):
        standings_table(paths, "nuc")
    checksums.remove(pair[1].analysis_path(SURVEY) / "ranking.json")
    with pytest.raises(UserError, match="not analysed yet") as caught:
        standings_table(paths)
    assert f"parlai spotbot_analyze --study {paths[1]} --survey spot_the_bot" in caught.value.remedy
    shutil.move(pair[1].survey_path(SURVEY), pair[1].survey_path("acute_eval"))
    sealed(paths[1])
    with pytest.raises(UserError, match="share no survey") as caught:
        standings_table(paths)
    assert "one: spot_the_bot; two: acute_eval" in caught.value.problem
    with pytest.raises(SystemExit):
        main(["spotbot_report", "--leaderboard", *map(str, paths)])
    assert "unknown option --leaderboard" in capsys.readouterr().err
