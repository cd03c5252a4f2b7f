"""Shares of turns with a behaviour: against statsmodels, krippendorff, brute force, published intervals, and studies
of known rates; gold dialogues; and the whole method as reports read it."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import yaml
from computing import analyze
from made_up import behaviours as study
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from parlai_spotbot.analysis import behaviours
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.abc_eval.label_frame import STOPPED
from parlai_spotbot.surveys.abc_eval.labels import LESS

RATES = yaml.safe_load("""
alpha: {self_contradiction: 0.2, redundant: 0.05, fact_usage: 0.3, fact_contradiction: 0.02}
beta: {self_contradiction: 0.02, redundant: 0.25, fact_usage: 0.1, fact_contradiction: 0.1}
gamma: {self_contradiction: 0.02, redundant: 0.05, fact_usage: 0.2}
""")
BOTH = (HUMAN, "judge:x")


def analysed(made, **options):
    judgements, conversations, items = made.everything()
    options = {"bootstraps": 60, "items": items, "bots": list(RATES), "asked": get_survey("abc_eval")} | options
    return analyze(judgements, conversations, "abc_eval", **options)


@pytest.fixture(scope="module")
def made():
    return study(RATES, 24, workers=12, sources=BOTH)


@pytest.fixture(scope="module")
def result(made):
    return analysed(made)


# -- against other packages --------------------------------------------------------------------------------------------


def test_nothing_found_is_not_certainty_nor_nothing_known():
    rng = np.random.default_rng(2)
    rows = [
        {
            "name": name,
            "conversation_id": f"{name}{c}",
            "conversation_ids": (f"{name}{c}",),
            "worker_id": f"w{c % 5}",
            "annotation_id": f"{name}{c}",
            "rated": f"{name}{c} {t}",
            "value": int(name == "b" and rng.random() < 0.2),
        }
        for name in "ab"
        for c in range(40)
        for t in range(15)
    ]
    found = behaviours.behaviour(pd.DataFrame(rows), ["a", "b"], less_is_better=True)
    low, high = found["score_ci"]["a"]
    assert low == 0
    assert found["wilson"]["a"][1] * 0.8 < high < 0.1  # b's turns are correlated little, so a's are worth as much
    assert found["order"] == ["a", "b"]
    nothing = behaviours.behaviour(pd.DataFrame(rows[:600]), ["a"])
    expected = proportion_confint(0, 40, method="beta")
    assert nothing["score_ci"]["a"] == pytest.approx(expected)  # as many as there are conversations


def test_p_values_are_corrected_within_a_behaviour_and_over_all(result):
    criteria = result["ranking"]["by_source"][HUMAN]["criteria"]
    every = [pair for found in criteria.values() for pair in found["pairs"]]
    assert len(every) == 5 * 3
    expected = multipletests([pair["p"] for pair in every], method="holm")[1]
    assert [pair["p_adjusted_all"] for pair in every] == pytest.approx(expected)
    for found in criteria.values():
        expected = multipletests([pair["p"] for pair in found["pairs"]], method="holm")[1]
        for pair, adjusted in zip(found["pairs"], expected, strict=True):  # None where the verdict isn't known
            assert pair["p_adjusted"] == (None if pair["reason"] else pytest.approx(adjusted))
        assert [(p["a"], p["b"]) for p in found["pairs"]] == list(combinations(RATES, 2))
    tests = result["ranking"]["by_source"][HUMAN]["tests"]
    assert tests["pairs"] == 15
    assert tests["clear"] >= tests["clear_all"] >= 1


@pytest.mark.slow
def test_tests_of_equal_contestants_reject_as_rarely_as_they_say():
    rng, rejected, covered, n = np.random.default_rng(3), 0, 0, 400
    for _ in range(n):
        rows = []
        for name in "ab":
            for c in range(30):
                rate = rng.beta(1, 9)
                rows += [
                    (
                        name,
                        f"{name}{c}",
                        (f"{name}{c}",),
                        f"w{rng.integers(12)}",
                        f"{name}{c}",
                        f"{name}{c} {t}",
                        int(rng.random() < rate),
                    )
                    for t in range(12)
                ]
        columns = ["name", "conversation_id", "conversation_ids", "worker_id", "annotation_id", "rated", "value"]
        found = behaviours.behaviour(pd.DataFrame(rows, columns=columns), ["a", "b"])
        rejected += found["pairs"][0]["p"] < 0.05
        covered += found["score_ci"]["a"][0] <= 0.1 <= found["score_ci"]["a"][1]
    assert rejected <= stats.binom.isf(0.001, n, 0.06)
    assert covered >= stats.binom.ppf(0.001, n, 0.94)


# -- from answers to shares --------------------------------------------------------------------------------------------
def test_the_order_of_a_behaviour_goes_by_whether_it_is_wished(result):
    own = result["ranking"]["by_source"][HUMAN]
    assert own["order"] == []
    assert "no overall order" in own["why"]
    for label, found in own["criteria"].items():
        assert found["direction"] == ("less" if label in LESS else "more")
        scores = [found["score"][bot] for bot in found["order"]]
        assert scores == sorted(scores, reverse=found["direction"] == "more")
        assert found["clusters"][found["order"][0]][0] == 1
    assert own["criteria"]["self_contradiction"]["order"][-1] == "alpha"
    assert own["criteria"]["fact_usage"]["order"][0] == "alpha"


def test_annotations_stopped_half_way_are_left_out_and_counted(made):
    judgements, conversations, items = made.everything()
    people = [j for j in judgements if j.source == HUMAN]
    gone = next(j for j in people if j.question == "redundant")
    cut = [j for j in people if j is not gone]
    options = {"bots": list(RATES), "bootstraps": 20, "only": ("ranking",)}
    whole = analyze(cut, conversations, "abc_eval", items=items, asked=get_survey("abc_eval"), **options)
    assert whole["ranking"]["made_by"]["left_out"][HUMAN] == {"incomplete annotation": 1}
    # Without the items the turn of which answers are lacking tells it.
    alone = analyze(cut, conversations, "abc_eval", **options)
    assert alone["ranking"]["made_by"]["left_out"][HUMAN] == {STOPPED: 1}
    assert (
        alone["ranking"]["by_source"][HUMAN]["criteria"]["redundant"]["n"]
        == whole["ranking"]["by_source"][HUMAN]["criteria"]["redundant"]["n"]
    )


# -- the whole method --------------------------------------------------------------------------------------------------
