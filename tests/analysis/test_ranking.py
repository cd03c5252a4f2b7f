"""Wins and rank clusters: the paper's counts, closed forms, properties."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.ranking import paper_chi2, paper_ranges, rank_clusters, win_matrix, win_rates
from parlai_spotbot.analysis.ranking.clusters import cluster_places, rank_ranges
from parlai_spotbot.analysis.ranking.trueskill import TrueSkill
from tests.analysis.made_up_studies import pair_weights
from tests.case_tables import cases

ORDER = {"dailydialog": ["GPT", "BR", "S2", "DR"], "empathetic": ["BL", "GPT", "BR", "S2", "DR"]}


@pytest.mark.parametrize("domain", ["dailydialog", "empathetic"])
@cases("criterion table", "[[nature, table1], [sensibleness_and_specificity, table6_ssa_correct]]")
def test_counts_rates_and_p_values_of_the_paper(released, reference, domain, criterion, table):
    known = reference(f"paper_tables/{domain}.json")[table]
    matrix = win_matrix(matches_frame(released(domain), criterion), ORDER[domain])
    for row in known["pairs"]:
        i, j = (matrix.names.index(row[side]) for side in "ab")
        won, lost, ties = matrix.wins[i, j], matrix.wins[j, i], matrix.ties[i, j]
        assert (won, lost, ties, won + lost + ties) == (row["wins_a"], row["wins_b"], row["ties"], row["n"])
        assert paper_chi2(won, lost, row["n"]) == pytest.approx(row["p_chi2_yates_authors"], rel=1e-9)
    rates = dict(zip(matrix.names, win_rates(matrix), strict=True))
    assert rates == pytest.approx(known["win_rate_mean_of_pairs"], abs=5.1e-5)


def test_ranges_by_the_papers_rule(released, reference):
    matrix = win_matrix(matches_frame(released("dailydialog")), ORDER["dailydialog"])
    rng = np.random.default_rng(0)
    assert paper_ranges(matrix, rng=rng) == {"GPT": [1, 1], "BR": [2, 2], "S2": [3, 3], "DR": [4, 4]}
    fewer = [paper_ranges(matrix, rng=rng, draws=1620)["BR"] for _ in range(30)]
    assert {tuple(r) for r in fewer} == {(1, 2), (2, 2)}  # 51 and 49 of 100 in the reference


def test_trueskill_clusters_of_the_released_data(released):
    matches = matches_frame(released("dailydialog")).reset_index(drop=True)
    model = TrueSkill(tau=0.0, draw_probability=float((matches["outcome"] == 0).mean()))
    weights = pair_weights(matches, np.random.default_rng(0), 400)
    got = rank_clusters(matches, ORDER["dailydialog"], weights, rng=np.random.default_rng(0), model=model)
    assert got.clusters == {"GPT": [1, 2], "BR": [1, 2], "S2": [3, 4], "DR": [3, 4]}


def test_ranges_throw_out_the_outer_ranks():
    scores = np.tile([3.0, 2.0, 1.0], (100, 1))
    scores[:2] = [1.0, 2.0, 3.0]
    assert rank_ranges(scores, 0.95).tolist() == [[1, 1], [2, 2], [3, 3]]
    scores[:3] = [1.0, 2.0, 3.0]
    assert rank_ranges(scores, 0.95).tolist() == [[1, 3], [2, 2], [1, 3]]
    assert rank_ranges(np.zeros((10, 2)), 0.95).tolist() == [[1, 2], [1, 2]]


def test_clusters_join_overlapping_ranges():
    assert cluster_places(np.array([[4, 4], [1, 1], [2, 3], [3, 3]])).tolist() == [[4, 4], [1, 1], [2, 3], [2, 3]]
    assert cluster_places(np.array([[1, 2], [2, 3], [1, 3]])).tolist() == [[1, 3]] * 3


def test_wins_losses_and_ties_are_counted_from_either_side(matches_of):
    """a beats b three times of four, as entity 0 and as entity 1; c ties with b and loses to a."""
    matrix = win_matrix(matches_of("ab+ ab+ ba- ab- cb= ca-"))
    assert matrix.names == ("a", "b", "c")
    assert matrix.wins.tolist() == [[0, 3, 1], [1, 0, 0], [0, 0, 0]]
    assert matrix.ties.tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]
    assert matrix.rates[0, 1] == 0.75
    assert win_rates(matrix).tolist() == [(0.75 + 1) / 2, 0.25, 0]


def test_the_papers_chi_squared_by_hand():
    """Of 50 matches 30 are won and 10 lost: [[30, 10], [20, 40]], where [[20, 20], [30, 30]] are expected."""
    statistic = (10 - 0.5) ** 2 * (2 / 20 + 2 / 30)
    assert paper_chi2(30, 10, 50) == pytest.approx(math.erfc(math.sqrt(statistic / 2)), rel=1e-12)
    assert paper_chi2(10, 30, 50) == paper_chi2(30, 10, 50)
    assert paper_chi2([5, 0, 4], [5, 0, 4], [20, 7, 4]).tolist() == [1, 1, 1]  # as many, none, none but decided ones


def test_unknown_and_impossible_matches_are_named(matches_of):
    with pytest.raises(ValueError, match="column 'b' holds 'b', expected one of a, c"):
        win_matrix(matches_of("ab+"), ["a", "c"])
    with pytest.raises(ValueError, match="'a' plays itself"):
        win_matrix(matches_of("aa+"))
    with pytest.raises(ValueError, match="outcome' holds 7"):
        win_matrix(matches_of("ab+").assign(outcome=7))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3), st.sampled_from([-1, 0, 1])), min_size=1, max_size=60))
def test_win_rates_are_fair(games):
    first = np.array([a for a, _, _ in games])
    second = (first + np.array([b for _, b, _ in games])) % 4
    names = np.array(list("abcd"))
    outcome = np.array([o for _, _, o in games])
    matrix = win_matrix(pd.DataFrame({"a": names[first], "b": names[second], "outcome": outcome}), list("abcd"))
    swapped = win_matrix(pd.DataFrame({"a": names[second], "b": names[first], "outcome": -outcome}), list("abcd"))
    np.testing.assert_array_equal(matrix.wins, swapped.wins)
    np.testing.assert_array_equal(win_rates(matrix), win_rates(swapped))
    both = matrix.rates + matrix.rates.T
    np.testing.assert_allclose(both[np.isfinite(both)], 1.0)
    assert matrix.wins.sum() + matrix.ties.sum() / 2 == len(games)
