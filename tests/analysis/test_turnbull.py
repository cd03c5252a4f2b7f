"""Turnbull's estimate against icenReg's numbers, closed forms, and properties."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlai_spotbot.analysis.survival import cox, current_status_survival, logrank, npmle, turnbull
from parlai_spotbot.analysis.survival.intervals import arrange, check
from parlai_spotbot.findings.spotting.survival_estimates import median_note
from tests.case_tables import case_table, cases

DOMAINS = ("dailydialog", "empathetic")


def numbers(values):
    return np.array([np.inf if v == "Inf" else v for v in values], dtype=float)


@pytest.mark.parametrize("domain", DOMAINS)
def test_turnbull_of_every_system(reference, domain):
    known, events = reference(f"survival/reference_{domain}.json"), reference(f"survival/events_{domain}.csv")
    for system in known["systems"]:
        rows = events[events["system"] == system]
        fit = turnbull(rows["time_left"], rows["time_right"], backend="native")
        expected = known["npmle"][system]
        np.testing.assert_allclose(fit.survival(known["times"]), expected["S_exact_pava"], atol=1e-12)
        assert fit.loglik == pytest.approx(expected["llk_exact"], abs=1e-8)
        assert fit.kkt < 1e-8


@cases(
    "name left right group",
    """
- [miceData, l, u, grp]
- [IR_diabetes, left, right, gender]
- [bcos, left, right, treatment]
""",
)
def test_turnbull_of_icenregs_datasets(reference, name, left, right, group):
    data = reference("survival/icenreg_datasets.json")[name]
    for part, case in {"all": data["np_all"], **data["np_by"]}.items():
        rows = np.array([part in ("all", own) for own in data[group]])
        fit = turnbull(numbers(data[left])[rows], numbers(data[right])[rows], backend="native")
        np.testing.assert_allclose(fit.intervals[:, 0], case["tbull_left"], atol=1e-9)
        # icenReg's masses of bcos are 1.9e-8 off: where two hardly differ in likelihood it stops between them.
        np.testing.assert_allclose(fit.mass, case["p_hat"], atol=1e-7 if name == "bcos" else 1e-8)
        assert fit.loglik >= case["llk"] - 1e-8
        assert fit.loglik == pytest.approx(case["llk"], abs=1e-8)
        assert fit.kkt < 1e-8


def test_turnbull_at_the_edges(reference):
    for name, case in reference("survival/icenreg_datasets.json")["edge"].items():
        closed = tuple(bool(b) for b in case["B"]) if "B" in case else None
        fit = turnbull(numbers(case["l"]), numbers(case["r"]), closed=closed, backend="native")
        np.testing.assert_allclose(fit.mass, case["np"]["p_hat"], atol=1e-8, err_msg=name)
        assert fit.loglik == pytest.approx(case["np"]["llk"], abs=1e-8), name
        assert fit.kkt < 1e-8, name


def test_turnbull_of_20000_simulated_rows(reference):
    data = reference("survival/sim20000.csv.gz")
    fit = turnbull(data["l"], data["u"], backend="native")
    assert len(fit.mass) == 5237
    assert fit.loglik == pytest.approx(-16526.002995568564, abs=1e-8)
    assert fit.kkt < 1e-10


interval_data = st.lists(
    st.tuples(st.integers(0, 8), st.integers(0, 6), st.booleans()).map(
        lambda row: (float(row[0]), np.inf if row[2] else float(row[0] + row[1]))
    ),
    min_size=1,
    max_size=25,
)


@settings(max_examples=60, deadline=None)
@given(interval_data, st.randoms(use_true_random=False))
def test_turnbull_is_a_maximum_whatever_the_data(rows, random):
    left, right = np.array(rows).T
    fit = turnbull(left, right, backend="native")
    assert fit.kkt < 1e-8
    assert fit.mass.sum() == pytest.approx(1.0)
    assert (fit.mass >= 0).all()
    assert (np.diff(fit.survival(np.arange(0, 20, 0.5))) <= 1e-12).all()
    shuffled = list(rows)
    random.shuffle(shuffled)
    again = turnbull(*np.array(shuffled).T, backend="native")
    assert again.loglik == pytest.approx(fit.loglik, abs=1e-7)
    halves = turnbull(np.tile(left, 2), np.tile(right, 2), weights=np.full(2 * len(left), 0.5), backend="native")
    assert halves.loglik == pytest.approx(fit.loglik, abs=1e-7)
    stretched = turnbull(left**3, right**3, backend="native")
    assert stretched.loglik == pytest.approx(fit.loglik, abs=1e-7)


FACTORS = [1 / 60, 1 / 7, 1e-6, 1e6, np.pi]


@settings(max_examples=60, deadline=None)
@given(interval_data, st.sampled_from(FACTORS), st.randoms(use_true_random=False))
def test_neither_the_unit_of_time_nor_the_order_of_rows_changes_the_curve(rows, factor, random):
    left, right = np.array(rows).T
    times = np.unique(np.concatenate([left, right, np.arange(0, 16, 0.25)]))
    curve = turnbull(left, right, backend="native").survival(times)
    np.testing.assert_allclose(
        turnbull(left * factor, right * factor, backend="native").survival(times * factor), curve, atol=1e-12
    )
    random.shuffle(rows)
    shuffled = turnbull(*np.array(rows).T, backend="native").survival(times)
    np.testing.assert_allclose(shuffled, curve, atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(interval_data, st.integers(0, 8), st.sampled_from([1e14, 2**63 - 1, 1e300]))
def test_a_very_large_right_end_is_as_none(rows, seen, huge):
    left, right = np.array([*rows, (seen, np.inf)], dtype=float).T
    times = np.arange(0, 16, 0.5)
    curve = turnbull(left, right, backend="native").survival(times)
    for ends in (np.where(np.isinf(right), huge, right), np.append(right[:-1], huge)):
        np.testing.assert_allclose(turnbull(left, ends, backend="native").survival(times), curve, atol=1e-6)
    group = np.arange(len(left)) % 2
    tests = [logrank(left, ends, group, backend="native") for ends in (right, np.where(np.isinf(right), huge, right))]
    assert tests[1].pvalue == pytest.approx(tests[0].pvalue, abs=1e-6)


@pytest.mark.parametrize("closed", [(False, True), (True, False)])
def test_a_time_that_differs_from_an_end_by_rounding_is_that_end(closed):
    fit = turnbull([0] * 10 + [0.3] * 10, [0.1 + 0.2] * 10 + [np.inf] * 10, closed=closed, backend="native")
    assert fit.survival([0.29, 0.3, 0.1 + 0.2, 0.31]).tolist() == [1, 0.5, 0.5, 0.5]
    assert fit.survival(np.nextafter(0.3, 0)) == 0.5
    apart = turnbull(1e8 + np.arange(5), 1e8 + np.arange(5), backend="native")  # a late start leaves times apart
    np.testing.assert_allclose(apart.survival(1e8 + np.arange(5)), [0.8, 0.6, 0.4, 0.2, 0])


def test_bootstrap_curves_are_the_npmle():
    rng = np.random.default_rng(0)
    total = rng.integers(1, 30, (50, 4))
    spotted = rng.binomial(total, 0.6)
    survival = current_status_survival(spotted, total)
    for row in range(50):
        left, right, weights = [], [], []
        for k in range(4):
            left += [0.0, k + 1.0]
            right += [k + 1.0, np.inf]
            weights += [spotted[row, k], total[row, k] - spotted[row, k]]
        fit = turnbull(left, right, weights=weights, backend="native")
        np.testing.assert_allclose(survival[row], fit.survival([1, 2, 3, 4]), atol=1e-12)
    gap = current_status_survival(np.array([1, 0, 3]), np.array([4, 0, 4]))
    assert gap[0] == 0.75
    assert gap[2] == 0.25
    assert 0.25 <= gap[1] <= 0.75
    assert np.isnan(current_status_survival(np.zeros(3), np.zeros(3))).all()


@settings(max_examples=60, deadline=None)
@given(interval_data, st.tuples(st.booleans(), st.booleans()))
def test_every_solver_reaches_the_maximum(rows, closed):
    left, right = np.array(rows).T
    narrow = left == right
    try:
        data = arrange(*check(left, right, None), closed)
    except ValueError:
        assert not any(closed)  # an open interval between neighbours is never empty, so only [a, a) could be
        raise
    best = turnbull(left, right, closed=closed, backend="native")
    for many in (npmle.MANY, -1):  # Newton's steps, and those of EM and of the convex minorant in turn
        with mock.patch.object(npmle, "MANY", many):
            mass = npmle._Problem(data).maximise(1e-8)
        assert npmle.evaluate(data, mass)[1] == pytest.approx(best.loglik, abs=1e-6 * len(left))
    assert narrow.all() or len(best.mass) >= 1


def test_mass_counts_from_the_right_end_of_its_interval():
    fit = turnbull([1, 4, 4], [2, 6, np.inf], backend="native")
    high = fit.survival([0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 6.0, 100.0])
    np.testing.assert_allclose(high, [1, 1, 1, 2 / 3, 2 / 3, 2 / 3, 0, 0], atol=1e-12)
    closed = turnbull([1, 4], [2, 6], closed=(True, False), backend="native")  # [1, 2) and [4, 6)
    assert closed.survival([0.9, 1, 1.9]).tolist() == [1, 1, 1]
    assert closed.survival(2) == 0.5
    with pytest.raises(ValueError, match="t is NaN"):
        fit.survival([1, np.nan])


def test_quantiles_and_medians_in_words():
    fit = turnbull([1, 4, 4], [2, 6, np.inf], backend="native")
    assert fit.quantile([0.1, 1 / 3, 0.5, 1]).tolist() == [2, 2, 6, 6]
    assert median_note(fit) == "between 4 and 6"
    never = turnbull([0, 2, 2, 3], [2, np.inf, np.inf, np.inf], backend="native")
    assert never.median == np.inf
    assert [float(end) for end in never.quantile_bounds(0.5)] == [3, np.inf]
    assert median_note(never) == "not reached: 75% are still unspotted at 3"
    assert median_note(turnbull([2, 3], [2, 3], backend="native")) == "2"
    with pytest.raises(ValueError, match="expected shares from 0 to 1"):
        fit.quantile(1.2)


def test_at_the_edges_of_what_can_be_known():
    assert turnbull([1], [2], backend="native").mass.tolist() == [1.0]
    same = turnbull([3] * 5, [3] * 5, backend="native")
    assert same.survival([2.9, 3]).tolist() == [1, 0]
    censored = turnbull([1, 2, 3], [np.inf] * 3, backend="native")
    assert censored.survival([1, 2, 3, 1e9]).tolist() == [1, 1, 1, 1]
    assert median_note(censored) == "not reached: 100% are still unspotted at 3"
    weighted = turnbull([0, 2, 5], [2, np.inf, 5], weights=[1, 3, 0], backend="native")
    assert weighted.survival(2) == pytest.approx(0.75)
    with pytest.raises(ValueError, match=r"weights: row 1 is -1\.0, expected a finite number from 0 up"):
        turnbull([0, 2], [2, 3], weights=[1, -1], backend="native")


GROUP = ["a", "b"] * 20
X = np.tile([0.0, 1, 1, 0, 2], 8)
TAKE_INTERVALS = {
    "turnbull": lambda left, right: turnbull(left, right, backend="native").survival([0.15, 0.25, 0.35, 0.45]),
    "cox": lambda left, right: cox(left, right, X, backend="native").interval(),
    "logrank": lambda left, right: logrank(left, right, GROUP, backend="native").covariance,
}


def looks(seed=7):
    """Current status, intervals and exact times in tenths."""
    rng = np.random.default_rng(seed)
    k = rng.choice([3, 6, 7, 9], 40)
    kind = rng.integers(0, 4, 40)
    left = np.where(kind == 0, 0, k)
    right = np.select([kind == 0, kind == 1, kind == 2], [k.astype(float), np.inf, k + 3.0], k)
    return left, right


@pytest.mark.parametrize("name", TAKE_INTERVALS)
def test_ends_that_differ_by_rounding_are_one_end(name):
    """Tenths as 3 / 10, as 0.1 added up, and with the noise on a single row."""
    left, right = looks()
    expected = np.asarray(TAKE_INTERVALS[name](left / 10, right / 10), dtype=float)
    assert np.isfinite(expected).any()
    added = np.append(np.cumsum(np.full(20, 0.1)), np.inf)  # 0.1 + 0.2 is 0.30000000000000004
    place = np.where(np.isinf(right), 20, right - 1).astype(int)
    for near in (
        (np.where(left > 0, added[left - 1], -3e-17), added[place]),
        (left / 10, np.where(np.arange(40) == 4, np.nextafter(right / 10, 9), right / 10)),
    ):
        found = np.asarray(TAKE_INTERVALS[name](*near), dtype=float)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


@case_table(__file__, "refused")
def test_refused(change, error):
    with pytest.raises(ValueError, match=error):
        turnbull(**({"left": [0, 2], "right": [2, 3], "backend": "native"} | change))


def test_dates_are_refused():
    with pytest.raises(ValueError, match=r"left: .*; expected numbers, and dates or durations as numbers"):
        turnbull(np.arange(40).astype("M8[D]"), np.ones(40))
