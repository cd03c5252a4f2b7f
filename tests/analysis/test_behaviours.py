"""Shares of turns with a behaviour: against statsmodels, krippendorff, brute force, published intervals, and studies
of known rates; gold dialogues; and the whole method as reports read it."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from parlai_spotbot.analysis import behaviours
from parlai_spotbot.findings.rankings import by_criterion, main_ranking
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys import get_survey
from parlai_spotbot.surveys.abc_eval.label_frame import STOPPED
from parlai_spotbot.surveys.abc_eval.labels import LESS
from tests.analysis.computing import analyze
from tests.analysis.made_up import behaviours as study

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
    own = found.contestants.iloc[0]
    assert own["score_low"] == 0
    assert (
        own["wilson_high"] * 0.8 < own["score_high"] < 0.1
    )  # b's turns are correlated little, so a's are worth as much
    assert found.contestants["bot"].tolist() == ["a", "b"]
    nothing = behaviours.behaviour(pd.DataFrame(rows[:600]), ["a"])
    expected = proportion_confint(0, 40, method="beta")
    ends = nothing.contestants.loc[0, ["score_low", "score_high"]].tolist()
    assert ends == pytest.approx(expected)  # as many as there are conversations


def by_label(frames):
    """The rankings by the labels."""
    return {label: ranking for label, ranking in by_criterion(frames).items() if label}


def test_p_values_are_corrected_within_a_behaviour_and_over_all(result):
    own = result["ranking"]["by_source"][HUMAN]
    criteria, every = by_label(own), own.rows("pairs")
    assert len(every) == 5 * 3
    expected = multipletests([pair["p"] for pair in every], method="holm")[1]
    assert [pair["p_adjusted_all"] for pair in every] == pytest.approx(expected)
    for found in criteria.values():
        expected = multipletests([pair["p"] for pair in found.pairs], method="holm")[1]
        for pair, adjusted in zip(found.pairs, expected, strict=True):  # None where the verdict isn't known
            assert pair["p_adjusted"] == (None if pair["reason"] else pytest.approx(adjusted))
        assert [(p["a"], p["b"]) for p in found.pairs] == list(combinations(RATES, 2))
    tests = main_ranking(own).whole
    assert tests["tests"] == 15
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
        own = found.contestants.set_index("bot").loc["a"]
        rejected += found.pairs["p"][0] < 0.05
        covered += own["score_low"] <= 0.1 <= own["score_high"]
    assert rejected <= stats.binom.isf(0.001, n, 0.06)
    assert covered >= stats.binom.ppf(0.001, n, 0.94)


# -- from answers to shares --------------------------------------------------------------------------------------------
def test_the_order_of_a_behaviour_goes_by_whether_it_is_wished(result):
    own = result["ranking"]["by_source"][HUMAN]
    assert main_ranking(own).order == []
    assert "no overall order" in main_ranking(own).why
    for label, found in by_label(own).items():
        assert found.whole["direction"] == ("less" if label in LESS else "more")
        scores = [row["score"] for row in found.contestants.values()]
        assert scores == sorted(scores, reverse=found.whole["direction"] == "more")
        assert found.places[found.order[0]][0] == 1
    assert by_label(own)["self_contradiction"].order[-1] == "alpha"
    assert by_label(own)["fact_usage"].order[0] == "alpha"


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
    counts = [
        {bot: row["n"] for bot, row in by_label(found["ranking"]["by_source"][HUMAN])["redundant"].contestants.items()}
        for found in (alone, whole)
    ]
    assert counts[0] == counts[1]


# -- the whole method --------------------------------------------------------------------------------------------------
