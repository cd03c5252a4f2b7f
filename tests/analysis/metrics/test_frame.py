"""From judgements to metrics and outcomes: every kind of survey, nobody on both sides, one number a conversation."""

import numpy as np
import pandas as pd
import pytest
from made_up_metrics import TURNS, evidence_of, made_up
from made_up_surveys import acute, likert

from parlai_spotbot.analysis.metrics import Metric
from parlai_spotbot.analysis.metrics.frame import (
    OWN,
    choice_table,
    choice_values,
    dialogue_values,
    picked,
    rating_table,
    without_own,
)
from parlai_spotbot.findings.survey_metrics import metrics_of, outcomes_of
from parlai_spotbot.records import HUMAN, Conversation, Judgement, Turn
from parlai_spotbot.surveys import get_survey


def by_key(metrics):
    return {metric.key: metric for metric in metrics}


def test_what_each_survey_says_and_by_which_task(evidence):
    found = {m.key: (m.kind, m.task, m.scale) for m in evidence.metrics[HUMAN]}
    assert found["abc_eval:self_contradiction"] == ("rate", "abc_eval:consistency", "nominal")
    assert found["abc_eval:empathetic"] == ("rate", "abc_eval:empathy", "nominal")
    assert found["dialogue_likert:quality"] == ("mean", "dialogue_likert", "ordinal")
    assert found["comparative:quality"] == ("choice", "comparative", "ordinal")
    assert not any(key.startswith("interactive") for key in found)


def test_a_conversation_s_value_is_the_mean_of_its_turns(made, evidence):
    values = dialogue_values(by_key(evidence.metrics[HUMAN])["abc_eval:self_contradiction"])
    rows = [row for row in made.judgements["abc_eval"] if row.question == "self_contradiction"]
    for name in ("ada-0", "dan-3"):
        own = [row for row in rows if row.conversation_ids == (name,)]
        expected = np.mean([row.answer == "yes" for row in own])
        assert values[name, name.split("-")[0]] == pytest.approx(expected)
        assert len(own) % TURNS == 0


def test_one_annotator_by_lot(evidence):
    metric = by_key(evidence.metrics[HUMAN])["dialogue_likert:quality"]
    rows = picked(metric.rows, "one", np.random.default_rng(2))
    assert (rows.groupby("conversation_id")["annotation_id"].nunique() == 1).all()
    assert set(rows["conversation_id"]) == set(metric.rows["conversation_id"])
    assert len(rows) < len(metric.rows)
    with pytest.raises(ValueError, match="pick is 'two'"):
        picked(metric.rows, "two")


def test_choices_are_differences_within_the_pair_and_ties_are_out(made, evidence):
    table, ties = choice_table(evidence.metrics[HUMAN], evidence.outcomes)
    assert ties == int((evidence.outcomes.choices["value"] == 0).sum())
    assert len(table) + ties == len(evidence.outcomes.choices)
    rates = dialogue_values(by_key(evidence.metrics[HUMAN])["abc_eval:empathetic"]).droplevel("bot")
    row = table.iloc[0]
    expected = rates[row["conversation_a"]] - rates[row["conversation_b"]]
    assert row["abc_eval:empathetic"] == pytest.approx(expected)
    chosen = choice_values(by_key(evidence.metrics[HUMAN])["comparative:quality"])
    for own in table.itertuples():
        turned = own.conversation_a > own.conversation_b
        key = (own.conversation_b, own.conversation_a) if turned else (own.conversation_a, own.conversation_b)
        said = table.loc[own.Index, "comparative:quality"]
        assert said == pytest.approx(-chosen[key] if turned else chosen[key])


def test_nobody_s_own_answers_are_on_both_sides():
    made = made_up(chats=6, annotators=2)
    talk = made.conversations[0].conversation_id
    leader = made.truth[talk]["person"]
    for survey in ("dialogue_likert", "comparative"):
        made.judgements[survey] = [
            Judgement(**{**row.__dict__, "worker_id": leader}) if talk in row.conversation_ids else row
            for row in made.judgements[survey]
        ]
    evidence = evidence_of(made)
    kept, lost = without_own(evidence.metrics[HUMAN], evidence.outcomes.interactors)
    assert without_own(kept, evidence.outcomes.interactors)[1] == {}
    gone = sum(
        talk in row.conversation_ids for name in ("dialogue_likert", "comparative") for row in made.judgements[name]
    )
    assert lost == {OWN: gone}
    assert gone > 0
    table = rating_table(kept, evidence.outcomes).set_index("conversation_id")
    assert np.isnan(table.loc[talk, "dialogue_likert:quality"])
    assert np.isfinite(table.loc[talk, "abc_eval:empathetic"])


def test_outcomes_are_of_people_s_quality_alone(made):
    found = outcomes_of(made.judgements["interactive"], made.conversations)
    assert len(found.ratings) == len(made.conversations)
    assert set(found.choices["value"]) <= {-1.0, 0.0, 1.0}
    assert found.interactors == {talk: own["person"] for talk, own in made.truth.items()}
    other = outcomes_of(made.judgements["interactive"], made.conversations, "relevance")
    assert len(other.choices) == 0
    assert len(other.ratings) == len(made.conversations)


def spotted(answers, entities=("ada", "bob")):
    talk = Conversation(
        "c",
        "chitchat",
        tuple(sorted(entities)),
        0,
        entities,
        tuple(Turn(entities[t % 2], f"t{t}") for t in range(6)),
        0,
    )
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
    found = {m.name: dialogue_values(m).droplevel(0).to_dict() for m in metrics}
    assert found["taken_for_human"] == {"ada": 1.0, "bob": 0.5}
    assert found["fluency"] == {"ada": -1.0, "bob": 1.0}
    assert found["sensibleness"] == {"ada": 0.0, "bob": 0.0}
    assert {m.task for m in metrics} == {"spot_the_bot"}
    assert lost == {}


def test_questions_that_are_put_by_themselves_are_tasks_of_their_own():
    made = made_up(chats=4)
    first = {}
    rows = []
    for row in made.judgements["dialogue_likert"]:
        if first.setdefault(row.annotation_id, row.question) and row.question in ("consistency", "relevance"):
            rows.append(Judgement(**{**row.__dict__, "annotation_id": f"{row.annotation_id}-{row.question}"}))
    metrics, _ = metrics_of(get_survey("dialogue_likert"), rows, made.conversations, [])
    assert {m.task for m in metrics} == {"dialogue_likert:consistency", "dialogue_likert:relevance"}


def test_a_wrong_turn_or_task_is_named():
    made = made_up(chats=4)
    first = made.judgements["abc_eval"][0]
    far = Judgement(**{**first.__dict__, "target": "turn:99", "question": "commonsense_contradiction"})
    with pytest.raises(ValueError, match="judgement 1: target 'turn:99'"):
        metrics_of(get_survey("abc_eval"), [far], made.conversations, [])
    odd = Judgement(**{**first.__dict__, "question": "charm"})
    with pytest.raises(ValueError, match="judgement 1: question 'charm', expected one of"):
        metrics_of(get_survey("abc_eval"), [odd], made.conversations, [])


def test_a_metric_is_checked():
    with pytest.raises(ValueError, match="metric a:b: rows lack the columns"):
        Metric("a", "b", "rate", "a", "nominal", pd.DataFrame({"value": [1.0]}))
    with pytest.raises(ValueError, match="kind is 'sum'"):
        Metric("a", "b", "sum", "a", "nominal", pd.DataFrame())


def test_any_survey_that_chooses_between_conversations_or_rates_turns():
    chosen = acute({("ada", "bob"): 0.8}, 12)
    judgements, conversations, items = chosen.everything()
    metrics, _ = metrics_of(get_survey("acute_eval"), judgements, conversations, items)
    (metric,) = metrics
    assert (metric.key, metric.kind, metric.task) == ("acute_eval:engagingness", "choice", "acute_eval")
    assert set(metric.rows["value"]) <= {-1.0, 1.0}  # reasons are no data
    assert len(metric.rows) == 12
    rated = likert({"ada": 4.0, "bob": 2.0}, 5, turns=True, dimensions=("relevance",))
    metrics, _ = metrics_of(get_survey("turn_likert"), *rated.everything())
    values = dialogue_values(metrics[0]).groupby("bot").mean()
    assert metrics[0].key == "turn_likert:relevance"
    assert values["ada"] > values["bob"] + 1
