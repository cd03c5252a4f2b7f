"""Shares: exact intervals and tests against scipy's and statsmodels'."""

import numpy as np
import pytest
from scipy.stats import binomtest, norm, t
from statsmodels.stats.proportion import proportion_confint

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.shares import share_test, share_tests, wilson


def test_choices_that_stand_alone_have_the_exact_intervals_and_the_exact_test():
    found = share_test(np.arange(20) < 14, Clusters.by(np.arange(20)))
    assert found["ci"] == pytest.approx(proportion_confint(14, 20, 0.05, "beta"))
    assert wilson(14, 20) == pytest.approx(proportion_confint(14, 20, method="wilson"))
    assert found["p"] == found["p_exact"] == pytest.approx(binomtest(14, 20).pvalue)
    assert (found["independent"], found["n"], found["effective"]) == (True, 20, 20.0)


def test_choices_made_twice_are_those_of_student_s_test_of_the_conversations():
    """20 conversations of two choices that agree: as uncertain as 19 choices, by Student's t with 19 degrees."""
    found = share_test(np.repeat(np.arange(20) < 14, 2), Clusters.by(np.repeat(np.arange(20), 2)))
    usual = norm.ppf(0.975) / t.ppf(0.975, 19)
    choices = 19 * usual**2
    assert found["ci"] == pytest.approx(proportion_confint(0.7 * choices, choices, method="beta"))
    assert found["effective"] == pytest.approx(19)
    student = 2 * t.sf(0.2 / np.sqrt(0.7 * 0.3 / 19), 19)
    assert student <= found["p"] == pytest.approx(student, rel=0.02)  # sign flips of the conversations: .073
    assert found["p"] > found["p_exact"] == pytest.approx(binomtest(28, 40).pvalue)
    assert not found["independent"]


def test_groups_are_tested_as_if_alone_and_an_empty_one_knows_nothing():
    rng = np.random.default_rng(0)
    hits, groups, homes = rng.random(60) < 0.7, np.repeat([0, 2, 3], 20), rng.integers(0, 12, 60)
    hits[40:] = True  # all alike: a cluster counts as one choice
    found = share_tests(hits, groups, 5, Clusters.by(homes))
    mirrored = share_tests(~hits, groups, 5, Clusters.by(homes))
    np.testing.assert_allclose(mirrored["ci"], 1 - found["ci"][:, ::-1])
    np.testing.assert_allclose(mirrored["p"], found["p"])
    for group in (0, 2, 3):
        own = groups == group
        alone = share_test(hits[own], Clusters.by(homes[own]))
        for name, value in alone.items():
            assert found[name][group] == pytest.approx(value), name
    sizes = np.bincount(homes[40:])
    number = sizes.sum() ** 2 / (sizes @ sizes)
    assert found["effective"][3] == pytest.approx(number)
    assert found["ci"][3] == pytest.approx([0.025 ** (1 / number), 1.0])
    assert found["p"][3] == pytest.approx(0.5 ** (number - 1))
    for empty in (1, 4):
        assert np.isnan(found["estimate"][empty])
        assert found["ci"][empty].tolist() == [0, 1]
        assert (found["p"][empty], found["n"][empty], found["effective"][empty]) == (1.0, 0, 0.0)


def test_what_one_conversation_decided_is_open():
    found = share_test([True] * 9, Clusters.by(["c"] * 9))
    assert (found["ci"], found["p"], found["effective"]) == ((0.0, 1.0), 1.0, 1.0)
