"""The judges' section: reliability and curves drawn from what stands in JUDGE.json, and said in plain words."""

import numpy as np
import pytest

from parlai_spotbot.findings import judge_account
from parlai_spotbot.judges.calibration import calibration
from parlai_spotbot.report import charts


def variant(stretch=1.0):
    rng = np.random.default_rng(0)
    logit = rng.normal(0, 1.5, 600)
    human = rng.random(600) < 1 / (1 + np.exp(-logit))
    said = 1 / (1 + np.exp(-stretch * logit))
    curve = [
        {"share": s, "value": v, "push": p, "low": p - 0.1, "high": p + 0.1}
        for s, v, p in zip((0.05, 0.25, 0.5, 0.75, 0.95), (0, 0.1, 0.2, 0.3, 0.4), (-1, -0.5, 0, 0.4, 0.9), strict=True)
    ]
    feature = {
        "name": "surprise",
        "group": "fluency",
        "title": "surprise of a language model",
        "meaning": "Mean.",
        "direction": "human",
        "strength": 0.7,
        "curve": curve,
    }
    word = {"word": "haha <b>", "apart": 0.01, "people": 0.3, "bots": 0.1, "models": 3}
    return {
        "calibration": calibration(said, human, [f"c{i // 2}" for i in range(600)], np.abs(said - 0.5) < 0.1),
        "unsure_between": {"low": 0.4, "high": 0.6},
        "features": [feature],
        "words": {"human": [word], "bot": [{**word, "word": "indeed", "people": 0.1, "bots": 0.2}]},
    }


@pytest.mark.parametrize("kind", ["points", "lines"])
def test_charts_are_drawn_with_their_data(kind):
    (chart,) = (c for c in judge_account.drawn("spotter-x", variant()) if c.kind == kind)
    drawing = charts.draw(chart, {}, "name")
    assert "<svg" in drawing
    assert chart.name in ("reliability_spotter_x", "curves_spotter_x")


def test_the_curve_has_a_mark_with_interval_and_count_for_each_bin():
    own = variant()
    chart = judge_account.drawn("x", own)[0]
    assert [p["label"] for p in chart.data["points"]] == [str(b["n"]) for b in own["calibration"]["bins"]]
    assert all(p["low"] <= p["y"] <= p["high"] for p in chart.data["points"])
    assert chart.data["diagonal"]


def test_the_sentence_says_error_and_where_it_is_unsure():
    own = variant()
    text = judge_account.calibrated("spotter-x", own["calibration"], own["unsure_between"])
    assert f"n = {own['calibration']['n']}" in text
    assert "between 40% and 60%" in text
    worse = judge_account.calibrated("spotter-x", variant(4.0)["calibration"], {})
    assert worse.split(" off")[0] != text.split(" off")[0]


def test_features_and_words_say_their_direction():
    table = judge_account.features("x", variant())
    assert table.rows[0][:4] == ("Surprise of a language model", "fluency", "a person", "0.70")
    assert "surprise of a language model: more of it speaks for a person" in table.sentence
    told = judge_account.words("x", variant())
    assert [row[1] for row in told.rows] == ["a person", "a bot"]
    assert judge_account.features("x", {}) is None
    assert judge_account.words("x", {"words": {"human": [], "bot": []}}) is None


def test_a_judge_without_probabilities_has_no_curve():
    assert judge_account.drawn("x", {"confusion": {}}) == []
    assert judge_account.drawn("x", {"calibration": {}}) == []


def test_what_it_says_of_whom_it_has_not_met():
    shares = {"human": 0.58, "unsure": 0.12, "bot": 0.3}
    own = {
        "people": shares,
        "bots": {"alice": {"human": 0.1, "unsure": 0.2, "bot": 0.7}},
        "corruptions": {
            "shuffled_words": {"human": 0.13, "unsure": 0.1, "bot": 0.77},
            "copies": {"human": 0.02, "unsure": 0.0, "bot": 0.98},
        },
    }
    table = judge_account.unseen("words", {"left_out": own})
    assert table.rows == [
        ("people", "58%", "12%", "30%"),
        ("alice", "10%", "20%", "70%"),
        ("shuffled words", "13%", "10%", "77%"),
        ("copies", "2%", "0%", "98%"),
    ]
    assert "calls 58% human, of spoilt texts at most 13% (shuffled words)." in table.sentence
    assert judge_account.unseen("words", {}) is None
