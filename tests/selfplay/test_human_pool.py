"""People's conversations from the bots' training fold, as in the paper (section 3.1), on request."""

from dataclasses import replace

import pytest
import yaml

from parlai_spotbot.domains import get_domain
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN
from parlai_spotbot.selfplay.plan import SelfPlayRequest, decide
from parlai_spotbot.selfplay.play import draw_people, wanted_people
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from tests.case_tables import cases
from tests.spoken import bots_of

POOL = bots_of(("alice", "eliza"), "spotbot:{}")
DOMAIN = get_domain("chitchat")


def people_of(pool):
    plan = Plan("chitchat", POOL, human_conversations=20, human_pool=pool, seed=4)
    talks = draw_people(plan, DOMAIN)
    assert [talk.entities for talk in talks] == [(HUMAN, HUMAN)] * 20
    return talks


@cases("pool fold", "[[held_out, humans], [training, bots]]")
def test_people_are_of_the_fold_that_is_asked_for(pool, fold):
    known = {episode.episode_id: episode.turns for episode in DOMAIN.episodes(fold)}
    for talk in people_of(pool):
        assert tuple(turn.text for turn in talk.turns) == tuple(known[talk.seed_id][: len(talk.turns)])
        assert talk.provenance == {"fold": fold}


def test_one_conversation_of_people_for_three_of_bots():
    plan = Plan("chitchat", bots_of(("alice", "eliza", "parry"), "spotbot:{}"), conversations_per_pair=4, seed=4)
    assert plan.bot_conversations == 12
    assert wanted_people(plan) == 4
    assert wanted_people(replace(plan, conversations_per_pair=5)) == 5
    assert wanted_people(replace(plan, conversations_per_pair=1)) == 1
    assert wanted_people(replace(plan, human_conversations=0)) == 0


def test_a_plan_holds_it_and_plans_of_before_stay_byte_for_byte(tmp_path):
    assert "human_pool" not in Plan("chitchat", POOL).to_json()
    asked = SelfPlayRequest(contestants=POOL, human_pool="training", conversations_per_pair=2)
    plan = decide(tmp_path / "new", asked).plan
    assert plan.human_pool == "training"
    study = Study.create(tmp_path / "study", plan)
    assert yaml.safe_load(study.plan_path.read_text())["human_pool"] == "training"
    assert Study.open(study.path).plan.human_pool == "training"
    assert decide(study.path, SelfPlayRequest()).plan.human_pool == "training"
    with pytest.raises(UserError, match="human_pool: the study has 'training', you asked for 'held_out'"):
        decide(study.path, SelfPlayRequest(human_pool="held_out"))
    with pytest.raises(UserError, match=r"human_pool: expected 'held_out' or .* Did you mean 'training'\?"):
        decide(tmp_path / "other", SelfPlayRequest(contestants=POOL, human_pool="trainin"))
