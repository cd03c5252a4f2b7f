"""What the README says of the published tables of pairs told apart: that their p-values don't give their counts."""

import numpy as np
import pandas as pd
import pytest
from outside_data import ABC_EVAL, released_data

LEVELS = (0.001, 0.01, 0.05)


@pytest.mark.parametrize(
    ("name", "alike"), [("t_test_p_values_comparing_bots", 22), ("p_values_comparing_bots_downsampled", 4)]
)
def test_published_p_values_and_published_counts(name, alike):
    folder = released_data(f"{ABC_EVAL}/paper_tables")
    counts = pd.read_csv(folder / "sensitivity_table.csv", index_col=[0, 1])
    p = pd.read_pickle(folder / name)
    ours = pd.DataFrame({level: (p < level).sum(axis=1) for level in LEVELS}).reindex(counts.index)
    assert len(counts) == 40
    assert int((ours.to_numpy() == counts.to_numpy()).all(axis=1).sum()) == alike


def test_the_downsampled_p_values_are_of_turns():
    """Of 32 conversations of 15 turns or more each, no rate's p would be that of so few counts."""
    path = released_data(f"{ABC_EVAL}/paper_tables/p_values_comparing_bots_downsampled")
    from parlai_spotbot.analysis.metrics.sensitivity import two_proportions

    p = pd.read_pickle(path).loc["behavior"].to_numpy(float).ravel()
    p = p[np.isfinite(p)]
    possible = {
        round(float(two_proportions(*(np.array([float(v)]) for v in (a, 32, b, 32)))[0]), 6)
        for a in range(33)
        for b in range(33)
    }
    assert len(p) > 80
    assert all(round(float(value), 6) in possible for value in p)


def test_wilson_s_intervals_of_the_published_comparisons():
    path = released_data(f"{ABC_EVAL}/paper_tables/surge_comparisons.csv")
    from parlai_spotbot.analysis.uncertainty.shares import wilson

    table = pd.read_csv(path)
    assert len(table) > 100
    for place, outcome in enumerate(("lose", "tie", "win")):
        suffix = "" if place == 0 else f".{place}"
        for share, low, high, n in table[[outcome, f"CI low{suffix}", f"CI high{suffix}", f"n{suffix}"]].to_numpy():
            assert wilson(share * n, n) == pytest.approx((low, high), abs=1e-9)
