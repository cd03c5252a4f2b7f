"""The evidence is fair: no bet gains while two are equally good, and verdicts hold however often one looks."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from sympy.utilities.iterables import multiset_partitions

from parlai_spotbot.sequential import closure
from parlai_spotbot.sequential.betting import bets
from parlai_spotbot.sequential.evidence import Rules, begin
from tests.sequential.simulated import (
    LARGE,
    LARGE_RATERS,
    Crowd,
    Raters,
    cost,
    coverage,
    judged,
    serve,
    strengths,
    to_scale,
)

CONFSEQ = {10: -0.10044760439325395, 100: 2.448961814876277, 150: 3.480945569409175, 300: 3.849677490256849}
"""Logarithms of the wealth that confseq 0.0.11 (`betting_mart`, convex_comb, theta ½, trunc_scale .95) finds with the
same stakes after so many of the answers of `test_the_wealth_is_that_of_confseq`."""


def after(size, answers, rules, items=3, seed=0, stock=np.inf):
    """Return the evidence of some annotators' answers, drawn by its own chances; with a `stock` they are ratings."""
    rng, evidence = np.random.default_rng(seed), begin(size, scale=stock is not np.inf)
    upper = np.triu_indices(size, 1)
    for _ in range(answers // items):
        placed = bets(evidence, rules, stock=stock)
        drawn = rng.choice(len(upper[0]), items, p=placed.chance[upper])
        evidence = judged(evidence, placed, rules, upper[0][drawn], upper[1][drawn], rng.choice([0, 0.5, 1], items))
    return evidence


@pytest.mark.parametrize(
    ("size", "margin", "rated", "times"),
    [(2, 0.0, 0, 1), (3, 0.0, 0, 1), (3, 0.1, 0, 1), (4, 0.0, 0, 1), (3, 0.0, 1, 1), (4, 0.0, 1, 1), (4, 0.0, 0, 1000)],
)
def test_no_bet_gains_while_two_are_equally_good(size, margin, rated, times):
    """The expectation over all draws and answers of an annotator with two items, by enumeration.

    Stakes that are so many times as large are cut at what was drawn, so that no answer takes the whole wealth.
    """
    rules, rng = Rules(0.05, margin, 400), np.random.default_rng(1)
    stock = to_scale(size) if rated else np.inf
    evidence = after(size, 90, rules, stock=stock)
    placed, upper = bets(evidence, rules, stock=stock), np.triu_indices(size, 1)
    assert placed.better[0, 1] > 0
    placed = replace(placed, better=times * placed.better)
    assert placed.chance[upper].sum() == pytest.approx(1)
    assert (placed.chance[0, 1] == 0) == rated  # what isn't there is never drawn
    share = np.full((size, size), 0.5)
    share[:2, 2:] = rng.uniform(0.15, 0.85, size - 2)  # 0 and 1 alike against each third one
    share[2:, :2] = 1 - share[:2, 2:].T
    expected = np.zeros(2)
    for pairs in itertools.product(range(len(upper[0])), repeat=2):
        a, b = upper[0][list(pairs)], upper[1][list(pairs)]
        for points in itertools.product((0, 0.5, 1), repeat=2):
            won = np.array(points)
            chance = np.select([won == 0.5, won == 1], [0.2, share[a, b] - 0.1], 0.9 - share[a, b])
            gained = judged(evidence, placed, rules, a, b, won).better - evidence.better
            weight = np.prod(placed.chance[a, b] * chance)
            expected += weight * np.exp([gained[0, 1], gained[1, 0]])
    assert expected == pytest.approx([1, 1], abs=1e-12)


@pytest.mark.parametrize("crowd", [Raters(), LARGE_RATERS], ids=["as in the paper", "three times"])
@pytest.mark.parametrize(("spread", "least"), [(1.2, 0.2), (0.0, 0)])
def test_ratings_find_no_false_winner(spread, least, crowd):
    true = strengths(spread, 200, 4)
    served = serve(true, 400, crowd, 1)
    assert served.wrong.mean() <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / len(true))
    assert served.decided() >= least
    assert 0.91 <= coverage(served, true, crowd) <= 0.97


def test_the_wealth_is_that_of_confseq():
    points = np.random.default_rng(11).choice([0, 0.5, 1], 300, p=[0.2, 0.2, 0.6])
    rules, evidence, found = Rules(0.05, 0.0, 300), begin(2), {}
    for number, point in enumerate(points, start=1):
        placed = bets(evidence, rules)
        evidence = judged(evidence, placed, rules, np.array([0]), np.array([1]), np.array([point]))
        found[number] = np.logaddexp(evidence.better[0, 1], evidence.better[1, 0]) - np.log(2)
    assert {number: found[number] for number in CONFSEQ} == pytest.approx(CONFSEQ, abs=1e-8)
    assert evidence.verdict[0, 1] == 1


@pytest.mark.parametrize("largest", [8, 3])
def test_a_pair_needs_what_all_pairs_that_may_be_equal_with_it_lack(monkeypatch, largest):
    """By every division of the contestants; where groups of them are bounded, never less."""
    monkeypatch.setattr(closure, "LARGEST", largest)
    rng, size = np.random.default_rng(3), 6
    differ, verdict = np.log(rng.exponential(12, (size, size))), np.zeros((size, size), dtype=int)
    differ, verdict[0, 4], verdict[4, 0] = np.minimum(differ, differ.T), 1, -1
    same = np.full_like(differ, -np.inf)
    found, _ = closure.needed(differ, same, verdict, rng.normal(size=size), 0.05)
    wanted = np.zeros_like(differ)
    for division in multiset_partitions(range(size)):
        pairs = [pair for part in division for pair in itertools.combinations(part, 2)]
        lacking = sum(20 - np.exp(differ[pair]) for pair in pairs)
        for pair in pairs if (0, 4) not in pairs else ():
            wanted[pair] = max(wanted[pair], lacking + np.exp(differ[pair]), 20)
    each = np.nonzero(wanted)
    assert len(each[0]) == 14
    assert (np.exp(found[each]) >= wanted[each] - 1e-9).all()
    assert largest == 3 or np.exp(found[each]) == pytest.approx(wanted[each])


def test_wealth_is_never_lost_whole_and_verdicts_stay():
    rules, evidence = Rules(0.05, 0.1, 60), begin(3)
    rng, seen = np.random.default_rng(3), np.zeros((3, 3), dtype=int)
    for _ in range(120):  # twice the budget: late answers count
        a, b = np.array([0, 0, 1]), np.array([1, 2, 2])
        won = np.where(rng.random(3) < 0.9, 1.0, 0.0)
        evidence = judged(evidence, bets(evidence, rules), rules, a, b, won)
        assert np.isfinite(evidence.better).all()
        assert np.array_equal(evidence.verdict, -evidence.verdict.T * (np.abs(evidence.verdict) == 1))
        assert (evidence.verdict[seen != 0] == seen[seen != 0]).all()
        seen = evidence.verdict
    assert (seen[np.triu_indices(3, 1)] == 1).all()


def test_an_answer_that_does_not_count_changes_nothing_but_the_next_draw():
    rules = Rules(0.05, 0.0, 100)
    evidence = after(3, 30, rules)
    none = judged(evidence, bets(evidence, rules), rules, np.array([0, 1]), np.array([1, 2]), np.full(2, np.nan))
    for name in ("points", "matches", "better", "answers", "annotators", "scores", "products"):
        assert np.array_equal(getattr(none, name), getattr(evidence, name)), name


def test_equal_ones_are_found_equal_within_the_margin():
    served = serve(np.zeros((20, 2)), 800, Crowd(), 1, margin=0.15)
    assert (served.evidence.verdict[:, 0, 1] == 2).mean() > 0.8
    assert not served.wrong.any()


# -- simulations by another generator ----------------------------------------------------------------------------------
@pytest.mark.slow
@pytest.mark.parametrize("margin", [0.0, 0.1])
@pytest.mark.parametrize("crowd", [Crowd(), LARGE], ids=["as in the paper", "three times"])
@pytest.mark.parametrize("spread", [1.2, 0.8, 0.4, 0.0])
@pytest.mark.parametrize(("size", "studies", "each"), [(4, 400, 120), (10, 100, 40)])
def test_verdicts_are_right_however_often_one_looks(size, studies, each, spread, crowd, margin):
    true = strengths(spread, studies, size)
    served = serve(true, each * size * (size - 1) // 2, crowd, 5, margin)
    most = 0.05 + 3 * np.sqrt(0.05 * 0.95 / studies)
    assert served.wrong.mean() <= most
    assert 0.92 <= coverage(served, true, crowd) <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize(("spread", "most"), [(1.2, 0.85), (0.8, 0.95), (0.4, 1.1)])
def test_it_takes_fewer_answers_than_a_fixed_study(spread, most):
    assert cost(strengths(spread, 60, 10), 45 * 80, Crowd(), 3) <= most
