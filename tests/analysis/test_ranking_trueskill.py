"""TrueSkill: the package in both of its backends, many orders at once against it."""

import numpy as np
import pandas as pd
import pytest
import scipy.special
import trueskill

from parlai_spotbot.analysis.ranking import PAPER, TrueSkill, trueskill_replicates, trueskill_scores
from parlai_spotbot.analysis.ranking.trueskill import _play
from parlai_spotbot.analysis.ranking.wins import match_codes
from tests.case_tables import cases


def played(bots=5, n=400, seed=5, noise=0.6):
    """Matches in which the later names are the better bots."""
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, bots, (2, n))
    second = np.where(first == second, (second + 1) % bots, second)
    names = [chr(ord("a") + i) for i in range(bots)]
    outcome = np.sign(np.round(rng.normal(0.3 * (first - second), noise))).astype(int)
    return pd.DataFrame({"a": np.array(names)[first], "b": np.array(names)[second], "outcome": outcome}), names


def by_package(env, matches, names):
    rating = {name: env.create_rating() for name in names}
    for a, b, o in zip(matches["a"], matches["b"], matches["outcome"], strict=True):
        if o >= 0:
            rating[a], rating[b] = trueskill.rate_1vs1(rating[a], rating[b], drawn=o == 0, env=env)
        else:
            rating[b], rating[a] = trueskill.rate_1vs1(rating[b], rating[a], env=env)
    return [rating[name].mu for name in names], [rating[name].sigma for name in names]


def in_order(matches, names, model):
    """Skills and their deviations by our own loop, in the order given."""
    return [part[0] for part in _play(match_codes(matches, names), len(names), np.arange(len(matches))[:, None], model)]


@cases("model", "[{}, {tau: 0.0, draw_probability: 0.7}, {mu: 0.0, sigma: 1.0, beta: 0.5}]")
def test_trueskill_is_that_of_the_package(model):
    matches, names = played()
    found = by_package(trueskill.TrueSkill(**model, backend="scipy"), matches, names)
    np.testing.assert_allclose(in_order(matches, names, TrueSkill(**model)), found, rtol=0, atol=1e-9)
    assert trueskill_scores(matches, names, model=TrueSkill(**model))["mu"].tolist() == found[0]


def test_the_papers_variant_is_the_packages_global_environment():
    matches, names = played(n=600)
    mu, _ = by_package(trueskill.global_env(), matches, names)
    assert trueskill_scores(matches, names, model=PAPER)["mu"].tolist() == mu
    # The polynomial is seen: the exact function gives other digits.
    assert abs(trueskill_scores(matches, names)["mu"].to_numpy() - mu).max() > 1e-8


def test_where_the_package_stops_the_fit_goes_on(matches_of):
    """Two bots far above two others, all sure of their place; then the weaker one wins."""
    matches = matches_of(" ".join(["ac+ bd+ ad+ bc+"] * 40 + ["ab= cd="] * 200 + ["ca+"]))
    model = TrueSkill(beta=0.05, draw_probability=0.01, tau=0.0)
    with pytest.raises(FloatingPointError):
        by_package(trueskill.TrueSkill(beta=0.05, draw_probability=0.01, tau=0.0), matches, list("abcd"))
    found = trueskill_scores(matches, list("abcd"), model=model).to_numpy().T
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found, in_order(matches, list("abcd"), model), atol=1e-9)


def test_a_replicate_plays_each_match_as_often_as_it_weighs(matches_of):
    matches = matches_of("ab+ bc= ca-")
    weights = np.array([[0, 3, 0], [2, 0, 0], [0, 0, 0]])
    mu, sigma = trueskill_replicates(matches, list("abc"), weights, rng=np.random.default_rng(0))
    for row, text in enumerate(("bc= bc= bc=", "ab+ ab+")):
        alone = trueskill_scores(matches_of(text), list("abc"))
        np.testing.assert_allclose(mu[row], alone["mu"], atol=1e-12)
        np.testing.assert_allclose(sigma[row], alone["sigma"], atol=1e-12)
    np.testing.assert_allclose(mu[2], 25.0)
    assert mu.shape == sigma.shape == (3, 3)
    model = TrueSkill(mu=0.0, sigma=1.0, beta=0.5)
    own = trueskill_replicates(matches, list("abc"), weights, rng=np.random.default_rng(0), model=model)
    np.testing.assert_allclose(own[0][2], 0.0)
    assert all(of.shape == (0, 3) for of in trueskill_replicates(matches, list("abc"), weights[:0], rng=None))


def test_shuffles_are_random_orders_of_all_matches():
    matches, names = played(n=60)
    rng = np.random.default_rng(1)
    orders = np.array([np.random.default_rng(i).permutation(len(matches)) for i in range(400)])
    one, _ = _play(match_codes(matches, names), len(names), orders.T, None)
    mean = trueskill_scores(matches, names, rng=rng, shuffles=400)["mu"]
    error = np.std(one, axis=0) / 20
    assert (abs(mean - np.mean(one, axis=0)) < 5 * error).all()
    assert trueskill_scores(matches, names, rng=np.random.default_rng(1), shuffles=400)["mu"].equals(mean)


MODELS = [TrueSkill(), PAPER, TrueSkill(tau=0.0, draw_probability=0.7), TrueSkill(beta=1.0, draw_probability=0.02)]


@pytest.mark.parametrize("model", MODELS)
def test_compiled_steps_are_those_of_numpy(model, monkeypatch):
    pytest.importorskip("numba")
    matches, names = played(bots=7, n=300)
    weights = np.random.default_rng(2).integers(0, 4, (5, len(matches)))
    weights[3] = 0
    results = []
    for many in (1 << 60, 0):
        monkeypatch.setattr("parlai_spotbot.analysis.ranking.trueskill.MANY", many)
        rng = np.random.default_rng(1)
        results.append(trueskill_replicates(matches, names, weights, rng=rng, model=model, shuffles=3))
    np.testing.assert_allclose(results[1], results[0], rtol=1e-11, atol=1e-11)


def test_the_table_of_mills_ratio_holds_to_rounding():
    compiled = pytest.importorskip("parlai_spotbot.analysis.ranking.compiled_matches")
    for x in np.concatenate([np.linspace(-45, 45, 3001), [0.0, -37.0, 37.0, -1e9, 1e9]]):
        density = compiled._density(x)
        below = compiled._below(x, density, compiled.MILLS)
        np.testing.assert_allclose(below, scipy.special.ndtr(x), rtol=1e-12, atol=1e-300)
