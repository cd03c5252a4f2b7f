"""From answers to labels, and the dialogues of the training."""

from itertools import product

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.abc_eval.labels import (
    ALLOWED,
    ANSWERS,
    EVERY_LABEL,
    LABELS,
    LESS,
    MORE,
    QUESTIONS,
    TASKS,
    complete,
    labels_of,
    possible,
    task_of_label,
)

PAPER = {
    "uninterpretable",
    "antisocial",
    "preference_info",
    "life_info",
    "empathetic",
    "lack_of_empathy",
    "commonsense_contradiction",
    "fact_usage",
    "fact_contradiction",
    "self_contradiction",
    "partner_contradiction",
    "redundant",
    "ignore",
    "irrelevant",
    "follow_up",
    "topic_switch",
}
"""Table 4 of the paper."""


def held(task, **answers):
    return {label for label, holds in labels_of(task, answers).items() if holds}


def test_the_sixteen_labels_in_eight_tasks_with_the_papers_limits():
    assert set(EVERY_LABEL) == PAPER
    assert len(EVERY_LABEL) == 16
    assert len(TASKS) == 8
    assert {task: ALLOWED[task] for task in TASKS if ALLOWED[task] == 1} == {"interpretability": 1, "sociality": 1}
    assert set(ALLOWED.values()) == {1, 2}
    assert all(task_of_label(label) == task for task, labels in LABELS.items() for label in labels)
    assert not set(LESS) & set(MORE)
    assert set(EVERY_LABEL) - set(LESS) - set(MORE) == {"preference_info", "life_info", "topic_switch"}


def test_facts_count_as_the_annotator_knew_them_or_found_them():
    assert held("knowledge", uses_facts="no") == set()
    assert held("knowledge", uses_facts="yes", facts_known="all_right") == {"fact_usage"}
    for wrong in ("one_wrong", "cannot_know"):
        assert held("knowledge", uses_facts="yes", facts_known=wrong) == {"fact_contradiction"}
    looked = {"uses_facts": "yes", "facts_known": "not_sure"}
    assert held("knowledge", **looked, facts_looked_up="all_right") == {"fact_usage"}
    assert held("knowledge", **looked, facts_looked_up="one_wrong") == {"fact_contradiction"}
    for unknown in ("sources_disagree", "not_found"):
        assert held("knowledge", **looked, facts_looked_up=unknown) == set()
    # What was answered before the annotator went back counts no more.
    assert held("knowledge", uses_facts="no", facts_known="one_wrong") == set()
    assert held("knowledge", uses_facts="yes", facts_known="all_right", facts_looked_up="one_wrong") == {"fact_usage"}


def test_transitions_and_empathy():
    plain = {"acknowledges": "yes", "relevant": "yes"}
    of = {"no": {"follow_up"}, "talking_point": set(), "yes": {"topic_switch"}, "nothing": set()}
    assert {value: held("transitions", new_topic=value, **plain) for value in ANSWERS["new_topic"]} == of
    assert held("transitions", acknowledges="no", relevant="no", new_topic="yes") == {
        "ignore",
        "irrelevant",
        "topic_switch",
    }
    assert held("transitions", acknowledges="not_needed", relevant="yes", new_topic="nothing") == set()
    assert [held("empathy", empathy=value) for value in ANSWERS["empathy"]] == [
        {"empathetic"},
        {"lack_of_empathy"},
        set(),
    ]
    assert held("consistency", self_contradiction="yes", partner_contradiction="no", redundant="yes") == {
        "self_contradiction",
        "redundant",
    }


@pytest.mark.parametrize("task", TASKS)
def test_the_questions_of_the_survey_are_those_of_the_labels(task):
    narrowed = get_survey("abc_eval").task(task)
    assert tuple(q.name for q in narrowed.questions) == QUESTIONS[task]
    for question in narrowed.questions:
        assert tuple(o.value for o in question.options) == ANSWERS.get(question.name, ("yes", "no"))
        assert question.targets == ("turn",)
        assert question.required
    assert narrowed.tasks[0].labels == LABELS[task]
    assert narrowed.limits.units_per_annotator == 60
    assert len(narrowed.training) == 4
    # Every set of labels that answers can lead to is one that a complete set of answers leads to, and no other.
    choices = [ANSWERS.get(name, ("yes", "no")) for name in QUESTIONS[task]]
    found = {frozenset(held(task, **dict(zip(QUESTIONS[task], own, strict=True)))) for own in product(*choices)}
    assert found == possible(task)


def test_what_is_unknown_or_missing_is_an_error():
    with pytest.raises(ValueError, match="task is 'style'"):
        labels_of("style", {})
    with pytest.raises(ValueError, match="expected all that the task knowledge asks"):
        labels_of("knowledge", {"uses_facts": "yes", "facts_known": "not_sure"})
    assert not complete("transitions", {"acknowledges": "yes", "new_topic": "no"})
    with pytest.raises(UserError, match="--task empaty: survey abc_eval has no such task"):
        get_survey("abc_eval").task("empaty")
    with pytest.raises(UserError, match="--task empathy: survey turn_likert has no such task"):
        get_survey("turn_likert").task("empathy")


def test_no_browser_gets_gold_labels_or_limits_of_mistakes():
    for task in TASKS:
        narrowed = get_survey("abc_eval").task(task)
        row = narrowed.to_json()
        assert "training" not in row
        assert not {"allowed", "read"} & set(row["tasks"][0])
        told = repr(row)
        for gold in narrowed.training:
            assert gold.id not in told
            said = [text for turn in gold.turns for text in (turn.text, turn.why) if len(text) > 30]
            assert not [text for text in said if text in told]
        assert row["tasks"][0]["definitions"][0]["examples"]
    assert "tasks" not in get_survey("turn_likert").to_json()
