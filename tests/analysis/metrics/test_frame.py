"""From judgements to metrics and outcomes: every kind of survey, nobody on both sides, one number a conversation."""

from dataclasses import replace

import numpy as np
import pytest

from parlai_spotbot.analysis.metrics.frame import (
    OWN,
    choice_table,
    choice_values,
    dialogue_values,
    picked,
    rating_table,
    without_own,
)
from parlai_spotbot.findings.survey_metrics import metrics_of
from parlai_spotbot.records import HUMAN, Judgement
from parlai_spotbot.surveys import get_survey
from tests.analysis.made_up import chats, evidence_of
from tests.spoken import spoken


def by_key(metrics):
    return {metric.key: metric for metric in metrics}


def test_what_each_survey_says_and_by_which_task(evidence):
    found = {m.key: (m.kind, m.task, m.scale) for m in evidence.metrics[HUMAN]}
    assert found["abc_eval:self_contradiction"] == ("rate", "abc_eval:consistency", "nominal")
    assert found["abc_eval:empathetic"] == ("rate", "abc_eval:empathy", "nominal")
    assert found["dialogue_likert:quality"] == ("mean", "dialogue_likert", "ordinal")
    assert found["comparative:quality"] == ("choice", "comparative", "ordinal")
    assert not any(key.startswith("interactive") for key in found)


def test_one_annotator_by_lot(evidence):
    metric = by_key(evidence.metrics[HUMAN])["dialogue_likert:quality"]
    rows = picked(metric.rows, "one", np.random.default_rng(2))
    assert (rows.groupby("conversation_id")["annotation_id"].nunique() == 1).all()
    assert set(rows["conversation_id"]) == set(metric.rows["conversation_id"])
    assert len(rows) < len(metric.rows)


def test_choices_are_differences_within_the_pair_and_ties_are_out(made, evidence):
    table, ties = choice_table(evidence.metrics[HUMAN], evidence.outcomes, "mean", None)
    assert ties == int((evidence.outcomes.choices["value"] == 0).sum())
    assert len(table) + ties == len(evidence.outcomes.choices)
    rates = dialogue_values(by_key(evidence.metrics[HUMAN])["abc_eval:empathetic"].rows).droplevel("bot")
    row = table.iloc[0]
    expected = rates[row["conversation_a"]] - rates[row["conversation_b"]]
    assert row["abc_eval:empathetic"] == pytest.approx(expected)
    chosen = choice_values(by_key(evidence.metrics[HUMAN])["comparative:quality"].rows)
    expected = [chosen[pair] for pair in zip(table["conversation_a"], table["conversation_b"], strict=True)]
    np.testing.assert_allclose(table["comparative:quality"], expected)


def test_nobody_s_own_answers_are_on_both_sides():
    made = chats(6, annotators=2)
    talk = made.conversations[0].conversation_id
    leader = made.truth[talk]["person"]
    for survey in ("dialogue_likert", "comparative"):
        made.judgements[survey] = [
            replace(row, worker_id=leader) if talk in row.conversation_ids else row for row in made.judgements[survey]
        ]
    evidence = evidence_of(made)
    kept, lost = without_own(evidence.metrics[HUMAN], evidence.outcomes.interactors)
    assert without_own(kept, evidence.outcomes.interactors)[1] == {}
    gone = sum(
        talk in row.conversation_ids for name in ("dialogue_likert", "comparative") for row in made.judgements[name]
    )
    assert lost == {OWN: gone}
    assert gone > 0
    table = rating_table(kept, evidence.outcomes, "mean", None).set_index("conversation_id")
    assert np.isnan(table.loc[talk, "dialogue_likert:quality"])
    assert np.isfinite(table.loc[talk, "abc_eval:empathetic"])


def spotted(answers, entities=("ada", "bob")):
    talk = spoken("c", entities, (f"t{t}" for t in range(6)), seed_exchanges=0)
    rows = [
        Judgement(f"j{i}", "a", "spot_the_bot", "u", "i", ("c",), 2, target, question, answer, "w", HUMAN)
        for i, ((question, target), answer) in enumerate(answers.items())
    ]
    return talk, rows


def test_spot_the_bot_says_who_was_taken_for_human_and_favoured():
    favoured = {
        ("fluency", "pair"): "entity:1",
        ("sensibleness", "pair"): "no_difference",
        ("specificity", "pair"): "entity:0",
    }
    talk, rows = spotted({("nature", "entity:0"): "human", ("nature", "entity:1"): "unsure", **favoured})
    metrics, lost = metrics_of(get_survey("spot_the_bot"), rows, [talk], [])
    found = {m.name: dialogue_values(m.rows).droplevel(0).to_dict() for m in metrics}
    assert found["taken_for_human"] == {"ada": 1.0, "bob": 0.5}
    assert found["fluency"] == {"ada": -1.0, "bob": 1.0}
    assert found["sensibleness"] == {"ada": 0.0, "bob": 0.0}
    assert {m.task for m in metrics} == {"spot_the_bot"}
    assert lost == {}
