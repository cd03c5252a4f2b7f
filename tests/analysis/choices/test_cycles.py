"""Circles: planted ones are found, and none where there is none; the fit of one scale keeps its level."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import binomtest, chi2

from parlai_spotbot.analysis.choices import cycle_test, fit_test
from parlai_spotbot.analysis.choices.cycles import one_sided

PLANTED = {("a", "b"): 0.7, ("b", "c"): 0.7, ("c", "a"): 0.7}


def grid(shares, n, rng):
    """Rows of a win grid of independent choices."""
    rows = []
    for (a, b), share in shares.items():
        won = int(rng.binomial(n, share))
        rows.append(
            {
                "a": a,
                "b": b,
                "wins_a": won,
                "wins_b": n - won,
                "ties": 0,
                "n": n,
                "estimate": won / n,
                "independent": True,
                "p": np.nan,
                "effective": n,
            }
        )
    return rows


def choices(rows):
    own = [(r["a"], r["b"], o) for r in rows for o in [1] * r["wins_a"] + [-1] * r["wins_b"]]
    return pd.DataFrame(own, columns=["a", "b", "outcome"])


def found(shares, n, names, studies=1000, seed=0):
    rng = np.random.default_rng(seed)
    return np.mean([bool(cycle_test(grid(shares, n, rng), names)["found"]) for _ in range(studies)])


def among(names, **special):
    shares = {(a, b): 0.5 for i, a in enumerate(names) for b in names[i + 1 :]}
    return shares | {tuple(pair): share for pair, share in special.items()}


def test_a_planted_circle_is_found():
    assert found(PLANTED, 200, "abc") >= 0.95
    assert found(among("abcdef", ab=0.7, bc=0.7, ac=0.3), 200, "abcdef") >= 0.95


@pytest.mark.parametrize(
    ("shares", "names"),
    [
        (among("abc"), "abc"),
        (among("abcdef"), "abcdef"),
        ({("a", "b"): 0.7, ("b", "c"): 0.7, ("a", "c"): 0.8}, "abc"),
        ({("a", "b"): 0.95, ("b", "c"): 0.95, ("a", "c"): 0.5}, "abc"),  # the hardest: but for a and c it is one
    ],
)
def test_false_alarms_are_rare(shares, names):
    assert found(shares, 200, names) <= 0.05


def test_a_circle_is_named_with_its_shares():
    rows = grid({("a", "b"): 1.0, ("b", "c"): 1.0, ("a", "c"): 0.0, ("a", "d"): 1.0}, 30, np.random.default_rng(0))
    test = cycle_test(rows, "abcd")
    assert test["triples"] == 1
    assert test["found"][0]["of"] == ["a", "b", "c"]
    assert test["found"][0]["shares"] == [1.0, 1.0, 1.0]
    # Two circles there could be, the least p is doubled by Holm.
    assert test["found"][0]["p_adjusted"] == pytest.approx(2 * 0.5**30)


def test_one_sided_p_values_are_scipys():
    row = grid({("a", "b"): 0.6}, 50, np.random.default_rng(1))[0]
    above, below = one_sided(row)
    assert above == pytest.approx(binomtest(row["wins_a"], 50, alternative="greater").pvalue)
    assert below == pytest.approx(binomtest(row["wins_a"], 50, alternative="less").pvalue)


def test_the_fit_of_one_scale_finds_a_circle_and_keeps_its_level():
    rng = np.random.default_rng(2)
    strengths = dict(zip("abcd", (1.0, 0.3, -0.3, -1.0), strict=True))
    one = {(a, b): expit(strengths[a] - strengths[b]) for i, a in enumerate("abcd") for b in "abcd"[i + 1 :]}
    wrong = 0
    for _ in range(200):
        rows = grid(one, 30, rng)
        wrong += fit_test(list("abcd"), rows, rng=rng, replicates=99)["p"] < 0.05
    assert wrong / 200 < 0.10
    rows = grid(PLANTED, 200, rng)
    test = fit_test(list("abc"), rows, rng=rng)
    assert test["df"] == 1
    assert test["p"] < 0.01
    clustered = [{**row, "independent": False, "effective": 50} for row in rows]
    ratio = test["ratio"] / 4  # a design effect of 200 / 50
    assert fit_test(list("abc"), clustered, rng=rng)["p"] == pytest.approx(chi2.sf(ratio, 1), abs=0.005)
    assert test["explained"] < 0.5
    nothing = fit_test(list("abc"), rows[:2], rng=rng)
    assert nothing["p"] is None
