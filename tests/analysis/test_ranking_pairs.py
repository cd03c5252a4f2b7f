"""Tests of a pair, and matches by segment and conversation: brute force, closed forms, the paper's Table 2."""

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.ranking import pair_table, rank_clusters, unit_matches, win_matrix, win_rates

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
        ["c", 2, 1, 2],
        ["c", 5, -1, 1],
        ["d", 2, 0, 2],
        ["d", 3, 0, 1],
    ]
    assert set(segments) == {"conversation_id", "k", "outcome", "a", "b", "annotations"}
    whole = unit_matches(rows, "conversation")
    assert set(whole) == {"conversation_id", "outcome", "a", "b", "annotations"}
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


def test_tests_by_name_and_their_corrections(released):
    matrix = win_matrix(matches_frame(released("dailydialog")), ORDER)
    tables = {test: pair_table(matrix, test=test) for test in ("sign", "chi2")}
    np.testing.assert_array_equal(tables["sign"]["p"], tables["sign"]["p_sign"])
    np.testing.assert_array_equal(tables["chi2"]["p"], tables["sign"]["p_chi2"])
    # By the paper's test all pairs differ, corrected or not; see test_contrasts for what is left of it.
    assert (pair_table(matrix, "bonferroni", test="chi2")["p_adjusted"] < 0.05).all()
    with pytest.raises(ValueError, match="test is 't', expected one of sign, chi2"):
        pair_table(matrix, test="t")


def test_clusters_by_every_score_and_the_papers_variant(released):
    matches = matches_frame(released("dailydialog"))

    def clusters(**options):
        return rank_clusters(matches, ORDER, rng=np.random.default_rng(0), replicates=500, **options)

    found = clusters(score="win_rate")
    assert found.clusters == {"GPT": [1, 2], "BR": [1, 2], "S2": [3, 3], "DR": [4, 4]}
    assert found.scores.shape == (500, 4)
    # A skill that drifts, as in the package's default environment, depends on the last matches: all ranges touch.
    assert set(map(tuple, clusters(score="trueskill").clusters.values())) == {(1, 4)}
    paper = clusters(resample="paper")
    assert paper.clusters == {"GPT": [1, 1], "BR": [2, 2], "S2": [3, 3], "DR": [4, 4]}
    narrow, wide = (clusters(score="win_rate", level=level).ranges for level in (0.5, 0.999))
    assert all(wide[b][0] <= narrow[b][0] <= narrow[b][1] <= wide[b][1] for b in ORDER)
    assert narrow != wide
    for option, said in (
        ({"resample": "units"}, "annotations, paper"),
        ({"score": "elo"}, "trueskill, win_rate"),
        ({"level": 95}, "level is 95"),
    ):
        with pytest.raises(ValueError, match=said):
            clusters(**option)


def test_columns_that_are_drawn_must_be_there(matches_of):
    matches = matches_of("ab+ ab- ba=").drop(columns="worker_id")
    options = {"rng": np.random.default_rng(0), "replicates": 10, "score": "win_rate"}
    with pytest.raises(ValueError, match="no column 'worker_id', expected one for resample='conversations_workers'"):
        rank_clusters(matches, ["a", "b"], **options)
    assert rank_clusters(matches, ["a", "b"], resample="conversations", **options).scores.shape == (10, 2)
