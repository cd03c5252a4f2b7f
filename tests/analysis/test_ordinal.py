"""Krippendorff's alpha on scales against the package, and a hand-made case."""

import krippendorff
import numpy as np
import pytest

from parlai_spotbot.analysis.ordinal import ordinal_alpha


@pytest.mark.parametrize("metric", ["ordinal", "interval", "nominal"])
def test_alpha_is_that_of_the_package_with_answers_missing(metric):
    rng = np.random.default_rng(0)
    table = np.clip(np.round(rng.normal(3, 1, 80) + rng.normal(0, 0.8, (4, 80))), 1, 5)
    table[rng.random(table.shape) < 0.4] = np.nan
    units, answers = zip(
        *[(u, table[r, u]) for u in range(80) for r in range(4) if np.isfinite(table[r, u])], strict=True
    )
    found = ordinal_alpha(units, answers, units, rng=rng, replicates=300, metric=metric)
    assert found["alpha"] == pytest.approx(krippendorff.alpha(reliability_data=table, level_of_measurement=metric))
    assert found["ci"][0] < found["alpha"] < found["ci"][1]
    assert found["units"] == int((np.isfinite(table).sum(axis=0) > 1).sum())


def test_a_case_by_hand():
    # Two answers each about (1, 2), (1, 1), (2, 2): given 1 three times, 2 three times; a 1 and a 2 are 3 apart.
    found = ordinal_alpha([0, 0, 1, 1, 2, 2], [1, 2, 1, 1, 2, 2], [0, 0, 1, 1, 2, 2], rng=np.random.default_rng(0))
    assert found["alpha"] == pytest.approx(1 - (2 * 9 / 6) / (18 * 9 / 30))
    assert found["alike"] == pytest.approx(2 / 3)


def test_nothing_judged_twice_and_answers_all_alike_have_no_alpha():
    rng = np.random.default_rng(0)
    alone = ordinal_alpha([0, 1, 2], [1, 2, 3], [0, 1, 2], rng=rng)
    assert np.isnan(alone["alpha"])
    assert alone["why"] == "nothing was judged twice"
    assert "the same" in ordinal_alpha([0, 0], [4, 4], [0, 0], rng=rng)["why"]
    assert ordinal_alpha([0, 0, 1, 1], [4, 4, 2, 2], [0, 0, 1, 1], rng=rng, replicates=50)["alpha"] == 1.0
