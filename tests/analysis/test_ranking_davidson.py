"""Davidson's model: closed forms, a second optimiser, all replicates against one at a time, what has no estimate."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from parlai_spotbot.analysis.ranking import WinMatrix, davidson, win_matrix


def test_davidson_of_two_bots_is_the_closed_form(matches_of):
    fit = davidson(win_matrix(matches_of("ab+ ab+ ab+ ab- ab= ab=")), order=False)
    # With two bots the model is saturated: its probabilities are the shares.
    assert fit.strength[0] - fit.strength[1] == pytest.approx(np.log(3))
    assert np.exp(fit.tie) == pytest.approx(2 / np.sqrt(3 * 1))
    assert fit.loglik == pytest.approx(3 * np.log(3 / 6) + np.log(1 / 6) + 2 * np.log(2 / 6))
    # Var(log π1 - log π2) = 1/wins + 1/losses; each strength is half of the difference.
    half = 1.959963984540054 * np.sqrt(1 / 3 + 1) / 2
    np.testing.assert_allclose(fit.ci[0], [fit.strength[0] - half, fit.strength[0] + half])


def test_davidson_recovers_what_made_the_matches():
    rng = np.random.default_rng(3)
    strength, tie, order = np.array([1.0, 0.2, -0.3, -0.9]), np.log(1.5), 0.4
    counts = np.zeros((4, 4, 3))
    for i in range(4):
        for j in range(4):
            if i != j:
                worth = np.exp([strength[i] + order, tie + (strength[i] + strength[j]) / 2, strength[j]])
                counts[i, j] = rng.multinomial(4000, worth / worth.sum())
    fit = davidson(WinMatrix(tuple("abcd"), counts))
    np.testing.assert_allclose(fit.strength, strength, atol=0.06)
    assert (fit.tie, fit.order) == pytest.approx((tie, order), abs=0.06)
    assert (fit.ci[:, 0] < fit.strength).all()
    assert (fit.strength < fit.ci[:, 1]).all()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ab+ ab- cd+ cd-", "never met: a, b | c, d"),
        ("ab+ ab+ bc+ bc- ba-", "one side won every match"),
        ("ab= ba=", "not one match was decided"),
        ("ab+ ab+ ab=", "no finite maximum"),  # the more ties there may be, the better the one who never loses
    ],
)
def test_davidson_says_why_it_has_no_estimate(matches_of, text, said):
    with pytest.raises(ValueError, match=said):
        davidson(win_matrix(matches_of(text)), order=False)


def test_davidson_with_a_prior_is_finite_where_a_bot_never_wins(matches_of):
    fit = davidson(win_matrix(matches_of("ab+ ab+ ba- bc+ bc- ac+")), order=False, prior=1.0)
    assert fit.strength[0] == fit.strength.max()
    assert np.isfinite(fit.ci).all()


def counts_of(rng, bots=5, scale=6.0, shape=()):
    both = ~np.eye(bots, dtype=bool)[..., None]
    return rng.poisson(scale * both * np.array([1.0, 3.0, 0.8]), (*shape, bots, bots, 3)).astype(float)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 5), st.booleans())
def test_davidson_is_where_another_optimiser_ends(seed, bots, order):
    counts = counts_of(np.random.default_rng(seed), bots) + (1 - np.eye(bots))[..., None]

    def loss(theta):
        s = np.append(theta[: bots - 1], -theta[: bots - 1].sum())
        first, second = np.broadcast_arrays(s[:, None], s)
        worth = np.stack([first + order * theta[-1], theta[-2] + (first + second) / 2, second], axis=-1)
        return -(counts * (worth - np.logaddexp.reduce(worth, axis=-1, keepdims=True))).sum()

    best = minimize(loss, np.zeros(bots + 1), method="BFGS", options={"gtol": 1e-7})
    fit = davidson(WinMatrix(tuple("abcde"[:bots]), counts), order=order)
    assert fit.loglik >= -best.fun - 1e-9 * abs(best.fun)
    np.testing.assert_allclose(fit.strength[:-1], best.x[: bots - 1], atol=2e-5)
    assert fit.tie == pytest.approx(best.x[-2], abs=2e-5)
    if order:
        assert fit.order == pytest.approx(best.x[-1], abs=2e-5)
        # The observed information is the loss's second difference.
        steps = np.eye(bots + 1)[-1] * 1e-3
        profile = [_profile(loss, best.x, sign * steps) for sign in (1, -1)]
        error = 1e-3 / np.sqrt(sum(profile) - 2 * loss(best.x))
        assert (fit.order_ci[1] - fit.order_ci[0]) / 2 / 1.959963984540054 == pytest.approx(error, rel=2e-3)


def _profile(loss, best, step):
    """The least loss with the last parameter moved."""
    moved = best + step
    return minimize(lambda x: loss(np.append(x, moved[-1])), moved[:-1], method="BFGS", options={"gtol": 1e-7}).fun


def test_pairs_never_met_are_estimated_through_others():
    """a met b and b met c: their two closed forms add up."""
    counts = np.zeros((3, 3, 3))
    counts[0, 1], counts[1, 2] = [6, 0, 2], [3, 0, 9]
    fit = davidson(WinMatrix(tuple("abc"), counts), order=False)
    assert np.isnan(fit.tie)
    np.testing.assert_allclose(-np.diff(fit.strength), np.log([6 / 2, 3 / 9]), atol=1e-9)


@pytest.mark.parametrize(
    ("counts", "options", "said"),
    [
        (np.zeros((3, 2, 2, 3)), {}, r"shape \(3, 2, 2, 3\), expected"),
        (np.zeros((1, 1, 3)), {}, "two bots or more"),
        (np.full((2, 2, 3), -1.0), {}, "below 0"),
        (np.ones((2, 2, 3)), {"prior": -1.0}, "prior is -1.0"),
        (np.ones((2, 2, 3)), {"level": 95}, "level is 95"),
    ],
)
def test_what_is_no_count_is_named(counts, options, said):
    with pytest.raises(ValueError, match=said):
        davidson(WinMatrix(tuple("abcdefg"[: counts.shape[-2]]), counts), **options)
