"""Log-rank tests of clustered rows, and of all pairs: brute force, the jackknife done by hand, the released data."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import f as f_distribution

from parlai_spotbot.analysis.survival import turnbull
from parlai_spotbot.analysis.survival.logrank import logrank, logrank_tests
from parlai_spotbot.analysis.survival.pairs import logrank_pairs
from parlai_spotbot.analysis.survival.robust import f_test


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


def scores_of(rows, score="sun"):
    """Each row's score, got from the public interface: the statistic of a group of its own."""
    result = np.empty(len(rows))
    for row in range(len(rows)):
        own = np.where(np.arange(len(rows)) == row, "this", "others")
        test = native(rows["left"], rows["right"], own, score=score)
        result[row] = test.statistic[test.names.index("this")]
    return result


def by_brute_force(rows, names, blocks):
    """Sums of scores of every relabelling: label sets permuted inside `blocks` of conversations, labels within them."""
    scores = scores_of(rows)
    units = {c: sorted(set(part["group"])) for c, part in rows.groupby("conversation")}
    total = {key: scores[part].sum() for key, part in rows.groupby(["conversation", "group"]).indices.items()}
    found = []
    per_block = []
    for block in blocks:
        ways = []
        for order in itertools.permutations(block):
            for inner in itertools.product(*(list(itertools.permutations(units[c])) for c in order)):
                sums = dict.fromkeys(names, 0.0)
                for c, labels in zip(block, inner, strict=True):
                    for old, new in zip(units[c], labels, strict=True):
                        sums[new] += total[c, old]
                ways.append([sums[name] for name in names])
        per_block.append(np.array(ways))
    for combination in itertools.product(*per_block):
        found.append(np.sum(combination, axis=0))
    return np.array(found)


@pytest.mark.parametrize(
    ("single", "double", "groups"),
    [
        ("aaabbb", [], "ab"),
        ("aabb", ["ab", "ab", "ab"], "ab"),
        ("aabbc", ["ab", "bc", "ac"], "abc"),
        ("", ["ab"] * 6, "ab"),
    ],
)
def test_relabelling_of_clusters_by_brute_force(single, double, groups):
    rows = conversations(5, single, double, groups)
    test = native(rows["left"], rows["right"], rows["group"], clusters=rows["conversation"], method="exact")
    blocks = [block for block in (range(len(single)), range(len(single), len(single) + len(double))) if len(block)]
    table = by_brute_force(rows, test.names, [list(block) for block in blocks])
    np.testing.assert_allclose(table.mean(axis=0), test.expected, atol=1e-10)
    np.testing.assert_allclose(np.cov(table.T, bias=True), test.covariance, atol=1e-10)
    away = table - test.expected
    chi2 = np.einsum("ri,ij,rj->r", away, np.linalg.pinv(test.covariance), away)
    assert test.pvalue == pytest.approx((chi2 >= test.chi2 * (1 - 1e-9)).mean(), rel=1e-9)
    drawn = native(
        rows["left"], rows["right"], rows["group"], clusters=rows["conversation"], method="montecarlo", seed=3
    )
    assert abs(drawn.pvalue - test.pvalue) < 4 * drawn.pvalue_se + 1e-4


def test_only_clusters_with_the_same_lengths_change_places():
    rows = conversations(6, "aaabbbaabb")
    rows = rows[(rows["conversation"] < 6) | (rows["k"] == 2)]  # the last four ended early
    options = {"clusters": rows["conversation"], "strata": rows["k"], "method": "exact"}
    test = native(rows["left"], rows["right"], rows["group"], **options)
    assert test.pvalue * 20 * 6 == pytest.approx(round(test.pvalue * 20 * 6))  # C(6, 3) × C(4, 2) relabellings
    table = by_brute_force(rows, test.names, [list(range(6)), list(range(6, 10))])
    np.testing.assert_allclose(np.cov(table.T, bias=True), test.covariance, atol=1e-10)


def test_clusters_of_one_row_are_rows():
    rows = conversations(7, "aaaabbbb")
    arguments = (rows["left"], rows["right"], rows["group"])
    for options in ({}, {"covariance": "robust", "method": "montecarlo", "replicates": 1}):
        plain = native(*arguments, **options)
        same = native(*arguments, clusters=np.arange(len(rows)), **options)
        np.testing.assert_allclose(same.covariance, plain.covariance, atol=1e-10)
        assert same.chi2 == pytest.approx(plain.chi2)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["ab", "abc"]), st.sampled_from(["permutation", "robust"]))
def test_order_of_rows_and_splitting_them_don_t_matter(seed, groups, covariance):
    rows = conversations(seed % 50, groups * 3, ["ab"] * 2, groups)
    mixed = pd.concat([rows.assign(w=0.25), rows.assign(w=0.75)]).sample(frac=1, random_state=seed)
    found = []
    for data, weights in ((rows, None), (mixed, mixed["w"])):
        test = native(
            data["left"] ** 2,
            data["right"] ** 2,
            data["group"],
            weights=weights,
            clusters=data["conversation"],
            strata=data["k"],
            covariance=covariance,
        )
        order = np.argsort(test.names)
        found.append([test.statistic[order], test.expected[order], test.covariance[np.ix_(order, order)], test.pvalue])
        assert test.statistic.sum() == pytest.approx(0, abs=1e-9)
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-8)


def test_nothing_can_be_exchanged():
    rows = conversations(8, "aabb")
    first = np.where(rows["group"] == "a", "x", "y")
    lengths = rows["k"] + 10 * (rows["group"] == "a")
    test = native(rows["left"], rows["right"], rows["group"], clusters=rows["conversation"], strata=lengths)
    assert (test.chi2, test.pvalue) == (0.0, 1.0)
    # One conversation per bot tells nothing about how conversations differ.
    test = native(rows["left"], rows["right"], rows["group"], clusters=first, covariance="robust")
    assert (test.chi2, test.pvalue) == (0.0, 1.0)
    test = native(rows["left"], rows["right"], rows["group"], clusters=[first, rows["worker"]], covariance="robust")
    assert test.pvalue == 1.0


@pytest.mark.parametrize("groups", ["ab", "abc"])
@pytest.mark.parametrize("by", ["conversation", "worker"])
def test_robust_covariance_is_the_jackknife(groups, by):
    rows = conversations(9, groups * 4, ["ab"] * 3, groups)
    if by == "conversation":
        rows = rows[(rows["k"] == 2) | (rows["conversation"] % 3 > 0)]
    test = native(
        rows["left"],
        rows["right"],
        rows["group"],
        clusters=rows[by],
        strata=rows["k"],
        covariance="robust",
        method="montecarlo",
        replicates=1,
    )
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
    np.testing.assert_allclose((test.statistic - test.expected)[:-1], inside.T @ y, atol=1e-9)
    np.testing.assert_allclose(test.covariance[:-1, :-1], expected, rtol=1e-8)
    np.testing.assert_allclose(test.covariance.sum(axis=0), 0, atol=1e-9)
    asymptotic = native(
        rows["left"], rows["right"], rows["group"], clusters=rows[by], strata=rows["k"], covariance="robust"
    )
    df = len(groups) - 1
    assert 1 <= asymptotic.df_error <= size - df + 1e-9
    assert asymptotic.chi2 <= test.chi2  # no less variance than if rows were independent
    assert asymptotic.pvalue == pytest.approx(
        f_distribution.sf(
            asymptotic.chi2 / df * asymptotic.df_error / (asymptotic.df_error + df - 1), df, asymptotic.df_error
        ),
        rel=1e-9,
    )


def test_degrees_of_freedom_are_those_of_the_t_test():
    # Equal clusters: as many as clusters less one. Few against many: nearly those of the few, as Welch's are.
    for single, expected, tolerance in (("ab" * 8, 15, 1e-9), ("aaa" + "b" * 60, 2, 0.35)):
        rows = conversations(3, single)
        test = native(rows["left"], rows["right"], rows["group"], clusters=rows["conversation"], covariance="robust")
        assert test.df_error == pytest.approx(expected, abs=tolerance)


def test_two_crossed_clusterings():
    rows = conversations(10, "ab" * 12, ["ab"] * 6)
    left, right, group = rows["left"], rows["right"], rows["group"]
    both = rows["conversation"] * 100 + rows["worker"]

    def robust(clusters, **options):
        return native(left, right, group, clusters=clusters, covariance="robust", **options)

    alone = {"method": "montecarlo", "replicates": 1}
    one, two, cut = (robust(c, **alone).covariance for c in (rows["conversation"], rows["worker"], both))
    test = robust([rows["conversation"], rows["worker"]])
    least = native(left, right, group).covariance
    safe = max((one + two - cut, one, two, least), key=lambda c: c[0, 0])
    np.testing.assert_allclose(test.covariance, safe)
    assert 2 < test.df_error < 4  # five workers, some with more rows
    for same in (rows[["conversation", "worker"]], rows[["worker", "conversation"]].to_numpy()):
        assert robust(same).pvalue == pytest.approx(test.pvalue)


@pytest.mark.parametrize("groups", ["ab", "abc"])
@pytest.mark.parametrize("clustered", [False, True])
def test_studentized_relabelling_by_brute_force(groups, clustered):
    rows = conversations(12, groups * (4 if groups == "ab" else 2), groups=groups, per=2)
    options = {"covariance": "robust", "strata": rows["k"]}
    if clustered:
        rows = rows[(rows["conversation"] > 1) | (rows["k"] == 2)]  # of differing sizes
        options = {"covariance": "robust", "clusters": rows["conversation"]}
        orders = set(itertools.permutations(rows.groupby("conversation")["group"].first()))
        labels = [rows["conversation"].map(dict(enumerate(order))) for order in orders]
    else:
        rows = rows[rows["conversation"] < (4 if groups == "ab" else 5)]
        options["strata"] = rows["k"]
        orders = [set(itertools.permutations(part["group"])) for _, part in rows.groupby("k")]
        labels = []
        for two, three in itertools.product(*orders):
            label = rows["group"].copy()
            label[rows["k"] == 2], label[rows["k"] == 3] = list(two), list(three)
            labels.append(label)
    test = native(rows["left"], rows["right"], rows["group"], method="exact", **options)
    found = np.array([native(rows["left"], rows["right"], label, **options).chi2 for label in labels])
    assert len(found) > 30
    assert test.pvalue == pytest.approx((found >= test.chi2 * (1 - 1e-9)).mean(), rel=1e-9)


def test_logarithm_of_p_of_an_f_statistic():
    for value, df, df_error in ((3.0, 1, 30.0), (60.0, 2, 200.0)):
        p, log_p = f_test(value, df, df_error)
        assert p == pytest.approx(f_distribution.sf(value, df, df_error), rel=1e-12)
        assert log_p == pytest.approx(np.log(p))
    # Arbitrary-precision values of the incomplete beta function.
    assert f_test(1e5, 2, 700.0)[1] == pytest.approx(-1980.47016990936, rel=1e-12)
    assert f_test(1e4, 3, 5000.0) == (0.0, pytest.approx(-4860.81945943679, rel=1e-12))


@pytest.mark.parametrize(
    ("domain", "open_pairs"), [("dailydialog", [("BR", "S2")]), ("empathetic", [("GPT", "BR"), ("S2", "DR")])]
)
def test_pairs_of_the_paper(reference, domain, open_pairs):
    known, events = reference(f"survival/reference_{domain}.json"), reference(f"survival/events_{domain}.csv")
    table = logrank_pairs(
        events["time_left"],
        events["time_right"],
        events["system"],
        names=known["systems"],
        adjust="bonferroni",
        comparisons=known["n_bonferroni"],
        backend="native",
    )
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
        assert row.log_p == pytest.approx(test.log_pvalue, rel=1e-9)
        assert row.log_p_adjusted == pytest.approx(min(0.0, test.log_pvalue + np.log(len(table))), rel=1e-9)


def test_people_and_bots_differ_whatever_is_clustered(reference):
    events = reference("survival/events_dailydialog.csv")
    conversation, worker, k = events["convo_id"], events["user"], events["exchange"]
    arguments = (events["time_left"], events["time_right"], events["system"])
    for options in (
        {"clusters": conversation},
        {"clusters": conversation, "strata": k},
        {"clusters": conversation, "strata": k, "method": "montecarlo", "replicates": 4999},
        {"clusters": conversation, "strata": k, "covariance": "robust"},
        {"clusters": worker, "covariance": "robust"},
        {"clusters": [conversation, worker], "strata": k, "covariance": "robust"},
    ):
        table = logrank_pairs(*arguments, names=["Human", "BR", "GPT"], backend="native", **options)
        against = table[table["a"] == "Human"]
        assert (against["p_adjusted"] < 0.003).all(), options
        assert (against["statistic"] < 0).all()
        # Rows of one conversation are alike: a test that knows it says less than one that doesn't.
        plain = logrank_pairs(*arguments, names=["BR", "GPT"], backend="native")
        assert table["p"].iloc[-1] > plain["p"].iloc[0]


def test_pairs_edges():
    rows = conversations(13, "aabbcc", groups="abc")
    table = logrank_pairs(rows["left"], rows["right"], rows["group"], backend="native")
    assert list(zip(table["a"], table["b"], strict=True)) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert table.columns.tolist() == [
        "a",
        "b",
        "n_a",
        "n_b",
        "statistic",
        "expected",
        "se",
        "chi2",
        "df",
        "p",
        "log_p",
        "p_adjusted",
        "log_p_adjusted",
        "method",
    ]
    assert logrank_pairs(rows["left"], rows["right"], rows["group"], names=["a"], backend="native").empty
    with pytest.raises(ValueError, match="names: group 'd' has no rows, expected some of a, b, c"):
        logrank_pairs(rows["left"], rows["right"], rows["group"], names=["a", "d"])
    with pytest.raises(ValueError, match=r"names: .*expected each once"):
        logrank_pairs(rows["left"], rows["right"], rows["group"], names=["a", "a"])
    with pytest.raises(ValueError, match="score is 'no'"):
        logrank_pairs(rows["left"], rows["right"], rows["group"], "no")


def test_both_scores_share_one_estimate():
    rows = conversations(14, "aabb")
    tests = logrank_tests(rows["left"], rows["right"], rows["group"], clusters=rows["conversation"], backend="native")
    for score, test in tests.items():
        alone = native(rows["left"], rows["right"], rows["group"], score, clusters=rows["conversation"])
        assert (test.score, test.chi2) == (score, alone.chi2)
    assert tests["sun"].backend == turnbull([0, 2], [2, np.inf], backend="native").backend
