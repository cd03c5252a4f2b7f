"""Log-rank tests of clustered rows, and of all pairs: the jackknife done by hand, the released data."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f as f_distribution

from parlai_spotbot.analysis.survival.logrank import logrank, logrank_pairs
from parlai_spotbot.analysis.survival.robust import clustered
from tests.case_tables import cases


def native(*args, **options):
    return logrank(*args, backend="native", **options)


def conversations(seed, single=(), double=(), groups="ab", per=4):
    """Rows of conversations: `single` of one group each, and `double` of two; lengths 2 and 3, and some end early."""
    rng = np.random.default_rng(seed)
    rows = []
    for number, members in enumerate([*(g for g in single), *double]):
        level = rng.normal()
        for k, g in itertools.product((2.0, 3.0), members):
            for _ in range(per // 2):
                spotted = level + rng.normal() + 0.5 * groups.index(g) < 0.3 + 0.1 * k
                rows.append((0.0 if spotted else k, k if spotted else np.inf, g, number, k, rng.integers(0, 5)))
    return pd.DataFrame(rows, columns=["left", "right", "group", "conversation", "k", "worker"])


def scores_of(rows):
    """Each row's score, got from the public interface: the statistic of a group of its own."""
    result = np.empty(len(rows))
    for row in range(len(rows)):
        own = np.where(np.arange(len(rows)) == row, "this", "others")
        test = native(rows["left"], rows["right"], own, score="sun")
        result[row] = test.statistic[test.names.index("this")]
    return result


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["ab", "abc"]))
def test_order_of_rows_and_the_clock_don_t_matter(seed, groups):
    rows = conversations(seed % 50, groups * 3, ["ab"] * 2, groups)
    found = []
    for data in (rows, rows.sample(frac=1, random_state=seed)):
        test = native(
            data["left"] ** 2, data["right"] ** 2, data["group"], clusters=data["conversation"], strata=data["k"]
        )
        order = np.argsort(test.names)
        found.append([test.statistic[order], test.covariance[np.ix_(order, order)], test.pvalue])
        assert test.statistic.sum() == pytest.approx(0, abs=1e-9)
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-8)


def test_one_conversation_per_bot_tells_nothing_of_how_conversations_differ():
    rows = conversations(8, "aabb")
    first = np.where(rows["group"] == "a", "x", "y")
    for clusters in (first, [first, rows["worker"]]):
        test = native(rows["left"], rows["right"], rows["group"], clusters=clusters)
        assert (test.chi2, test.pvalue) == (0.0, 1.0)


@cases("groups by", "[[abc, conversation], [ab, worker]]")
def test_robust_covariance_is_the_jackknife(groups, by):
    rows = conversations(9, groups * 4, ["ab"] * 3, groups)
    if by == "conversation":
        rows = rows[(rows["k"] == 2) | (rows["conversation"] % 3 > 0)]
    arguments = (rows["left"], rows["right"], rows["group"])
    test = native(*arguments, clusters=rows[by], strata=rows["k"])
    # Scores regressed on indicators of strata and groups, once without each cluster.
    indicators = (rows["group"].to_numpy()[:, None] == np.array(test.names[:-1])).astype(float)
    x = np.column_stack([rows["k"] == 2, rows["k"] == 3, indicators]).astype(float)
    y = scores_of(rows)

    def effect(use):
        return np.linalg.lstsq(x[use], y[use], rcond=None)[0][2:]

    found = np.array([effect(rows[by] != cluster) for cluster in rows[by].unique()])
    size = len(found)
    away = found - effect(np.full(len(rows), True))
    # U is the effect times the information about it, given the strata.
    inside = indicators - x[:, :2] @ np.linalg.lstsq(x[:, :2], indicators, rcond=None)[0]
    information = inside.T @ inside
    expected = information @ (away.T @ away * (size - 1) / size) @ information
    np.testing.assert_allclose(test.statistic[:-1], inside.T @ y, atol=1e-9)
    independent = native(*arguments, strata=rows["k"]).covariance[:-1, :-1]
    away = test.statistic[:-1]
    safe = max(expected, independent, key=lambda c: -away @ np.linalg.solve(c, away))
    np.testing.assert_allclose(test.covariance[:-1, :-1], safe, rtol=1e-8)
    np.testing.assert_allclose(test.covariance.sum(axis=0), 0, atol=1e-9)
    df = len(groups) - 1
    assert 1 <= test.df_error <= size - df + 1e-9
    statistic = test.chi2 / df * test.df_error / (test.df_error + df - 1)
    assert test.pvalue == pytest.approx(f_distribution.sf(statistic, df, test.df_error), rel=1e-9)


def test_degrees_of_freedom_are_those_of_the_t_test():
    # Equal clusters: as many as clusters less one. Few against many: nearly those of the few, as Welch's are.
    for single, expected, tolerance in (("ab" * 8, 15, 1e-9), ("aaa" + "b" * 60, 2, 0.35)):
        rows = conversations(3, single)
        test = native(rows["left"], rows["right"], rows["group"], clusters=rows["conversation"])
        assert test.df_error == pytest.approx(expected, abs=tolerance)


def test_two_crossed_clusterings():
    rows = conversations(10, "ab" * 12, ["ab"] * 6)
    own = scores_of(rows), (rows["group"] == "b").to_numpy(int), np.zeros(len(rows), dtype=int)
    both = pd.factorize(rows["conversation"] * 100 + rows["worker"])[0]
    one, two, cut = (
        clustered(*own, c)[0, 0] for c in (rows["conversation"].to_numpy(), rows["worker"].to_numpy(), both)
    )
    arguments = (rows["left"], rows["right"], rows["group"])
    test = native(*arguments, clusters=[rows["conversation"], rows["worker"]])
    assert test.covariance[0, 0] == pytest.approx(max(one + two - cut, one, two, native(*arguments).covariance[0, 0]))
    assert 2 < test.df_error < 4  # five workers, some with more rows
    assert native(*arguments, clusters=rows[["worker", "conversation"]]).pvalue == pytest.approx(test.pvalue)


@pytest.mark.parametrize(
    ("domain", "open_pairs"), [("dailydialog", [("BR", "S2")]), ("empathetic", [("GPT", "BR"), ("S2", "DR")])]
)
def test_pairs_of_the_paper(reference, domain, open_pairs):
    known, events = reference(f"survival/reference_{domain}.json"), reference(f"survival/events_{domain}.csv")
    arguments = (events["time_left"], events["time_right"], events["system"])
    table = logrank_pairs(*arguments, names=known["systems"], adjust="bonferroni")
    open_ = {frozenset(pair) for pair in zip(table["a"], table["b"], strict=True)} - {
        frozenset((row.a, row.b)) for row in table.itertuples() if row.p_adjusted < 0.05
    }
    assert open_ == {frozenset(pair) for pair in open_pairs}  # as in the paper: all other pairs differ
    for row in table.itertuples():
        rows = events[events["system"].isin([row.a, row.b])]
        test = native(rows["time_left"], rows["time_right"], rows["system"])
        place = test.names.index(row.a)
        assert row.statistic == pytest.approx(test.statistic[place], abs=1e-9)
        assert (row.n_a, row.n_b) == tuple((rows["system"] == name).sum() for name in (row.a, row.b))
        assert row.p == pytest.approx(test.pvalue, rel=1e-9)


def test_pairs_edges():
    rows = conversations(13, "aabbcc", groups="abc")
    table = logrank_pairs(rows["left"], rows["right"], rows["group"])
    assert list(zip(table["a"], table["b"], strict=True)) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert logrank_pairs(rows["left"], rows["right"], rows["group"], names=["a"]).empty
    with pytest.raises(ValueError, match="names: group 'd' has no rows, expected some of a, b, c"):
        logrank_pairs(rows["left"], rows["right"], rows["group"], names=["a", "d"])
    with pytest.raises(ValueError, match=r"names: \['a', 'a'\], expected some of a, b, c, each once"):
        logrank_pairs(rows["left"], rows["right"], rows["group"], names=["a", "a"])
