"""Krippendorff's alpha against the package, cases by hand, and its variance against leaving people out one by one."""

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.analysis.agreement import METRICS, alpha_of, krippendorff_alpha
from parlai_spotbot.analysis.agreement.alpha import _Answers, _of_annotators, alpha_slope
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from tests.case_tables import case_table, cases


def drawn(units: int, raters: int, agree: float = 0.6, levels: int = 4, missing: float = 0.0, seed: int = 0):
    """Answers (raters, units), NaN where one is missing."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(levels, size=units)
    table = np.where(rng.random((raters, units)) < agree, truth, rng.integers(levels, size=(raters, units)))
    return np.where(rng.random(table.shape) < missing, np.nan, table.astype(float))


def rows_of(table, per: int = 1, kept=None):
    """Units, answers and clusters of a table (raters, units), `per` units a conversation, missing answers as well."""
    rater, unit = (index.ravel() for index in np.indices(table.shape))
    answers = table.ravel()
    kept = np.ones(len(answers), dtype=bool) if kept is None else kept(answers)
    return unit[kept], answers[kept], Clusters.by(unit[kept] // per, rater[kept])


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("seed", range(2))
def test_alpha_is_that_of_the_package_with_answers_missing(metric, seed):
    table = drawn(80, 5, missing=0.4, seed=seed)
    known = krippendorff.alpha(reliability_data=table, level_of_measurement=metric)
    for kept in (np.isfinite, None):  # a missing answer is no answer, not one more label
        found = krippendorff_alpha(*rows_of(table, kept=kept), metric)
        assert found["alpha"] == pytest.approx(known, abs=1e-10)
        assert found["ci"][0] < known < found["ci"][1]
        assert found["units"] == int((np.isfinite(table).sum(axis=0) > 1).sum())


PUBLISHED = """
1 2 3 3 2 1 4 1 2 - - -
1 2 3 3 2 2 4 1 2 5 - 3
- 3 3 3 2 3 4 2 2 5 1 -
1 2 3 3 2 4 4 1 2 5 1 -
"""


@cases("metric alpha", "[[nominal, 0.743], [ordinal, 0.815], [interval, 0.849], [ratio, 0.797]]")
def test_alpha_is_the_published_one(metric, alpha):
    """Krippendorff (2011), Computing Krippendorff's alpha-reliability, example C to E."""
    answers = PUBLISHED.replace("-", "nan").strip().split("\n")
    table = np.array([row.split() for row in answers], dtype=float)
    assert round(krippendorff_alpha(*rows_of(table), metric)["alpha"], 3) == alpha


@case_table(__file__, "refused")
def test_refused(change, error):
    rows = {"units": [0, 0, 1, 1], "answers": [1, 2, 2, 2], "clusters": Clusters.by([0, 0, 1, 1])}
    with pytest.raises(ValueError, match=error):
        krippendorff_alpha(**(rows | change))


def test_alpha_of_refuses_a_metric_that_is_none_or_lacks_its_values():
    with pytest.raises(ValueError, match="metric is 'ordnal', expected one of nominal, ordinal, interval, ratio"):
        alpha_of(np.eye(2), "ordnal")
    with pytest.raises(ValueError, match="values is None, expected the number of each level for metric 'ratio'"):
        alpha_of(np.eye(2), "ratio")
    assert alpha_of(np.eye(2), "ratio", [1, 3]) == 1


def test_where_there_is_no_alpha_it_is_said_why():
    alone = krippendorff_alpha([0, 1, 2], [1, 2, 3], Clusters.by([0, 1, 2], list("xyz")), "ordinal")
    assert np.isnan([alone["alpha"], alone["alike"], *alone["ci"]]).all()
    assert (alone["why"], alone["units"]) == ("nothing was judged twice", 0)
    assert krippendorff_alpha([], [], Clusters.by([]))["why"] == "nothing was judged twice"
    assert "the same" in krippendorff_alpha([0, 0], [4, 4], Clusters.by([0, 0], ["x", "y"]), "ordinal")["why"]
    one = krippendorff_alpha([0, 0, 1, 1, 2, 2], [1, 1, 2, 2, 1, 2], Clusters.by([0] * 6, list("xyxyxz")))
    assert np.isfinite(one["alpha"])
    assert np.isnan(one["ci"]).all()
    assert one["why"] == "too few conversations were judged twice for an interval"


def test_two_annotators_say_nothing_of_others_and_so_does_one_who_took_part_in_all():
    found = krippendorff_alpha(*rows_of(drawn(60, 2)))
    assert found["note"] == "few_annotators"
    assert "note" not in krippendorff_alpha(*rows_of(drawn(60, 3)))
    units, answers, _ = rows_of(drawn(60, 2))
    worker = np.where(np.arange(120) < 60, 0, 1 + np.arange(120) % 20)
    assert "note" in krippendorff_alpha(units, answers, Clusters.by(units, worker))
    judge = krippendorff_alpha(units, answers, Clusters.by(units))  # no sample of annotators: nothing is to be noted
    assert "note" not in judge
    assert judge["ci"] == pytest.approx(found["ci"])


def test_perfect_agreement_is_bounded_exactly():
    table = drawn(40, 3, agree=1.0, levels=2)
    found = krippendorff_alpha(*rows_of(table))
    differ = 2 * (table == 0).mean() * (table == 1).mean() * 120 / 119
    assert (found["alpha"], found["ci"][1]) == (1.0, 1.0)
    assert found["ci"][0] == pytest.approx(max(-1.0, 1 - (1 - 0.025 ** (1 / 3)) / differ))
    many = Clusters.by(np.arange(120) % 40, np.arange(120))
    assert krippendorff_alpha(np.tile(np.arange(40), 3), table.ravel(), many)["ci"][0] == pytest.approx(
        1 - (1 - 0.025 ** (1 / 40)) / differ
    )


def test_perfect_agreement_on_a_rare_label_is_bounded_by_the_least_alpha():
    """Of ten units with two answers each, one has the other label; two conversations bound hardly anything."""
    same = krippendorff_alpha(np.repeat(np.arange(10), 2), [1.0] * 2 + [0.0] * 18, Clusters.by(np.arange(20) % 2))
    differ = 2 * 2 * 18 / (20 * 19)
    assert 1 - (1 - 0.025 ** (1 / 2)) / differ < -3
    assert (same["alpha"], same["ci"], same["effective"]) == (1.0, (-1.0, 1.0), 2.0)


@pytest.mark.parametrize("metric", METRICS)
def test_the_slope_is_the_derivative(metric):
    own = _Answers.from_units(*rows_of(drawn(30, 3))[:2], metric)
    met, step = own.met, 1e-6
    slope, n = alpha_slope(met, metric, own.values), met.sum()

    def of(moved):  # but for the factor (n - 1) / n, which counts answers and isn't a share
        total = moved.sum()
        return 1 - (1 - alpha_of(moved, metric, own.values)) * total / (total - 1) * (n - 1) / n

    for i, j in ((0, 0), (0, 2), (1, 3)):
        more = np.zeros_like(met)
        more[i, j] += step / 2
        more[j, i] += step / 2
        assert (of(met + more) - of(met - more)) / (2 * step) == pytest.approx(slope[i, j], abs=1e-8)
    assert (slope * met).sum() == pytest.approx(0, abs=1e-12)


@cases("raters per", "[[4, 1], [7, 3]]")
def test_the_component_of_annotators_couple_by_couple(raters, per):
    """Their jackknife, less the squares of the same sums by conversation: summed over couples of answers."""
    units, answers, clusters = rows_of(drawn(90, raters, missing=0.3, agree=0.4, seed=5), per, np.isfinite)
    own = _Answers.from_units(units, answers, "nominal")
    worker, home = clusters.workers[own.rows], clusters.conversations[own.rows, 0]
    slope, size = alpha_slope(own.met, "nominal", own.values), own.table.sum(axis=1)[own.unit]
    couples = [(k, m) for k in range(len(own.unit)) for m in range(k) if own.unit[k] == own.unit[m]]
    k, m = np.array(couples).T
    error, weight = 2 * slope[own.level[k], own.level[m]] / (size[k] - 1), 2 / len(size) / (size[k] - 1)
    total, shares = 0.0, []
    for rater in range(raters):
        here = (worker[k] == rater) | (worker[m] == rater)
        shares.append(weight[here].sum())
        moved = error * (here - shares[-1])
        total += (moved.sum() ** 2 - (np.bincount(home[k], moved) ** 2).sum()) / (1 - shares[-1]) ** 2
    effective = 4 / np.square(shares).sum()
    found = _of_annotators(own.scores(), worker, home)
    assert found == (pytest.approx(max(0.0, total * (1 - 1 / effective))), pytest.approx(effective), False)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(METRICS), st.integers(2, 5), st.integers(1, 60))
def test_of_one_annotators_answers_about_one_unit_the_last_counts(seed, metric, raters, repeats):
    """Whatever the order of rows in between, and whether the repeat is the same answer or another one."""
    rng = np.random.default_rng(seed)
    table = drawn(20, raters, missing=0.2, seed=seed)
    rater, unit = (index.ravel() for index in np.indices(table.shape))
    again = rng.integers(table.size, size=repeats)
    earlier = np.where(rng.random(repeats) < 0.5, table.ravel()[again], rng.integers(4, size=repeats))
    order = np.concatenate([again, rng.permutation(table.size)])  # a missing answer takes nothing back
    given_again = np.isfinite(table.ravel()[again])
    units, answers = unit[order], np.concatenate([earlier, table.ravel()[order[repeats:]]])
    kept = np.concatenate([given_again, np.ones(table.size, dtype=bool)])
    clusters = Clusters.by(units[kept], rater[order][kept])
    found = krippendorff_alpha(units[kept], answers[kept], clusters, metric)
    whole = krippendorff_alpha(*rows_of(table), metric)
    assert found["alpha"] == pytest.approx(
        krippendorff.alpha(reliability_data=table, level_of_measurement=metric), abs=1e-10
    )
    assert (found["units"], *found["ci"]) == pytest.approx((whole["units"], *whole["ci"]), nan_ok=True)
