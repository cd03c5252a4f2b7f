"""Orders of contestants, some of whom did equally well, in every comparing survey."""

import numpy as np
import pandas as pd
import pytest

from tests.findings.made_up_answers import SURVEYS, MadeUp, ranked, table

NAMES = ("ann", "bea", "cat", "dan")
CHANCES = {("ann", "dan"): 0.8, ("bea", "dan"): 0.8, ("ann", "cat"): 0.6, ("bea", "cat"): 0.6, ("cat", "dan"): 0.7}


def equal_in_pairs():
    """Return matches in which `ann` and `bea` have the same results, and met each other with even ones."""
    rows, talk = [], 0
    for pair, chance in {**CHANCES, ("ann", "bea"): 0.5}.items():
        for place in range(20):
            ends = pair if place % 2 else pair[::-1]
            outcome = 1 if place // 2 < 10 * chance else -1
            rows.append((*ends, outcome if place % 2 else -outcome, talk, f"p{place}", f"w{place}"))
            talk += 1
    return table(rows)


def swapped(rows):
    return rows.rename(columns={"first": "second", "second": "first"}).assign(outcome=-rows["outcome"])


def renamed(rows):
    return rows.assign(**{side: "x" + rows[side] for side in ("first", "second")})


WAYS = {
    "as they are": lambda rows: rows,
    "swapped": swapped,
    "permuted": lambda rows: rows.iloc[np.random.default_rng(3).permutation(len(rows))].reset_index(drop=True),
    "three times": lambda rows: pd.concat(
        [rows.assign(talk=rows["talk"] + 1000 * i) for i in range(3)], ignore_index=True
    ),
    "renamed": renamed,
}


@pytest.mark.parametrize("survey", SURVEYS)
def test_equal_contestants_come_by_name_however_matches_are_written(survey, tmp_path):
    orders = {}
    for way, written in WAYS.items():
        ranking = ranked(survey, MadeUp(written(equal_in_pairs())), tmp_path)
        assert len(ranking.order) == len(NAMES)
        orders[way] = [name.removeprefix("x") for name in ranking.order]
    assert set(map(tuple, orders.values())) == {NAMES}
