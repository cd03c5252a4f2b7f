"""Tests of a pair, and matches by segment and conversation: brute force, closed forms, the paper's Table 2."""

import itertools

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t as student

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.ranking import (
    clustered_test,
    pair_table,
    rank_clusters,
    sign_test,
    unit_matches,
    win_matrix,
    win_rates,
)

ORDER = ["GPT", "BR", "S2", "DR"]


@pytest.mark.parametrize("feature", ["fluency", "sensibleness", "specificity"])
def test_features_by_conversation_are_those_of_table_2(released, reference, feature):
    known = reference("paper_tables/dailydialog.json")["table2_features"]["values"][feature]
    matches = unit_matches(matches_frame(released("dailydialog"), feature), "conversation")
    assert len(matches) == 270
    rates = dict(zip(ORDER, win_rates(win_matrix(matches, ORDER)), strict=True))
    assert rates == pytest.approx({bot: known[bot]["conversation_level"] for bot in ORDER}, abs=5.1e-5)
    assert matches["annotations"].sum() == len(matches_frame(released("dailydialog"), feature))


def test_wins_by_conversation_are_those_of_the_reference(released, reference):
    known = reference("paper_tables/dailydialog.json")["table1_conversation_level"]
    matrix = win_matrix(unit_matches(matches_frame(released("dailydialog")), "conversation"), ORDER)
    assert dict(zip(ORDER, win_rates(matrix), strict=True)) == pytest.approx(known["win_rate"], abs=5.1e-5)
    for pair in known["pairs"]:
        a, b = ORDER.index(pair["a"]), ORDER.index(pair["b"])
        assert (matrix.wins[a, b], matrix.wins[b, a]) == (pair["wins_a"], pair["wins_b"])
        assert matrix.wins[a, b] + matrix.wins[b, a] + matrix.ties[a, b] == pair["n"]


def test_a_longer_segment_weighs_more():
    def matches(*rows):
        return pd.DataFrame(rows, columns=["conversation_id", "k", "outcome"]).assign(a="a", b="b", worker_id="w")

    rows = matches(("c", 2, 1), ("c", 2, 1), ("c", 5, -1), ("d", 2, 1), ("d", 2, -1), ("d", 3, 0))
    segments = unit_matches(rows, "segment")
    assert segments[["conversation_id", "k", "outcome", "annotations"]].to_numpy().tolist() == [
        ["c", 2, 1, 2], ["c", 5, -1, 1], ["d", 2, 0, 2], ["d", 3, 0, 1],
    ]  # fmt: skip
    whole = unit_matches(rows, "conversation")
    assert whole[["conversation_id", "outcome", "annotations"]].to_numpy().tolist() == [["c", -1, 3], ["d", 0, 3]]
    again = unit_matches(rows.set_axis([0] * 6), "conversation")  # whatever the index
    assert again.to_numpy().tolist() == whole.to_numpy().tolist()
    # 2 + 3 exchanges against 5: a tie, kept.
    assert unit_matches(matches(("c", 2, 1), ("c", 3, 1), ("c", 5, -1)), "conversation")["outcome"].tolist() == [0]
    assert unit_matches(rows)["outcome"].tolist() == rows["outcome"].tolist()
    with pytest.raises(ValueError, match="unit is 'turn', expected one of annotation, segment, conversation"):
        unit_matches(rows, "turn")
    with pytest.raises(ValueError, match="column 'b' differs between rows of conversation 'c'"):
        unit_matches(rows.assign(b=list("bcbbbb")), "segment")


def test_the_clustered_test_is_the_regression_with_two_way_errors():
    rng = np.random.default_rng(0)
    conversation, worker = rng.integers(0, 25, 300), rng.integers(0, 15, 300)
    mood, taste = rng.normal(0.3, 1, 25), rng.normal(0, 1, 15)
    outcome = np.sign(np.round(mood[conversation] + taste[worker] + rng.normal(size=300)))
    groups = np.column_stack([conversation, worker])
    options = {"groups": groups, "use_correction": False}
    fit = sm.OLS(outcome, np.ones(300)).fit(cov_type="cluster", cov_kwds=options)
    decided = [np.bincount(of, outcome != 0) for of in (conversation, worker)]
    df = min(m.sum() ** 2 / (m**2).sum() for m in decided) - 1
    # Where the sum of both variances less the shared one is the largest, it is their estimator.
    assert clustered_test(outcome, conversation, worker) == pytest.approx(
        2 * student.sf(abs(outcome.mean() / fit.bse[0]), df), rel=1e-9
    )


def test_by_conversations_alone():
    rng = np.random.default_rng(1)
    conversation = np.repeat(np.arange(30), 6)
    outcome = np.sign(np.round(rng.normal(0.2, 1, 30)[conversation] + rng.normal(size=180)))
    options = {"groups": conversation, "use_correction": False}
    fit = sm.OLS(outcome, np.ones(180)).fit(cov_type="cluster", cov_kwds=options)
    m = np.bincount(conversation, outcome != 0)
    p = 2 * student.sf(abs(outcome.mean() / fit.bse[0]), m.sum() ** 2 / (m**2).sum() - 1)
    assert clustered_test(outcome, conversation) == pytest.approx(p, rel=1e-9)
    assert clustered_test(outcome, conversation, np.zeros(180)) == pytest.approx(p, rel=1e-9)


def test_small_and_one_sided_samples():
    apart = np.arange(12)
    assert clustered_test(np.zeros(12), apart, apart) == 1.0
    assert clustered_test(np.ones(12), apart, apart) == pytest.approx(2 * 0.5**12)  # nothing shared: the sign test
    # Six conversations of two annotations that always agree are six observations, not twelve …
    assert clustered_test(np.ones(12), apart // 2, apart) == pytest.approx(2 * 0.5**6)
    # … and one conversation, or one worker among several, that decides everything says nothing about others.
    assert clustered_test(np.ones(12), apart * 0, apart) == 1.0
    mixed = np.array([1.0] * 6 + [0.0] * 6)
    assert clustered_test(mixed, apart, np.array([0] * 6 + [1] * 6)) == 1.0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([-1, 0, 1]), st.integers(0, 6), st.integers(0, 4)), min_size=1, max_size=40))
def test_a_p_value_whatever_the_matches(games):
    outcome, conversation, worker = (np.array(column) for column in zip(*games, strict=True))
    p = clustered_test(outcome, conversation, worker)
    assert sign_test((outcome > 0).sum(), (outcome < 0).sum()) <= p <= 1
    assert clustered_test(-outcome, conversation, worker) == pytest.approx(p)
    assert clustered_test(outcome[::-1], conversation[::-1], worker[::-1]) == pytest.approx(p)


def test_tests_by_name_and_their_corrections(released):
    matches = matches_frame(released("dailydialog"))
    tables = {test: pair_table(matches, test=test, names=ORDER) for test in ("clustered", "sign", "chi2")}
    np.testing.assert_array_equal(tables["sign"]["p"], tables["sign"]["p_sign"])
    np.testing.assert_array_equal(tables["chi2"]["p"], tables["clustered"]["p_chi2"])
    np.testing.assert_array_equal(pair_table(matches, names=ORDER)["p"], tables["clustered"]["p"])
    clustered = tables["clustered"].set_index(["a", "b"])
    assert (clustered["p"] >= clustered["p_sign"]).all()
    # By the paper's test all pairs differ, corrected or not; not so when conversations and workers are clusters.
    assert (pair_table(matches, "bonferroni", test="chi2")["p_adjusted"] < 0.05).all()
    apart = clustered.index[clustered["p_adjusted"] < 0.05]
    assert list(apart) == [("GPT", "DR"), ("BR", "S2"), ("BR", "DR")]
    alone = [clustered_test_of(matches, *pair) for pair in itertools.combinations(ORDER, 2)]
    np.testing.assert_allclose(clustered["p"], alone)
    np.testing.assert_array_equal(pair_table(matches.set_axis([0] * len(matches)), names=ORDER)["p"], clustered["p"])
    with pytest.raises(ValueError, match="test is 't', expected one of sign, clustered, chi2"):
        pair_table(matches, test="t")
    with pytest.raises(ValueError, match="expected a frame for test='clustered'"):
        pair_table(win_matrix(matches), test="clustered")


def clustered_test_of(matches, a, b):
    own = matches[matches["a"].isin([a, b]) & matches["b"].isin([a, b])]
    sign = np.where(own["a"] == a, 1, -1)
    return clustered_test(own["outcome"] * sign, own["conversation_id"], own["worker_id"])


def test_clusters_by_every_score_and_the_papers_variant(released):
    matches = matches_frame(released("dailydialog"))

    def clusters(**options):
        return rank_clusters(matches, ORDER, rng=np.random.default_rng(0), replicates=500, **options)

    first, both = [1, 2], {"S2": [3, 4], "DR": [3, 4]}
    for score, others in (("win_rate", {"S2": [3, 3], "DR": [4, 4]}), ("davidson", both)):
        found = clusters(score=score)
        assert found.clusters == {"GPT": first, "BR": first, **others}
        assert found.scores.shape == (500, 4)
    # A skill that drifts, as in the package's default environment, depends on the last matches: all ranges touch.
    assert set(map(tuple, clusters(score="trueskill").clusters.values())) == {(1, 4)}
    paper = clusters(resample="paper")
    assert paper.clusters == {"GPT": [1, 1], "BR": [2, 2], "S2": [3, 3], "DR": [4, 4]}
    narrow, wide = (clusters(score="win_rate", level=level).ranges for level in (0.5, 0.999))
    assert all(wide[b][0] <= narrow[b][0] <= narrow[b][1] <= wide[b][1] for b in ORDER)
    assert narrow != wide
    same = [clusters(score="win_rate", backend=b).scores for b in ("numba", "numpy")]
    np.testing.assert_array_equal(*same)
    for option, said in (({"resample": "units"}, "annotations, paper"), ({"score": "elo"}, "win_rate, davidson"),
                         ({"level": 95}, "level is 95")):  # fmt: skip
        with pytest.raises(ValueError, match=said):
            clusters(**option)


def test_columns_that_are_drawn_must_be_there(matches_of):
    matches = matches_of("ab+ ab- ba=").drop(columns="worker_id")
    options = {"rng": np.random.default_rng(0), "replicates": 10, "score": "win_rate"}
    with pytest.raises(ValueError, match="no column 'worker_id', expected one for resample='conversations_workers'"):
        rank_clusters(matches, ["a", "b"], **options)
    assert rank_clusters(matches, ["a", "b"], resample="conversations", **options).scores.shape == (10, 2)
