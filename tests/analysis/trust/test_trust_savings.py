"""What a judge saves: closed forms, Fisher's information by differences, simulations with known errors, and notices."""

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis.planning import judge_savings as model
from parlai_spotbot.analysis.trust.draws import Draws
from parlai_spotbot.analysis.trust.savings import savings
from parlai_spotbot.analysis.trust.verdict import saving_sentence

P = np.array([[0.3, 0.5, 0.2], [0.25, 0.5, 0.25], [0.45, 0.35, 0.2]])
GOOD = model.mixture(np.array([[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]]), 0)
PERFECT = model.mixture(np.eye(3) + 1e-7, 0)
CHANCE = np.tile([0.3, 0.4, 0.3], (3, 1))
N = np.full(3, 200.0)


def test_a_mixture_is_the_same_whoever_is_called_the_first():
    found = model.mixture(np.array([[8, 1, 1], [3, 6, 1], [2, 2, 6]]), 0)
    assert found == pytest.approx(found[::-1, ::-1])
    assert found.sum(axis=1) == pytest.approx(np.ones(3))
    assert found[0].tolist() == pytest.approx([14 / 20, 3 / 20, 3 / 20])
    assert model.slope(found) == pytest.approx(11 / 20)


def test_without_a_judge_it_is_the_variance_of_a_multinomial():
    gap = P[:, 0] - P[:, 2]
    expected = (P[:, 0] + P[:, 2] - gap**2) / 200
    assert model.precision(P, GOOD, N, np.full(3, 1e-9)) == pytest.approx(expected)
    assert model.effective(P, GOOD, N, np.full(3, 1e-9)) == pytest.approx(N)


def test_a_perfect_judge_is_worth_a_person_and_saves_all():
    assert model.effective(P, PERFECT, N, N) == pytest.approx(2 * N, rel=1e-4)
    assert model.saved(P, PERFECT, N, N * 1.001) == pytest.approx(1, abs=0.01)


def test_a_judge_at_chance_saves_nothing_however_much_it_rates():
    for ratings in (N, 1e6 * N):
        assert model.effective(P, CHANCE, N, ratings) == pytest.approx(N)
        assert model.saved(P, CHANCE, N, ratings) == 0


def test_a_contrary_judge_saves_nothing():
    assert model.saved(P, GOOD[:, ::-1], N, N) == 0


def test_without_ties_and_with_known_errors_it_is_the_closed_form():
    """A judge that errs with probability e: its ratings count for p q (1 - 2 e)² / (r (1 - r)), r = e + (1 - 2 e) p."""
    e, p, tiny = 0.2, 0.6, 1e-9
    shares = np.array([[p - tiny / 2, tiny, 1 - p - tiny / 2]])
    matrix = np.array([[1 - e - tiny, tiny, e], [0.5 - tiny / 2, tiny, 0.5 - tiny / 2], [e, tiny, 1 - e - tiny]])
    r = e + (1 - 2 * e) * p
    worth = p * (1 - p) * (1 - 2 * e) ** 2 / (r * (1 - r))
    found = model.effective(shares, matrix, np.array([100.0]), np.array([50.0]), known=True)
    assert found[0] == pytest.approx(100 + 50 * worth, rel=1e-4)


def test_what_is_estimated_is_never_better_than_what_is_known():
    for ratings in (N, 10 * N):
        known, estimated = (model.effective(P, GOOD, N, ratings, flag) for flag in (True, False))
        assert (estimated > N).all()
        assert (estimated <= known + 1e-9).all()


def test_fishers_information_is_that_of_the_likelihood():
    """Against second differences of the expected log-likelihood of one pair and one matrix."""
    both, alone = 120.0, 300.0

    def parts(theta):
        w, l, a, b, d = theta  # noqa: E741
        matrix = np.array([[a, b, 1 - a - b], [(1 - d) / 2, d, (1 - d) / 2], [1 - a - b, b, a]])
        return np.array([w, 1 - w - l, l]), matrix

    centre = np.array([P[0, 0], P[0, 2], GOOD[0, 0], GOOD[0, 1], GOOD[1, 1]])
    shares, matrix = parts(centre)
    joint, rated = both * shares[:, None] * matrix, alone * shares @ matrix

    def loglik(theta):
        p, m = parts(theta)
        return (joint * np.log(p[:, None] * m)).sum() + (rated * np.log(p @ m)).sum()

    h, size = 1e-4, len(centre)
    hessian = np.empty((size, size))
    for i in range(size):
        for j in range(size):
            x, y = h * np.eye(size)[i], h * np.eye(size)[j]
            hessian[i, j] = (loglik(centre + x + y) - loglik(centre + x - y) - loglik(centre - x + y)
                             + loglik(centre - x - y)) / (4 * h**2)  # fmt: skip
    covariance = np.linalg.inv(-hessian)
    contrast = np.array([1, -1, 0, 0, 0])
    found = model.precision(P[:1], GOOD, np.array([both]), np.array([alone]))
    assert found[0] == pytest.approx(contrast @ covariance @ contrast, rel=1e-3)


def test_the_correction_is_unbiased_and_its_intervals_cover():
    """Simulated with known errors: the mean is right, the spread is the predicted one, 95 % of intervals hold."""
    rng = np.random.default_rng(0)
    n, ratings, rounds = 150, 600, 400
    found, errors = [], []
    for _ in range(rounds):
        both = np.array([rng.multinomial(n, (p[:, None] * GOOD).ravel()).reshape(3, 3) for p in P])
        alone = np.array([rng.multinomial(ratings, p @ GOOD) for p in P])
        one = model.corrected(both, alone)
        found.append(one["difference"])
        errors.append(one["error"])
    found, errors, truth = np.array(found), np.array(errors), P[:, 0] - P[:, 2]
    spread = found.std(axis=0)
    assert np.abs(found.mean(axis=0) - truth).max() < 3.5 * spread.max() / np.sqrt(rounds)
    assert errors.mean(axis=0) == pytest.approx(spread, rel=0.1)
    assert 0.92 < (np.abs(found - truth) < 1.96 * errors).mean() < 0.975
    people = np.sqrt((P[:, 0] + P[:, 2] - truth**2) / n)
    expected = model.effective(P, GOOD, np.full(3, float(n)), np.full(3, float(ratings)))
    assert n * (people / spread) ** 2 == pytest.approx(expected, rel=0.2)
    assert (expected > 1.9 * n).all()


def test_the_correction_without_further_ratings_is_peoples_own_count():
    both = np.array([[[30, 5, 2], [4, 20, 6], [1, 3, 9]], [[10, 5, 2], [4, 20, 6], [1, 3, 19]]])
    found = model.corrected(both, np.zeros((2, 3)))
    assert found["shares"] == pytest.approx(model.shares(both.sum(axis=2), 0), abs=1e-4)


def test_what_differs_from_pair_to_pair_bounds_what_more_ratings_tell():
    free = model.sampled(P, GOOD, np.full(3, 1e9))
    bound = model.sampled(P, GOOD, np.full(3, 1e9), 1.0, 0.01)
    q = P @ GOOD
    variance = q[:, 0] + q[:, 2] - (q[:, 0] - q[:, 2]) ** 2
    assert free == pytest.approx(np.full(3, 1e9))
    assert bound == pytest.approx(variance / 0.01, rel=1e-4)
    assert model.sampled(P, GOOD, np.full(3, 100.0), 2.0) == pytest.approx(np.full(3, 50.0))


# -- from contests -----------------------------------------------------------------------------------------------------
def drawn_shares(seed, pairs):
    return np.random.default_rng(seed).dirichlet([3, 4, 3], pairs)


def simulated(matrix, seed, pairs=10, n=60, liking=0.0, alone=0):
    """People's contests and a judge's with errors `matrix`; it shifts each pair's answers by `liking` at random."""
    rng = np.random.default_rng(seed)
    people, judge = [], []
    for pair, p in enumerate(drawn_shares(seed, pairs)):
        push = rng.normal() * liking
        for i in range(n + alone):
            x = rng.choice(3, p=p)
            y = rng.choice(3, p=matrix[x])
            if rng.random() < abs(push):
                y = 0 if push > 0 else 2
            turned = i % 2
            cast = (f"b{pair}", f"a{pair}") if turned else (f"a{pair}", f"b{pair}")
            about = (f"{pair}-{i}", f"c{pair}-{i}", *cast)
            if i < n:
                people.append((f"p{pair}-{i}", f"w{rng.integers(12)}", *about, (1 - x) * (-1 if turned else 1)))
            judge.append((f"j{pair}-{i}", "v", *about, (1 - y) * (-1 if turned else 1)))
    columns = ["annotation_id", "worker_id", "item_id", "conversation_id", "a", "b", "outcome"]
    return pd.DataFrame(people, columns=columns), pd.DataFrame(judge, columns=columns)


def estimated(people, judge, seed=0, replicates=100):
    draws = Draws(judge["conversation_id"], people, rng=np.random.default_rng(seed), replicates=replicates)
    return savings(people, judge, draws)


def test_a_study_with_a_good_judge():
    people, judge = simulated(GOOD, 1, alone=60)
    found = estimated(people, judge)
    assert (found["people"], found["judge"], found["judge_alone"]) == (600, 1200, 600)
    low, high = found["slope_ci"]
    assert low < 0.6 < high
    assert found["matrix"] == pytest.approx(GOOD, abs=0.08)
    saved = found["saved"]
    for entry in saved.values():
        assert 0 <= entry["ci"][0] <= entry["estimate"] <= entry["ci"][1] <= 1
        assert entry["annotations"] == pytest.approx(600 * entry["estimate"])
    assert 0 < saved["as_many"]["estimate"] < saved["ten_times"]["estimate"] <= saved["endless"]["estimate"]
    assert saved["at_hand"]["estimate"] == pytest.approx(saved["as_many"]["estimate"])
    assert 5 < saved["as_many"]["worth_of_100"]["estimate"] < 60
    assert saving_sentence(found).startswith("An estimate, used nowhere else")
    one = found["corrected"][0]
    assert one.keys() == {"a", "b", "n_people", "n_judge_alone", "people", "both", "both_error"}


def test_whoever_is_called_the_first_changes_nothing():
    people, judge = simulated(GOOD, 2, pairs=4)
    turned = [frame.assign(a=frame["b"], b=frame["a"], outcome=-frame["outcome"]) for frame in (people, judge)]
    first, second = estimated(people, judge), estimated(*turned)
    assert first["saved"] == second["saved"]


def test_a_judge_that_likes_some_contestants_saves_less():
    fair, partial = (estimated(*simulated(GOOD, 3, liking=liking)) for liking in (0.0, 0.4))
    assert partial["spread"] > 0.1 > fair["spread"]
    assert partial["saved"]["endless"]["estimate"] < fair["saved"]["endless"]["estimate"]


def test_at_chance_nothing_is_saved_and_it_is_said():
    none = 0
    for seed in range(12):
        found = estimated(*simulated(CHANCE, seed, pairs=6, n=40))
        none += found["saved"]["endless"]["estimate"] == 0
        for entry in found["saved"].values():
            assert entry["ci"][0] >= 0
        if found["slope_ci"][0] <= 0:
            assert "saves nothing that can be counted on" in found["notice"]
            assert {entry["ci"][0] for entry in found["saved"].values()} == {0.0}
    assert none >= 10


@pytest.mark.slow
def test_the_interval_of_the_saving_covers():
    """The true saving, with as many further ratings, from the matrix and shares that the data were drawn with."""
    hits, rounds, pairs = {"as_many": 0, "ten_times": 0}, 60, 10
    for seed in range(1000, 1000 + rounds):
        found = estimated(*simulated(GOOD, seed, pairs=pairs, n=60), seed=seed, replicates=150)
        n = np.full(pairs, 60.0)
        for name, times in (("as_many", 1), ("ten_times", 10)):
            true = model.saved(drawn_shares(seed, pairs), GOOD, n, times * n)
            low, high = found["saved"][name]["ci"]
            hits[name] += low <= true <= high
    assert min(hits.values()) >= 53


def test_people_who_differ_are_not_held_against_the_judge():
    """An item has its own chances; two people and a judge draw from them, the judge with known errors besides."""
    rng = np.random.default_rng(0)
    chances = rng.dirichlet([0.6, 0.8, 0.6], 4000)
    first, second, third = (np.array([rng.choice(3, p=row) for row in chances]) for _ in range(3))
    judged = np.array([rng.choice(3, p=GOOD[x]) for x in third])
    joint, among = np.zeros((3, 3)), np.zeros((3, 3))
    np.add.at(joint, (np.r_[first, second], np.r_[judged, judged]), 1)
    np.add.at(among, (np.r_[first, second], np.r_[second, first]), 1)
    found = model.disattenuated(joint, among)
    assert found == pytest.approx(GOOD, abs=0.05)
    assert model.slope(model.mixture(joint)) < 0.45 < 0.55 < model.slope(found)
    assert found.sum(axis=1) == pytest.approx(np.ones(3))


def test_where_people_do_not_differ_it_is_the_plain_matrix():
    joint = 100 * np.array([0.4, 0.3, 0.3])[:, None] * GOOD
    among = 100 * np.diag([0.4, 0.3, 0.3])
    assert model.disattenuated(joint, among, 0) == pytest.approx(model.mixture(joint, 0), abs=1e-9)
    nothing = np.full((3, 3), 10.0)  # people agree no more than chance gives: nothing to go by
    assert model.disattenuated(joint, nothing, 0) == pytest.approx(model.mixture(joint, 0), abs=1e-9)
