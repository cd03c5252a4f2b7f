"""Packing a study on disk: repeated, grown, with other options, and from the command line."""

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.surveys.packed import contents, judge


def test_a_study_that_grew_keeps_what_is_there(study_of, pool):
    few, all_of_them = pool(per_pair=5, people=50), pool(per_pair=10, people=50)
    study = study_of(few)
    pack_study(study)
    judge(study, "spot_the_bot", {("nature", "entity:0"): "bot"})
    before = study.units_path("spot_the_bot").read_bytes()
    summary = pack_study(study_of(all_of_them))
    after = study.units_path("spot_the_bot").read_bytes()
    assert after.startswith(before)
    assert (summary["units"], summary["added_units"]) == (60, 30)
    assert summary["tables"]["conversations"]["shown"] == {"of bots": 150, "of people": 50}


def test_units_that_people_were_handed_are_not_packed_anew(study_of, pool):
    study = study_of(pool())
    pack_study(study)
    ledger = study.survey_path("spot_the_bot") / "crowdsourcing" / "ledger.db"
    ledger.parent.mkdir()
    ledger.touch()
    before = contents(study)
    with pytest.raises(UserError, match=r"segments \[2, 3, 5\] there, \[2, 3\] here.*ledger\.db"):
        pack_study(study, segments=(2, 3))
    assert contents(study) == before


def test_conversations_made_anew_under_judged_units_are_refused(study_of, pool):
    study = study_of(pool())
    pack_study(study)
    units = study.units_path("spot_the_bot").read_bytes()
    changed = pool(say=lambda speaker, turn: f"other words, {turn}")
    pack_study(study_of(changed))
    assert study.units_path("spot_the_bot").read_bytes() != units
    judge(study, "spot_the_bot", {("nature", "entity:0"): "bot"})
    with pytest.raises(UserError, match="not made from these conversations"):
        pack_study(study_of(pool()))


def test_a_study_without_bots_is_said(study_of, pool):
    with pytest.raises(UserError, match="no conversation of bots with each other"):
        pack_study(study_of(pool(bots=1)))


def test_where_every_conversation_failed_it_is_said_why(study_of, pool):
    study = study_of(pool(bots=1))
    checksums.write_jsonl(study.failures_path, [{"contestant": "模型", "kind": "empty", "message": "it was silent"}])
    with pytest.raises(UserError, match="The last failed: 模型: it was silent"):
        pack_study(study)
