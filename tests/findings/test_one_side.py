"""Simulated users: the user's side alone is asked about, counted and set beside people on that side."""

import re
from dataclasses import replace

import pandas as pd
import pytest

from parlai_spotbot import checksums
from parlai_spotbot.findings.rankings import main_ranking
from parlai_spotbot.report.page import build_report
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.findings.scripted import answered, by_chance, rows_of, small_study, talk

SURVEY, USERS = "spot_the_user", ("una", "ulf")
HUMAN_LIKE = {"una": 0.6, "ulf": 0.2, "human": 0.9}
INTERVAL = r"\d+% \[\d+%, \d+%\]"


def by_name(question, target, options, item, talks, rng):
    chance = HUMAN_LIKE[talks[item.conversation_ids[0]].entities[0]]
    return "human" if rng.random() < chance else rng.choice(["bot", "unsure"])


def test_the_shares_are_those_of_the_answers_about_one_side_and_the_report_begins_with_them(tmp_path):
    study = small_study(tmp_path / "s", SURVEY, USERS, per_pair=12, people=14)  # each speaks first in half of them
    mixed = replace(talk(("human", "ann"), 0), conversation_id="mixed", seed_id="elsewhere")  # a person talks to a bot
    checksums.write_jsonl(study.conversations_path, (*study.conversations(), mixed))
    pack_study(study, SURVEY, annotators_per_segment=1, sources=("pairs", "human_model"))
    rows = list(rows_of(study, SURVEY, by_name, ("w1", "w2", "w3")))
    assert {(row.question, row.target) for row in rows} == {("nature", "entity:0")}
    assert any(row.conversation_ids == ("mixed",) for row in rows)
    result = answered(study, SURVEY, rows, rows_of(study, SURVEY, by_chance, ["coin"], "judge:coin"))
    said = {one.conversation_id: one.entities[0] for one in study.conversations()}
    given = pd.Series([row.answer == "human" for row in rows]).groupby([said[row.conversation_ids[0]] for row in rows])
    data, taken = result["ranking"]["by_source"]["human"], given.mean()
    shares = {row["bot"]: row["human_share"] for name in ("ranking", "people") for row in data.rows(name)}
    assert shares == pytest.approx(taken.to_dict())
    assert data.one("together")["human_share"] == pytest.approx(taken[list(USERS)].mean())
    assert data.one("people")["labels"] == given.size()["human"]
    assert main_ranking(data).order == list(USERS)
    assert set(result["survival"]["by_source"]["human"]["curves"]["bot"]) == {*USERS, "human"}
    assert "judge:coin" in result["trust"]["by_source"]
    first = build_report(study, SURVEY).read_text(encoding="utf-8").split("How it was found")[0]
    assert re.search(rf"taken for people in {INTERVAL} of judgements, people in {INTERVAL}", first)
