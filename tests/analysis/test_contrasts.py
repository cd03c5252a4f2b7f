"""Contrasts of Davidson's model: against statsmodels' two-way sandwich and a numeric optimum, exact tests by
enumeration, and simulations by a generator that is not the model (`made_up_studies`).

Coverage of 95 % intervals of the pairs' differences, their width over 3.92 times the true standard deviation, share of
null studies with any false pair (Holm), and power for the pairs of bots evenly spread. 1,000 studies a row (300 with 20
bots or 45 × 6), so a share of .95 is known to .007; `test_many_designs` prints and bounds them.
"""

import itertools

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from made_up_studies import expected_counts, study
from scipy.optimize import minimize
from scipy.special import expit, logit
from scipy.stats import binomtest
from scipy.stats import t as student

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.ranking import WinMatrix, contrasts, davidson, win_matrix, win_rate_intervals, win_rates
from parlai_spotbot.analysis.ranking.contrasts import exchange_test
from parlai_spotbot.analysis.uncertainty.corrections import adjust

BOTS = ("a", "b", "c", "d")


@pytest.fixture(scope="module")
def matches():
    return study(np.random.default_rng(0), np.array([0.5, 0.0, -0.2, -0.3]), 60, 3, 40)


def test_differences_are_those_of_logistic_regression_with_two_way_errors(matches):
    """Without ties and order the model is a logistic regression; here small-sample corrections hardly count."""
    rows = matches[matches["outcome"] != 0].reset_index(drop=True)
    names = [f"b{i}" for i in range(4)]
    found = contrasts(rows, names, order=False)
    place = {name: i for i, name in enumerate(names)}
    design = np.zeros((len(rows), 4))
    design[np.arange(len(rows)), rows["a"].map(place)] += 1
    design[np.arange(len(rows)), rows["b"].map(place)] -= 1
    groups = rows[["conversation_id", "worker_id"]].to_numpy()
    fit = sm.Logit((rows["outcome"] > 0).astype(float), design[:, 1:]).fit(
        disp=0, cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    np.testing.assert_allclose(found.strength[1:] - found.strength[0], fit.params, atol=1e-6)
    raw = found.estimates.spread
    first = np.zeros((3, 6))
    first[:, 0], first[np.arange(3), np.arange(1, 4)] = -1, 1
    bare = [first @ of @ first.T for of in (*raw.single, raw.both)]
    theirs = fit.cov_params().to_numpy()
    np.testing.assert_allclose(bare[0] + bare[1] - bare[2], theirs, rtol=0.1, atol=0.1 * np.abs(theirs).max())
    se = found.pairs["se"].to_numpy()[:3]
    np.testing.assert_allclose(se, np.sqrt(np.diag(theirs)), rtol=0.05)


def test_strengths_ties_and_order_are_at_the_numeric_optimum(matches):
    names = [f"b{i}" for i in range(4)]
    found = contrasts(matches, names)
    counts = win_matrix(matches, names).counts

    def loss(theta):
        worth = np.stack(
            [
                theta[:4, None] + theta[5] + 0 * theta[None, :4],
                theta[4] + (theta[:4, None] + theta[None, :4]) / 2,
                theta[None, :4] + 0 * theta[:4, None],
            ],
            axis=-1,
        )
        return -(counts * (worth - np.logaddexp.reduce(worth, axis=-1, keepdims=True))).sum() + theta[:4].sum() ** 2

    best = minimize(loss, np.zeros(6), method="BFGS", options={"gtol": 1e-7}).x
    np.testing.assert_allclose([*found.strength, found.tie[0], found.order[0]], best, atol=2e-4)
    assert found.order[1] < found.order[0] < found.order[2]


def test_what_doesn_t_depend_on_how_matches_are_written(matches):
    names = [f"b{i}" for i in range(4)]
    ours = contrasts(matches, names, order=False)
    turned = matches.rename(columns={"a": "b", "b": "a"}).assign(outcome=-matches["outcome"])
    shuffled = turned.sample(frac=1, random_state=0).set_axis([0] * len(turned))
    pd.testing.assert_frame_equal(contrasts(shuffled, names, order=False).pairs, ours.pairs)
    assert contrasts(matches, names[::-1], order=False).ranked == ours.ranked


def by_enumeration(won, i, j):
    """All ways to hand out what i and j won against others, and between themselves."""
    others = [k for k in range(len(won)) if k not in (i, j) and won[i, k] + won[k, i] and won[j, k] + won[k, j]]
    direct = int(won[i, j] + won[j, i])
    games = [
        (["i"] * int(won[i, k] + won[k, i]) + ["j"] * int(won[j, k] + won[k, j]), int(won[i, k] + won[j, k]))
        for k in others
    ]
    hits = int(won[i, j] + sum(won[i, k] for k in others))
    counts = {}
    for sides in itertools.product((0, 1), repeat=direct):
        for picks in itertools.product(*(itertools.combinations(range(len(own)), n) for own, n in games)):
            got = sum(sides) + sum(own[p] == "i" for (own, _), pick in zip(games, picks, strict=True) for p in pick)
            counts[got] = counts.get(got, 0) + 1
    total = sum(counts.values())
    tails = [sum(n for got, n in counts.items() if (got <= hits if low else got >= hits)) for low in (True, False)]
    return min(1.0, 2 * min(tails) / total)


def test_the_exact_test_is_that_by_enumeration():
    rng = np.random.default_rng(1)
    for _ in range(20):
        won = rng.integers(0, 3, (4, 4)).astype(float)
        np.fill_diagonal(won, 0)
        assert exchange_test(won, 0, 1) == pytest.approx(by_enumeration(won, 0, 1))
    assert exchange_test(np.array([[0.0, 6.0], [0.0, 0.0]]), 0, 1) == pytest.approx(2 / 64)


def test_unbeaten_is_not_certain(matches_of):
    """Ten choices, all won: as wide as Clopper and Pearson's."""
    rows = matches_of("ab+ ba- " * 5).assign(conversation_id=range(10), worker_id=range(10))
    found = contrasts(rows, ["a", "b"])
    assert found.score_ci[0].tolist() == pytest.approx([0.6915, 1.0], abs=1e-4)
    assert found.pairs["p"][0] >= 2 / 2**10
    assert np.isnan(found.pairs[["low", "high"]].to_numpy()).all()


def test_a_steep_pair_is_found_by_its_own_matches(matches_of):
    """27 of 28 decided: the error of its difference is so large that Wald's test alone would find nothing sure."""
    rows = matches_of("ab+ ba- " * 13 + "ab+ ab- ").assign(conversation_id=range(28), worker_id=range(28))
    found = contrasts(rows, ["a", "b"], order=False)
    wald = abs(found.pairs["difference"][0]) / found.pairs["se"][0]
    assert 2 * student.sf(wald, 27) > 0.001
    assert found.pairs["p"][0] == pytest.approx(binomtest(27, 28).pvalue)


def test_too_few_say_so_in_words(matches_of):
    one = contrasts(matches_of("ab+ ab- ab+ ab=").assign(conversation_id=0, worker_id=range(4)), ["a", "b"])
    assert np.isnan(one.pairs["p"]).all()
    assert one.places.tolist() == [[1, 2], [1, 2]]
    assert "too few conversations or annotators" in one.why
    apart = contrasts(matches_of("ab+ ab- cd+ cd-"), list("abcd"))
    assert "never compared" in apart.why
    assert apart.clusters is None
    assert win_rate_intervals(matches_of("ab+ ab- cd+ cd-"), apart).shape == (4, 2)


def test_bad_input_is_named(matches):
    with pytest.raises(ValueError, match="level is 95"):
        contrasts(matches, [f"b{i}" for i in range(4)], level=95)
    with pytest.raises(ValueError, match="column 'a' holds 'b"):
        contrasts(matches, ["b0", "b1"])
    with pytest.raises(ValueError, match="workers: row 0 is missing"):
        contrasts(matches.assign(worker_id=[None, *matches["worker_id"][1:]]), [f"b{i}" for i in range(4)])


def test_the_released_data(released):
    """TrueSkill's overlapping ranges leave GPT, BR | S2, DR; contrasts say more of each."""
    matches = matches_frame(released("dailydialog")).reset_index(drop=True)
    found = contrasts(matches, ["GPT", "BR", "S2", "DR"])
    assert found.ranked == ["GPT", "BR", "S2", "DR"]
    apart = {(row.a, row.b) for row in found.pairs.itertuples() if row.p_adjusted < 0.05}
    assert {("GPT", "DR"), ("BR", "DR"), ("BR", "S2")} <= apart
    assert found.places[0][0] == 1
    assert found.places[3][1] == 4


DESIGNS = {
    # bots, conversations a pair, annotators of each, annotators: the sizes and their corners
    "6 bots, 20 x 2, 30 annotators": (6, 20, 2, 30, 1000, {}),
    "6 bots, 45 x 6, 40 annotators": (6, 45, 6, 40, 300, {}),
    "20 bots, 1 x 3, 40 annotators": (20, 1, 3, 40, 300, {}),
    "6 bots, 10 x 3, 8 annotators": (6, 10, 3, 8, 1000, {}),
    "6 bots, 10 x 3, 5 annotators": (6, 10, 3, 5, 1000, {"unequal": 0.3}),
    "6 bots, 20 x 1, one annotator": (6, 20, 1, 1, 1000, {"taste": 0.0}),
    "6 bots, 4 x 3, a judge": (6, 4, 3, 3, 1000, {"taste": 0.0, "crossed": False}),
    "2 bots, 100 x 3, 20 annotators": (2, 100, 3, 20, 1000, {}),
    "2 bots, 40 x 2, 30 annotators, very unequal": (2, 40, 2, 30, 1000, {"unequal": 1.2}),
}


def simulate(theta, per_pair, each, people, studies, *, crossed=True, seed=1, **how):
    """Coverage, width over need, share known, share of declared pairs, share of studies with one, by studies."""
    rng = np.random.default_rng(seed)
    names = [f"b{i}" for i in range(len(theta))]
    true = davidson(WinMatrix(tuple(names), expected_counts(theta, **how) * 1e4)).strength
    i, j = np.triu_indices(len(theta), 1)
    gaps = true[i] - true[j]
    rows = [
        contrasts(study(rng, theta, per_pair, each, people, **how), names, crossed=crossed).pairs
        for _ in range(studies)
    ]
    found, low, high, p = (np.array([own[c] for own in rows]) for c in ("difference", "low", "high", "p_adjusted"))
    known = np.isfinite(low)
    width = np.nanmean(high - low) / (3.92 * np.nanstd(np.where(known, found, np.nan), axis=0)).mean()
    declared = np.nan_to_num(p, nan=1.0) < 0.05
    return ((low <= gaps) & (gaps <= high))[known].mean(), width, known.mean(), declared.mean(), declared.any(1).mean()


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_many_designs(name):
    bots, per_pair, each, people, studies, how = DESIGNS[name]
    spread = 0.5 * np.linspace(-1, 1, bots)
    cover, width, known, power, _ = simulate(spread, per_pair, each, people, studies, **how)
    *_, wrong = simulate(np.zeros(bots), per_pair, each, people, studies, **how)
    print(f"{name}: coverage {cover:.3f}, width {width:.2f}, known {known:.2f}, power {power:.2f}, false {wrong:.3f}")
    assert 0.93 <= cover <= 0.975
    assert wrong <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / studies)
    # With few annotators nothing but a wide interval is honest: Student's t with their number less one.
    assert width <= (1.10 if people >= 30 or people == 1 or not how.get("crossed", True) else 1.75)


def test_a_small_study_is_honest():
    cover, width, *_ = simulate(0.5 * np.linspace(-1, 1, 5), 12, 2, 25, 90)
    assert 0.92 <= cover <= 0.98
    assert width < 1.2
    *_, wrong = simulate(np.zeros(5), 12, 2, 25, 90)
    assert wrong <= 0.08


@pytest.mark.slow
@pytest.mark.parametrize("per_pair", [1, 2, 3, 4])
def test_win_rates_of_a_judge(per_pair):
    """A few conversations a pair, six answers of one judge each: .98, .97, .96, .95; a bootstrap within pairs covered
    0, .77, .85, .90."""
    rng, theta = np.random.default_rng(2), 0.7 * np.linspace(-1, 1, 6)
    names, how = [f"b{i}" for i in range(6)], {"taste": 0.0}
    truth = win_rates(WinMatrix(tuple(names), expected_counts(theta, **how)))
    ends = []
    for _ in range(1000):
        rows = study(rng, theta, per_pair, 6, 6, **how)
        ends.append(win_rate_intervals(rows, contrasts(rows, names, crossed=False)))
    ends = np.array(ends)
    known = np.isfinite(ends[..., 0])
    share = ((ends[..., 0] <= truth) & (truth <= ends[..., 1]))[known].mean()
    print(per_pair, share, known.mean())
    assert 0.93 <= share <= 0.99


def spread_over(matches, groups):
    """The same matches, in conversations of their own, by so many annotators of their own."""
    return matches.assign(conversation_id=range(len(matches)), worker_id=np.arange(len(matches)) % groups)


def test_win_rates_of_matches_that_share_nothing_by_hand(matches_of):
    """Each match moves a rate by its share of it, times how far its outcome was from what the strengths expect."""
    rows = spread_over(matches_of("ab+ " * 9 + "ba+ " * 4 + "ab= ba= " + "ac+ " * 5 + "ca+ " * 3 + "bc+ cb= "), 64)
    found = contrasts(rows, list("abc"))
    got, rates = win_rate_intervals(rows, found, 0.9), win_rates(win_matrix(rows, list("abc")))
    decided = {("a", "b"): 13, ("a", "c"): 8, ("b", "c"): 1}
    for place, name in enumerate("abc"):
        moves, weights = [], []
        for a, b, outcome in zip(rows["a"], rows["b"], rows["outcome"], strict=True):
            if name not in (a, b):
                continue
            weight = 1 / (2 * decided[min(a, b), max(a, b)])
            ours = found.strength[place] - found.strength["abc".index(b if name == a else a)]
            won = (outcome > 0) == (name == a)
            weights.append(weight)
            moves.append(weight * (won - expit(ours)) * (outcome != 0))
        part = np.square(weights) / np.square(weights).sum()
        variance = (np.square(moves) / (1 - part)).sum()
        reach = student.ppf(0.95, 1 / (part @ part) - 1) * np.sqrt(variance) / (rates[place] * (1 - rates[place]))
        np.testing.assert_allclose(got[place], expit(logit(rates[place]) + np.array([-reach, reach])))


def test_win_rates_at_the_ends_and_of_too_few_pairs(matches_of):
    always = spread_over(matches_of("ab+ ba- " * 5 + "bc+ cb+ bc- ac+ ca- " * 4), 40)
    low, high = win_rate_intervals(always, contrasts(always, list("abc")))[0]
    assert (low, high) == pytest.approx((0.025 ** (1 / 18), 1.0))  # Clopper and Pearson's of 18 of 18
    # d won and lost against a, and only tied with b and c: its rate is not one against all of them.
    rows = spread_over(matches_of("ab+ ba+ ac+ ca+ bc+ cb+ ad+ da+ bd= cd= " * 5), 50)
    ends = win_rate_intervals(rows, contrasts(rows, list("abcd")))
    assert np.isnan(ends[3]).all()
    assert np.isfinite(ends[:3]).all()


def test_conversations_won_are_counted_whole(matches_of):
    """A conversation is won by whom more of its matches favour, whoever is named first; one that is even, by nobody."""
    text = "ab+ ab+ ab- ab+ ba+ ba+ ba- ab- ac+ ca- bc= cb- cb+ cb+ "
    talk = [0, 0, 0, 1, 1, 2, 3, 3, 4, 5, 6, 6, 7, 7]
    rows = matches_of(text * 6).assign(worker_id=np.arange(84) % 17)
    rows["conversation_id"] = np.concatenate([np.array(talk) + 8 * i for i in range(6)])
    won = np.array([[0, 1, 2], [1, 0, 1], [0, 1, 0]]) * 6
    assert contrasts(rows, list("abc")).won.tolist() == won.tolist()


def test_what_is_corrected_is_the_p_with_its_exact_floor(matches_of):
    rows = spread_over(matches_of("ab+ ba- ac+ ca- ac+ " + "bc+ cb+ bc- cb- " * 5), 25)
    found = contrasts(rows, list("abc"))
    np.testing.assert_allclose(found.pairs["p_adjusted"], adjust(found.pairs["p"]))
    bare = found.estimates.pairs(count=3)["p"]
    for place, floor in enumerate([exchange_test(found.won, 0, 1), exchange_test(found.won, 0, 2), 0.0]):
        assert found.pairs["p"][place] == pytest.approx(max(bare[place], floor))
    assert (found.pairs["p"][:2] > bare[:2]).any()


def test_strengths_are_drawn_with_their_covariance(matches):
    names = [f"b{i}" for i in range(4)]
    found = contrasts(matches, names)
    drawn = found.draws(4000, np.random.default_rng(0))
    assert drawn.shape == (4000, 4)
    se = np.sqrt(np.diag(found.estimates.covariance)[:4])
    assert drawn.sum(axis=1).std() < 0.1 * se.min()
    assert (abs(drawn.mean(axis=0) - found.strength) < 0.1 * se).all()
    assert np.isnan(contrasts(matches[:0], names).draws(3, np.random.default_rng(0))).all()


def test_scores_are_shares_of_points_against_everybody():
    """In a balanced study what the model gives each is what it had: ties count half."""
    rows = study(np.random.default_rng(5), np.array([0.6, 0.0, -0.6]), 400, 2, 60)
    names = ["b0", "b1", "b2"]
    found = contrasts(rows, names, order=False)
    counts = win_matrix(rows, names)
    n = counts.wins + counts.wins.T + counts.ties
    np.testing.assert_allclose(found.score, ((counts.wins + counts.ties / 2).sum(axis=1) / n.sum(axis=1)), atol=1e-6)
    assert (found.score_ci[:, 0] < found.score).all()
    assert (found.score < found.score_ci[:, 1]).all()
    assert found.places.tolist() == [[1, 1], [2, 2], [3, 3]]
    assert [names[i] for i in np.argsort(-found.score)] == found.ranked


@pytest.mark.slow
def test_intervals_of_scores_hold():
    """1,000 studies of six bots: .95."""
    rng, theta, hits = np.random.default_rng(6), 0.5 * np.linspace(-1, 1, 6), []
    chances = expected_counts(theta)
    taken = chances[..., 0] + chances[..., 1] / 2
    truth = ((taken + np.where(chances.sum(-1) > 0, 1 - taken, 0).T).sum(axis=1)) / 10
    for _ in range(1000):
        low, high = contrasts(study(rng, theta, 20, 2, 40), [f"b{i}" for i in range(6)]).score_ci.T
        hits.append((low <= truth) & (truth <= high))
    print(np.mean(hits))
    assert 0.93 <= np.mean(hits) <= 0.97
