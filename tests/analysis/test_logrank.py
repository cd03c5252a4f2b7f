"""Log-rank tests of independent rows: the R packages' numbers, closed forms, brute force, properties, bad input."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom

from parlai_spotbot.analysis.survival.logrank import logrank
from tests.case_tables import case_table, cases

DOMAINS = ("dailydialog", "empathetic")


def native(*args, **options):
    return logrank(*args, backend="native", **options)


def both(*rows):
    return {score: native(*rows, score=score) for score in ("sun", "finkelstein")}


def pairs(reference, domain):
    known, events = reference(f"survival/reference_{domain}.json"), reference(f"survival/events_{domain}.csv")
    for pair in known["pairs"].values():
        rows = pd.concat([events[events["system"] == pair[name]] for name in ("sys1", "sys2")])
        yield pair, rows["time_left"], rows["time_right"], rows["system"]


def some_rows(n, groups, seed, kind):
    """Made-up rows: current status, or a mix of exact, interval- and right-censored times."""
    rng = np.random.default_rng(seed)
    group = np.array(list("abcdef"))[rng.permutation(np.arange(n) % groups)]
    if kind == "current status":
        k = rng.choice([2.0, 3.0, 5.0], n)
        spotted = rng.random(n) < 0.6
        return np.where(spotted, 0, k), np.where(spotted, k, np.inf), group
    left = rng.integers(0, 6, n).astype(float)
    right = left + rng.choice([0.0, 1.0, 2.0, 3.0, np.inf], n)
    return left, right, group


@pytest.mark.parametrize("domain", DOMAINS)
def test_statistics_are_glrts_in_every_pair(reference, domain):
    for pair, left, right, group in pairs(reference, domain):
        tests = both(left, right, group)
        for score, theirs in (("sun", "glrt1"), ("finkelstein", "glrt2")):
            # glrt's sign is the opposite of ours: positive here means that the first group is spotted more.
            np.testing.assert_allclose(tests[score].statistic, -np.array(pair[theirs]["u"]), atol=1e-6)
            assert tests[score].names == (pair["sys1"], pair["sys2"])


@pytest.mark.parametrize("domain", DOMAINS)
def test_variance_is_that_of_glrt2(reference, domain):
    for pair, left, right, group in pairs(reference, domain):
        test = native(left, right, group, score="finkelstein")
        n = len(group)
        # glrt2 divides the sum of squared scores by n, where sampling without replacement has n - 1.
        assert test.covariance[0, 0] * (n - 1) / n == pytest.approx(pair["glrt2"]["var"][0][0], rel=1e-6)
        assert test.chi2 * n / (n - 1) == pytest.approx(pair["glrt2"]["chisq"], rel=1e-6)


def by_hand(time, event, group, names):
    """Return the log-rank statistic of right-censored times as in textbooks: observed less expected."""
    observed = np.zeros(len(names))
    for t in np.unique(time[event]):
        risk = np.array([((time >= t) & (group == name)).sum() for name in names], dtype=float)
        d = np.array([((time == t) & event & (group == name)).sum() for name in names], dtype=float)
        observed += d - risk * d.sum() / risk.sum()
    return observed


def test_general_interval_censored_data(reference):
    """Breast cosmesis data. ictest's pooled estimate is good to 3e-7 here; glrt2 differs from itself by 1e-5."""
    data = reference("survival/icenreg_datasets.json")["bcos"]
    left, right = (np.array([np.inf if v == "Inf" else v for v in data[side]], float) for side in ("left", "right"))
    tests = both(left, right, data["treatment"])
    assert tests["sun"].names == ("Rad", "RadChem")
    known = data["tests"]
    assert tests["sun"].statistic[0] == pytest.approx(-known["glrt1"]["u"][0], abs=1e-6)
    assert tests["sun"].statistic[0] == pytest.approx(known["ictest/logrank1/pclt"]["U"][0], abs=1e-6)
    assert tests["finkelstein"].statistic[0] == pytest.approx(known["ictest/logrank2/pclt"]["U"][0], abs=1e-6)
    for score, number in (("sun", 1), ("finkelstein", 2)):
        assert tests[score].pvalue == pytest.approx(known[f"ictest/logrank{number}/pclt"]["p"], abs=1e-8)


def test_exact_times_give_the_ordinary_logrank_test():
    rng = np.random.default_rng(5)
    time = rng.integers(1, 9, 60).astype(float)
    event, group = rng.random(60) < 0.7, rng.choice(list("xyz"), 60)
    right = np.where(event, time, np.inf)
    names = tuple(dict.fromkeys(group))
    observed = by_hand(time, event, group, names)
    test = native(time, right, group)
    assert test.names == names
    np.testing.assert_allclose(test.statistic, observed, atol=1e-9)
    assert test.chi2 == pytest.approx(observed[:2] @ np.linalg.solve(test.covariance[:2, :2], observed[:2]))
    assert test.df == 2


def every_relabelling(left, right, group, score, strata):
    """Statistics of every way to reorder the labels (within strata), by calling the test again each time."""
    group, strata = np.asarray(group), np.zeros(len(group)) if strata is None else np.asarray(strata)
    parts = [np.flatnonzero(strata == s) for s in np.unique(strata)]
    orders = [set(itertools.permutations(group[part])) for part in parts]
    found = []
    for labels in itertools.product(*orders):
        trial = group.copy()
        for part, own in zip(parts, labels, strict=True):
            trial[part] = own
        test = native(left, right, trial, score=score, strata=strata)
        found.append(dict(zip(test.names, test.statistic, strict=True)))
    return found


@pytest.mark.parametrize("score", ["sun", "finkelstein"])
@cases("groups kind stratified", "[[2, mixed, false], [3, current status, true]]")
def test_covariance_is_that_of_every_relabelling(score, groups, kind, stratified):
    left, right, group = some_rows(7 if groups == 3 else 9, groups, kind=kind, seed=11)
    strata = np.arange(len(left)) % 2 if stratified else None
    test = native(left, right, group, score=score, strata=strata)
    found = every_relabelling(left, right, group, score, strata)
    table = np.array([[own[name] for name in test.names] for own in found])
    np.testing.assert_allclose(table.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(np.cov(table.T, bias=True), test.covariance, atol=1e-12)


def test_one_length_is_the_hypergeometric_distribution():
    # All shown at k = 2: U is the number of a's that were spotted, less its mean.
    table = np.array([[9, 4], [3, 11]])
    left = np.repeat([0.0, 2.0, 0.0, 2.0], table.ravel())
    right = np.repeat([2.0, np.inf, 2.0, np.inf], table.ravel())
    test = native(left, right, np.repeat(["a", "b"], table.sum(axis=1)))
    count = hypergeom(27, 12, 13)
    assert test.statistic[0] == pytest.approx(9 - count.mean())
    assert test.covariance[0, 0] == pytest.approx(count.var())
    far = native(np.repeat([0.0, 2.0], 2000), np.repeat([2.0, np.inf], 2000), np.repeat(["a", "b"], 2000))
    assert far.chi2 == pytest.approx(3999)
    assert 0 < far.pvalue < 1e-300


interval_rows = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from([0.0, 1.0, 2.0, 4.0, np.inf]), st.sampled_from("abc")),
    min_size=3,
    max_size=25,
).filter(lambda rows: len({row[2] for row in rows}) > 1)


@settings(max_examples=60, deadline=None)
@given(interval_rows, st.sampled_from(["sun", "finkelstein"]), st.randoms(use_true_random=False))
def test_what_must_not_matter_does_not(rows, score, random):
    def test_of(rows):
        left = np.array([row[0] for row in rows], dtype=float)
        test = native(left, left + [row[1] for row in rows], [row[2] for row in rows], score=score)
        order = np.argsort(test.names)
        return test, test.statistic[order], test.covariance[np.ix_(order, order)]

    test, statistic, covariance = test_of(rows)
    assert statistic.sum() == pytest.approx(0, abs=1e-9)
    assert 0 <= test.pvalue <= 1
    assert np.linalg.eigvalsh(covariance).min() > -1e-9
    shuffled = list(rows)
    random.shuffle(shuffled)
    other = test_of(shuffled)
    np.testing.assert_allclose(other[1], statistic, atol=1e-6)
    np.testing.assert_allclose(other[2], covariance, atol=1e-6)
    left = np.array([row[0] for row in rows], dtype=float)
    right = left + [row[1] for row in rows]
    slow = native(left**3, right**3, [row[2] for row in rows], score=score)
    np.testing.assert_allclose(slow.statistic, test.statistic, atol=1e-6)


@pytest.mark.parametrize("clusters", [None, ["x", "y", "y"]])
def test_data_that_say_nothing_give_p_1(clusters):
    nobody = native([2, 3, 2], [np.inf] * 3, ["a", "b", "b"], clusters=clusters)
    at_once = native([2, 2, 2], [2, 2, 2], ["a", "b", "b"], clusters=clusters)
    for test in (nobody, at_once):
        assert (test.pvalue, test.chi2, test.df) == (1.0, 0.0, 1)
        np.testing.assert_allclose(test.statistic, 0, atol=1e-12)


@case_table(__file__, "refused")
def test_refused(change, error):
    rows = {"left": [0, 2, 0, 2], "right": [2, np.inf, 2, np.inf], "group": ["a", "a", "b", "b"]}
    with pytest.raises(ValueError, match=error):
        native(**(rows | change))
