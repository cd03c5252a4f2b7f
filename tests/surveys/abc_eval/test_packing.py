"""Packing by task: a unit is one conversation in one task, a share of conversations goes to a second annotator."""

from collections import Counter

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.records import HUMAN
from parlai_spotbot.study import Study
from parlai_spotbot.study_plan import Plan
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.abc_eval.label_frame import TASK_OF
from parlai_spotbot.surveys.abc_eval.labels import QUESTIONS, TASKS
from parlai_spotbot.surveys.asking import asked_of_item
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.spoken import bots_of, spoken

BOTS = ("ann", "bob")


def talks(number, first=0):
    return [
        spoken(f"{bot}-{n}", (HUMAN, bot), (f"{bot} {n} {t}" for t in range(8)), n, seed_exchanges=0)
        for bot in BOTS
        for n in range(first, number)
    ]


@pytest.fixture
def study(tmp_path):
    plan = Plan("chitchat", bots_of(BOTS, "spotbot:{}"), 2, seed=5)
    made = Study.create(tmp_path / "study", plan)
    checksums.write_jsonl(made.conversations_path, talks(30))
    return made


def test_a_unit_is_one_conversation_in_one_task(study):
    pack_study(study, "abc_eval")
    units = study.units("abc_eval")
    assert {len(unit.items) for unit in units} == {1}
    of = Counter(TASK_OF[unit.items[0].questions[0]] for unit in units if unit.replicate == 0)
    assert of == dict.fromkeys(TASKS, 60)
    survey = get_survey("abc_eval")
    item = next(unit.items[0] for unit in units if unit.items[0].questions == QUESTIONS["knowledge"])
    assert item.judged == (1,)  # the bot
    assert asked_of_item(survey, item, {}) == [("uses_facts", f"turn:{t}") for t in (1, 3, 5, 7)]
    given = {("uses_facts", "turn:3"): "yes", ("uses_facts", "turn:5"): "no", ("facts_known", "turn:3"): "not_sure"}
    assert set(asked_of_item(survey, item, given)) - set(asked_of_item(survey, item, {})) == {
        ("facts_known", "turn:3"),
        ("facts_looked_up", "turn:3"),
    }
    # Conversations that are annotated twice are so in every task, by another annotator: one block, another replicate.
    twice = Counter(unit.block_id for unit in units if unit.replicate == 1)
    assert set(twice.values()) == {8}
    assert len(twice) == 15  # a quarter
