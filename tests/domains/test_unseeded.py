"""Conversations without a seed: a bot begins, everything that was said is shown, and people's are shown whole, too."""

import pytest
import yaml

from parlai_spotbot.domains import get_domain
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.controls import read_controls, write_controls
from parlai_spotbot.surveys.packing.pack_study import pack_study
from parlai_spotbot.texts.surface import normalise
from tests.domains.test_own_study import run

TELLING = {
    name: Contestant(name, model="tests.domains.telling_agents:HistoryAgent", turn_timeout=60) for name in ("a", "b")
}
ASKED = {"contestants": TELLING, "conversations_per_pair": 3, "exchanges": 2, "segments": [1, 2], "unseeded": True}


def test_a_bot_begins_and_hears_only_a_greeting_that_is_no_turn(tmp_path):
    assert run(tmp_path / "s", human_conversations=2, **ASKED).complete
    study = Study.open(tmp_path / "s")
    assert yaml.safe_load(study.plan_path.read_text())["unseeded"] is True
    rows = [row for row in study.conversations() if row.kind == "pairs"]
    assert {row.entities[0] for row in rows} == {"a", "b"}
    for row in rows:
        assert (row.seed_exchanges, row.seed_id, row.exchanges, len(row.turns)) == (0, "", 2, 4)
        assert [turn.text for turn in row.turns[:2]] == ["HEARD Hi!", "HEARD HEARD Hi!"]
        assert row.turns == row.shown
        assert row.provenance == {}
    assert "Hi!" not in {turn.text for row in study.conversations() for turn in row.turns}
    assert study.provenance()["selfplay"]["seeds"] == "none, so that conversations begin with what a bot says"


def test_people_are_shown_from_their_first_turn(tmp_path):
    run(tmp_path / "s", human_conversations=4, **ASKED)
    turns = {episode.episode_id: episode.turns for episode in get_domain("chitchat").episodes("humans")}
    people = [row for row in Study.open(tmp_path / "s").conversations() if row.kind == "people"]
    assert len(people) == 4
    for row in people:
        assert row.seed_exchanges == 0
        assert tuple(turn.text for turn in row.shown) == turns[row.seed_id][:4]


def test_units_show_what_was_said_first(tmp_path):
    run(tmp_path / "s", human_conversations=6, self_chats=False, **ASKED)
    run(tmp_path / "s", self_chats=True)
    study = Study.open(tmp_path / "s")
    first = {row.conversation_id: row.turns[0].text for row in study.conversations()}
    for survey, options in (("spot_the_bot", {"humans_per_unit": 2}), ("acute_eval", {"sources": ("self",)})):
        pack_study(study, survey, **options)
        shown = {
            (name, transcript[0].text)
            for unit in study.units(survey)
            for item in unit.items
            for name, transcript in zip(item.conversation_ids, item.transcripts, strict=True)
        }
        assert shown
        assert all(normalise(first[name]) == text for name, text in shown)
    write_controls(study.load("spot_the_bot"))
    turns = {episode.episode_id: episode.turns for episode in get_domain("chitchat").episodes("humans")}
    known = [item for item in read_controls(study.load("spot_the_bot")) if item.control == "known_human"]
    known = [item for item in known if item.conversation_ids[0] in turns]
    assert known
    for item in known:
        assert item.transcripts[0][0].text == normalise(turns[item.conversation_ids[0]][0])


def test_what_contradicts_it_is_said(tmp_path):
    with pytest.raises(UserError, match="--paired-seeds and"):
        run(tmp_path / "s", **ASKED, paired_seeds=True)
    assert not (tmp_path / "s").exists()
