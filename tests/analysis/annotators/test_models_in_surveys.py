"""Annotator models in agreement.json of surveys, and nowhere else."""

import json

import numpy as np
import pytest
from computing import analyze
from made_up_surveys import Made, item_of, likert, talk

from parlai_spotbot.records import HUMAN

WORKERS = {f"good{i}": 0.9 for i in range(6)} | {"poor": 0.5}


@pytest.fixture(scope="module")
def judged():
    """Sixty pairs of conversations of which one is better, three annotators each, of whom one chooses by lot."""
    made, rng = Made("comparative", seed=2), np.random.default_rng(0)
    better = {}
    for number in range(60):
        names = ("a", "b") if number % 2 else ("b", "a")
        pair = [talk(f"{name}-{number}", (name, HUMAN)) for name in names]
        made.conversations |= {c.conversation_id: c for c in pair}
        item = item_of(pair, (0, 0))
        better[item.item_id] = number % 2
        for worker in rng.choice(list(WORKERS), 3, replace=False):
            right = rng.random() < WORKERS[worker]
            answer = f"conversation:{better[item.item_id] if right else 1 - better[item.item_id]}"
            made.annotation(item, {("quality", "pair"): answer}, worker)
            if number < 20:
                made.annotation(item, {("quality", "pair"): answer}, "judge", "judge:x")
    judgements, conversations, items = made.everything()
    return analyze(judgements, conversations, "comparative", items=items, bots=["a", "b"], bootstraps=20)


def test_agreement_says_what_models_find(judged):
    own = judged["agreement"]["by_source"]
    assert "annotator_models" not in own["judge:x"]
    found = own[HUMAN]["annotator_models"]["quality"]
    assert (found["units"], found["ties"]) == (60, 0)
    for model in ("dawid_skene", "glad"):
        assert found["models"][model]["of"] == 60
        assert 0 < found["models"][model]["differ"] < 15
    annotators = found["annotators"]
    assert min(annotators, key=lambda worker: annotators[worker]["accuracy"]) == "poor"
    assert min(annotators, key=lambda worker: annotators[worker]["ability"]) == "poor"
    unit = found["differing"][0]
    assert {unit["majority"], unit["dawid_skene"], unit["glad"]} == {"first", "second"}
    assert 0.5 < unit["dawid_skene_posterior"] <= 1
    json.dumps(found, allow_nan=False)


def test_too_few_units_are_not_shown():
    made, pair = Made("acute_eval"), [talk("x", ("a", HUMAN)), talk("y", ("b", HUMAN))]
    made.conversations |= {c.conversation_id: c for c in pair}
    for worker in "uvw":
        made.annotation(item_of(pair, (0, 0)), {("humanness", "pair"): "conversation:0"}, worker)
    judgements, conversations, items = made.everything()
    result = analyze(judgements, conversations, "acute_eval", items=items, bots=["a", "b"], bootstraps=20)
    found = result["agreement"]["by_source"][HUMAN]["annotator_models"]["humanness"]
    assert "fewer than 30" in found["models"]["glad"]["why"]


def test_impressions_get_no_consensus():
    judgements, conversations, items = likert({"a": 2.6, "b": 3.4}, 6).everything()
    result = analyze(judgements, conversations, "dialogue_likert", items=items, bots=["a", "b"], bootstraps=20)
    assert "annotator_models" not in result["agreement"]["by_source"][HUMAN]
