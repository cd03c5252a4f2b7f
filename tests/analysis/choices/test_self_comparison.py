"""A contestant against itself: two thousand studies in which there is nothing to find."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from parlai_spotbot.analysis.choices import same_test


def study(n, rng, name="a", workers=None, bias=0.0):
    """`n` choices between conversations of one contestant; annotators may each favour a side."""
    worker = np.arange(n) if workers is None else np.arange(n) % workers
    favour = rng.normal(0, bias, n if workers is None else workers)
    left = np.where(rng.random(n) < expit(favour[worker]), 1, -1)
    outcome = left * rng.choice([-1, 1], n)
    return pd.DataFrame(
        {
            "a": name,
            "b": name,
            "outcome": outcome,
            "left": left.astype(float),
            "conversation_ids": [(f"x{i}", f"y{i}") for i in range(n)],
            "worker_id": [f"w{w}" for w in worker],
        }
    )


@pytest.mark.parametrize(
    ("n", "studies"), [(65, 700), *(pytest.param(n, 2000, marks=pytest.mark.slow) for n in (65, 200))]
)
def test_studies_reject_in_three_to_six_percent(n, studies):
    rng = np.random.default_rng(0)
    rejected = np.mean([same_test(study(n, rng))[0]["p"] < 0.05 for _ in range(studies)])
    assert 0.03 <= rejected <= 0.06


def test_contestants_one_by_one_and_together():
    rng = np.random.default_rng(2)
    rows = pd.concat([study(20, rng, "a"), study(20, rng, "b")], ignore_index=True)
    rows["worker_id"] = [f"w{i}" for i in range(40)]
    rows["conversation_ids"] = [(f"x{i}", f"y{i}") for i in range(40)]
    others = study(10, rng).assign(b="c")
    found = same_test(pd.concat([rows, others], ignore_index=True))
    assert [row["name"] for row in found] == ["a", "b", "all"]
    assert [row["n"] for row in found] == [20, 20, 40]
    assert all(row["of"] == "left" for row in found)
    unknown = same_test(rows.assign(left=np.nan))
    assert unknown[0]["of"] == "first"
    assert same_test(others) == []
