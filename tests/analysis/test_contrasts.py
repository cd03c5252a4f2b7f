"""Contrasts of Davidson's model: against statsmodels' logistic regression, numeric optima of the penalised likelihood
and its profile, properties of all forms of matches, and simulations by generators that are not the model
(`made_up_studies`).

What the simulations of `test_many_designs` gave: coverage of the 95 % intervals of the pairs' differences and their
width over 3.92 times the true standard deviation, of bots evenly spread and of equal ones; the share of pairs declared;
the share of null studies with any (Holm). With 1,000 studies a share of .05 is known to .007. Drop-out by bot can't be
corrected.

| design | studies | coverage | width | power | false |
| --- | --- | --- | --- | --- | --- |
| 6 bots, 20 x 2, 30 annotators | 1000 | .953, .952 | 1.04, 1.04 | .381 | .036 |
| 6 bots, 45 x 6, 40 annotators | 1000 | .953, .948 | 1.01, 1.01 | .632 | .030 |
| 20 bots, 1 x 3, 40 annotators | 500 | .957, .951 | 1.03, 1.03 | .024 | .026 |
| 6 bots, 10 x 3, 4 annotators, tastes 0.35 | 1000 | .957, .953 | 1.16, 1.16 | .080 | .027 |
| 6 bots, 10 x 3, 4 annotators, tastes 0.7 | 1000 | .962, .954 | 1.18, 1.18 | .014 | .020 |
| 6 bots, 10 x 3, 5 annotators, tastes 0.35 | 1000 | .959, .956 | 1.11, 1.13 | .111 | .016 |
| 6 bots, 10 x 3, 5 annotators, tastes 0.7 | 1000 | .966, .957 | 1.13, 1.14 | .018 | .021 |
| 6 bots, 10 x 3, 8 annotators, tastes 0.35 | 1000 | .953, .952 | 1.05, 1.07 | .187 | .023 |
| 6 bots, 10 x 3, 8 annotators, tastes 0.7 | 1000 | .962, .953 | 1.07, 1.08 | .037 | .018 |
| 6 bots, 10 x 3, 12 annotators, tastes 0.35 | 1000 | .956, .955 | 1.06, 1.06 | .234 | .037 |
| 6 bots, 10 x 3, 12 annotators, tastes 0.7 | 1000 | .962, .956 | 1.07, 1.07 | .059 | .027 |
| 6 bots, 10 x 3, 30 annotators, tastes 0.35 | 1000 | .955, .950 | 1.03, 1.03 | .359 | .039 |
| 6 bots, 10 x 3, 30 annotators, tastes 0.7 | 1000 | .956, .954 | 1.03, 1.04 | .158 | .025 |
| 6 bots, 20 x 1, one annotator | 1000 | .950, .951 | 0.99, 1.01 | .476 | .040 |
| 6 bots, 4 x 3, a judge | 1000 | .953, .951 | 1.01, 1.03 | .221 | .030 |
| 2 bots, 100 x 3, 20 annotators | 1000 | .965, .965 | 1.12, 1.21 | .996 | .035 |
| 2 bots, 40 x 2, very unequal annotators | 1000 | .972, .950 | 1.02, 1.28 | .929 | .049 |
| 2 bots, 20 x 3, 4 annotators | 1000 | .993, .965 | 1.33, 1.56 | .609 | .035 |
| 3 bots, 1 x 6, 12 annotators | 1000 | .987, .975 | 3.17, 3.71 | .026 | .018 |
| 3 bots, 2 x 2, 10 annotators | 1000 | .992, .982 | 1.49, 1.51 | .015 | .006 |
| 9 bots, 1 to 5 votes, 60 annotators | 1000 | .971, .961 | 1.08, 1.09 | .022 | .016 |
| 9 bots, 1 to 5 votes, 20 annotators | 1000 | .972, .959 | 1.10, 1.12 | .007 | .017 |
| 60 bots, 1 to 2 votes, 200 annotators | 32 | .955, .953 | 1.04, 1.04 | .053 | .031 |
| pairs of 200 votes and of 5 | 1000 | .954, .957 | 1.04, 1.05 | .660 | .034 |
| 13 recurring prompts, 10 bots | 1000 | .955, .951 | 1.04, 1.04 | .047 | .034 |
| fixed order | 1000 | .956, .953 | 1.03, 1.03 | .370 | .035 |
| order 70 to 30 | 1000 | .952, .952 | 1.01, 1.02 | .469 | .034 |
| 80 % ties | 1000 | .950, .944 | 0.99, 0.96 | .346 | .038 |
| one annotator with 40 % | 1000 | .970, .975 | 1.45, 1.47 | .150 | .008 |
| drop-out by bot | 1000 | .893, .893 | 1.03, 1.04 | .377 | .151 |
| side by side, shown three times | 1000 | .974, .965 | 1.15, 1.16 | .015 | .013 |
| side by side, shown three times to three | 1000 | .962, .953 | 1.08, 1.08 | .034 | .025 |
| side by side, 5 conversations of 3 bots | 1000 | .978, .955 | 1.16, 1.21 | .096 | .040 |
"""

import random

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logit
from scipy.stats import chi2

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.ranking import WinMatrix, contrasts, win_rate_intervals, win_rates
from parlai_spotbot.analysis.ranking.contrasts import leave_one_out
from parlai_spotbot.analysis.ranking.davidson_algebra import PairedCounts
from parlai_spotbot.analysis.ranking.wins import conversations_decided
from parlai_spotbot.analysis.uncertainty.estimates import differences
from tests.analysis.made_up_studies import DESIGNS, expected_counts, places_of, simulated, study


@pytest.fixture(scope="module")
def matches():
    return study(np.random.default_rng(0), np.array([0.5, 0.0, -0.2, -0.3]), 60, 3, 40)


def test_large_samples_agree_with_logistic_regression_with_two_way_errors():
    """Without ties and order the model is a logistic regression; with many clusters corrections hardly count."""
    rows = study(np.random.default_rng(0), np.array([0.5, 0.0, -0.2, -0.3]), 300, 3, 150)
    rows = rows[rows["outcome"] != 0].reset_index(drop=True)
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
    np.testing.assert_allclose(found.strength[1:] - found.strength[0], fit.params, atol=0.01)
    np.testing.assert_allclose(found.pairs["se"].to_numpy()[:3], np.sqrt(np.diag(fit.cov_params())), rtol=0.1)
    alone = sm.Logit((rows["outcome"] > 0).astype(float), design[:, 1:]).fit(disp=0)
    single = contrasts(rows.assign(conversation_id=range(len(rows)), worker_id=range(len(rows))), names, order=False)
    np.testing.assert_allclose(single.pairs["se"].to_numpy()[:3], alone.bse, rtol=0.01)


def penalised(counts, order, held=None):
    """Minus the penalised log-likelihood of counts (K, K, 3), written out; `held` makes two strengths equal."""
    size = len(counts)

    def loss(theta):
        strength = theta[:size] - theta[:size].mean()
        if held:
            strength = strength.copy()
            strength[list(held)] = strength[list(held)].mean()
        eta, gamma = theta[size], theta[size + 1] * order
        value, information = 0.0, np.zeros((size + 2, size + 2))
        for i in range(size):
            for j in range(size):
                worth = np.array([strength[i] + gamma, eta + (strength[i] + strength[j]) / 2, strength[j]])
                chance = np.exp(worth - np.logaddexp.reduce(worth))
                value += (counts[i, j] * np.log(chance)).sum() if i != j else 0.0
                x = np.zeros((3, size + 2))
                x[0, i], x[0, -1], x[1, [i, j]], x[1, size], x[2, j] = 1, order, 0.5, 1, 1
                if i != j:
                    information += counts[i, j].sum() * x.T @ (np.diag(chance) - np.outer(chance, chance)) @ x
        information[:size, :size] += 1.0
        kept = np.arange(size + 1 + order)
        penalty = np.linalg.slogdet(information[np.ix_(kept, kept)])[1] / 2
        return -value - penalty + (theta[:size].sum() ** 2 + (0 if order else theta[-1] ** 2))

    return loss


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6), st.booleans())
def test_penalised_fits_and_likelihood_ratios_are_at_numeric_optima(seed, order):
    """Small and separated counts: one contestant won everything."""
    counts = np.random.default_rng(seed).integers(0, 3, (4, 4, 3)).astype(float)
    counts[np.arange(4), np.arange(4)] = 0
    counts[0, :, 1:] = counts[:, 0, :2] = 0
    counts[0, 1, 0] += 1
    counts[1, 2] += 1
    model = PairedCounts.from_counts(counts, order)
    theta = model.maximise(np.zeros(model.parameters))
    best = minimize(penalised(counts, order), np.zeros(6), method="BFGS", options={"gtol": 1e-8})
    np.testing.assert_allclose(theta[:4] - theta[:4].mean(), best.x[:4] - best.x[:4].mean(), atol=1e-4)
    contrast = np.zeros((1, model.parameters))
    contrast[0, :2] = 1, -1
    equal = minimize(penalised(counts, order, held=(0, 1)), np.zeros(6), method="BFGS", options={"gtol": 1e-8})
    ratios = model.likelihood_ratios(theta, list(model.restricted(theta, contrast)))
    assert ratios[0] == pytest.approx(2 * (equal.fun - best.fun), abs=1e-4)


@pytest.mark.parametrize("matches", [10, 10_000, 10_000_000])
def test_fits_take_as_many_steps_however_many_matches_there_are(matches, monkeypatch):
    """Where a large difference is held at 0 the likelihood rises steeply, and rounding is no sign that it goes on."""
    strength = np.linspace(2, -2, 12)
    won = 1 / (1 + np.exp(strength - strength[:, None]))
    counts = np.round(matches * np.stack([0.8 * won, np.full_like(won, 0.2), 0.8 * (1 - won)], axis=-1))
    counts[np.arange(12), np.arange(12)] = 0
    model = PairedCounts.from_counts(counts, order=True)
    theta = model.maximise(np.zeros(model.parameters))
    steps, score = [], PairedCounts.score
    monkeypatch.setattr(PairedCounts, "score", lambda *given: steps.append(1) or score(*given))
    assert len(list(model.restricted(theta, differences(12, model.parameters)))) == 1
    assert len(steps) < 20


def test_unbeaten_is_not_certain(matches_of):
    """Ten choices, all won: as wide as Clopper and Pearson's, and an estimate within."""
    rows = matches_of("ab+ ba- " * 5).assign(conversation_id=range(10), worker_id=range(10))
    found = contrasts(rows, ["a", "b"], order=False)
    assert found.score_ci[0].tolist() == pytest.approx([0.6915, 1.0], abs=1e-4)
    # Firth's estimate of a logit is that of half a win and half a loss more.
    assert found.pairs["difference"][0] == pytest.approx(np.log(10.5 / 0.5))
    value = [10.5 * np.log(p) + 0.5 * np.log(1 - p) for p in (10.5 / 11, 0.5)]
    assert found.pairs["p_errors"][0] == pytest.approx(chi2.sf(2 * (value[0] - value[1]), 1), rel=1e-4)
    assert found.pairs["p"][0] == pytest.approx(2 * 0.5**10)
    assert 0 < found.pairs["low"][0] < found.pairs["difference"][0] < found.pairs["high"][0] == np.inf


def test_too_few_say_so_in_words(matches_of):
    one = contrasts(matches_of("ab+ ab- ab+ ab= ab+").assign(conversation_id=0, worker_id=range(5)), ["a", "b"])
    assert places_of(one).tolist() == [[1, 2], [1, 2]]
    ties = contrasts(matches_of("ab= " * 6), ["a", "b"])
    assert "no match was decided" in ties.why
    assert np.isnan(ties.pairs["p"]).all()
    none = contrasts(matches_of("ab+ ")[:0], ["a", "b"])
    assert (none.ranked, none.why) == ([], "no match")


def test_groups_that_never_met_are_ranked_by_themselves(matches_of):
    """Within a group as if the other weren't there, between groups nothing."""
    text = "ab+ ba- " * 8 + "cd+ cd- de+ ce+ " * 5
    found = contrasts(spread_over(matches_of(text), 96), list("abcde"))
    assert sorted(map(sorted, found.groups)) == [["a", "b"], ["c", "d", "e"]]
    assert places_of(found)[:2].tolist() == [[1, 1], [2, 2]]
    assert found.group.tolist() == [1, 1, 0, 0, 0]
    alone = contrasts(spread_over(matches_of("ab+ ba- " * 8), 96), ["a", "b"])
    np.testing.assert_allclose(found.strength[:2], alone.strength)
    assert found.pairs["p"][0] == pytest.approx(alone.pairs["p"][0])
    between = [{row.a, row.b} & set("ab") and {row.a, row.b} & set("cde") for row in found.pairs.itertuples()]
    assert found.pairs["p"].isna().tolist() == [bool(x) for x in between]
    assert (places_of(found)[2:, 1] <= 3).all()


def test_who_has_too_few_matches_takes_no_place_and_widens_nobody(matches_of):
    text = "ab+ ab+ ba+ bc+ bc- ac+ cb+ " * 6
    rows = spread_over(matches_of(text), 50)
    more = spread_over(matches_of(text + "da+ da+ db+ "), 50)
    without, found = contrasts(rows, list("abc")), contrasts(more, list("abcd"))
    assert found.too_few == {"d": 3}
    assert found.ranked == without.ranked
    np.testing.assert_allclose(found.score_ci[:3], without.score_ci)
    assert np.isnan(found.score[3])
    assert places_of(found)[3].tolist() == [0, 0]
    tiny = contrasts(spread_over(matches_of("ab+ ab- bc+"), 9), list("abc"))
    assert tiny.too_few == {}  # nobody has more: nobody is left out


def test_the_order_effect_needs_pairs_seen_in_both_orders(matches_of):
    fixed = spread_over(matches_of("ab+ " * 20 + "ac+ " * 20 + "bc+ bc- " * 10), 60)
    found = contrasts(fixed, list("abc"))
    assert found.order_share == 0
    assert np.isfinite(found.order).all()  # of three the differences add up, which tells it from strength
    assert found.pairs["p"][2] == pytest.approx(1.0)
    two = contrasts(spread_over(matches_of("ab+ " * 20), 60), list("ab"))
    assert np.isnan(two.order).all()
    assert two.pairs["p"][0] < 0.001
    assert np.isnan(two.pairs["p_adjusted"][0])  # the first place alone could bring that about
    assert places_of(two).tolist() == [[1, 2], [1, 2]]
    other = "ab+ " * 20 + "ac+ " * 20 + "bc+ cb- bc- cb+ " * 5  # a is always first; b and c aren't
    found = contrasts(spread_over(matches_of(other), 60), list("abc"))
    assert found.pairs["p_adjusted"].isna().tolist() == [False, False, False]
    both = spread_over(matches_of("ab+ ba+ ab+ ba+ ab- " * 8 + "ac+ ca+ " * 2 + "bc+ bc- " * 3), 60)
    found = contrasts(both, list("abc"))
    assert found.order_share == pytest.approx(44 / 50)
    assert np.isfinite(found.order).all()


FORMS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.sampled_from([-1, 0, 1]), st.integers(0, 9), st.integers(0, 5)),
    max_size=60,
)


def matches_from(rows):
    rows = [row for row in rows if row[0] != row[1]]
    frame = pd.DataFrame(rows, columns=["a", "b", "outcome", "conversation_id", "worker_id"])
    return frame.assign(a=[f"n{i}" for i in frame["a"]], b=[f"n{i}" for i in frame["b"]])


TIED = [(0, 4, -1, 1, 0), (4, 3, 0, 2, 1), (4, 1, 1, 0, 2), (4, 0, -1, 2, 1), (4, 0, 1, 1, 0)]
"""Scores of clusters that are 0 but for rounding, which depends on the contestants' names."""


def swapped(rows):
    return rows.rename(columns={"a": "b", "b": "a"}).assign(outcome=-rows["outcome"])[list(rows)]


@settings(max_examples=25, deadline=None)
@given(FORMS, st.permutations(range(5)), st.randoms(use_true_random=False))
@example([(0, 1, 0, 0, 0), (0, 2, 1, 0, 0), (1, 0, 1, 0, 0)], list(range(5)), random.Random(0))
def test_how_matches_are_written_changes_nothing(rows, turned, random):
    """Columns swapped, contestants renamed, rows permuted: the same places, p-values and estimates; and no estimate
    outside its interval."""
    rows, names = matches_from(rows), [f"n{i}" for i in range(5)]
    found = contrasts(rows, names)
    order = list(range(len(rows)))
    random.shuffle(order)
    renamed = {name: f"m{turned[i]}" for i, name in enumerate(names)}
    others = {
        "swapped": (contrasts(swapped(rows), names), names),
        "permuted": (contrasts(rows.iloc[order], names), names),
        "renamed": (contrasts(rows.replace({"a": renamed, "b": renamed}), sorted(renamed.values())), None),
    }
    for what, (other, _) in others.items():
        label = renamed if what == "renamed" else dict(zip(names, names, strict=True))
        at = [other.names.index(label[name]) for name in names]
        np.testing.assert_allclose(other.strength[at], found.strength, atol=1e-5, err_msg=what)
        np.testing.assert_allclose(other.score_ci[at], found.score_ci, atol=1e-5, err_msg=what)
        assert (places_of(other)[at] == places_of(found)).all(), what
        p = {frozenset((row.a, row.b)): row.p for row in other.pairs.itertuples()}
        theirs = [p[frozenset((label[row.a], label[row.b]))] for row in found.pairs.itertuples()]
        np.testing.assert_allclose(theirs, found.pairs["p"], atol=1e-3, err_msg=what)
    known = found.pairs[found.pairs["low"].notna()]
    assert ((known["low"] <= known["difference"]) & (known["difference"] <= known["high"])).all()
    assert ((known["low"] > 0) | (known["high"] < 0) == (known["p"] < 0.05)).all()
    for row in found.pairs[found.pairs["p_adjusted"] >= 0.05].itertuples():
        (low, high), (other_low, other_high) = (found.score_ci[names.index(name)] for name in (row.a, row.b))
        assert max(low, other_low) <= min(high, other_high) + 1e-12  # intervals of two not told apart touch
    inside = np.isfinite(found.score_ci[:, 0])
    assert (found.score_ci[inside, 0] <= found.score[inside]).all()
    assert (found.score[inside] <= found.score_ci[inside, 1]).all()


def test_names_do_not_decide_what_rounding_says():
    test_how_matches_are_written_changes_nothing.hypothesis.inner_test(TIED, [4, 2, 3, 0, 1], random.Random(0))


def test_a_lead_that_one_annotator_carries_is_told(matches_of):
    rows = matches_of("ab+ ba- " * 20 + "ab+ ab- ba+ ba- " * 5).assign(conversation_id=range(60))
    rows["worker_id"] = ["one"] * 40 + [f"w{i}" for i in range(20)]
    assert places_of(contrasts(rows, ["a", "b"])).tolist() == [[1, 2], [1, 2]]  # it is one annotator's word
    rows["worker_id"] = ["one"] * 12 + [f"w{i % 12}" for i in range(48)]
    found = leave_one_out(contrasts(rows, ["a", "b"]), "a")
    assert found["leader"] == "a"
    assert found["annotators"]["total"] == 13
    assert found["annotators"]["carry"] == 0
    decided = rows.assign(outcome=[*rows["outcome"][:12], *[0] * 48])  # all by one of nine
    decided["worker_id"] = ["one"] * 12 + [f"w{i % 8}" for i in range(48)]
    assert leave_one_out(contrasts(decided, ["a", "b"]), "a")["annotators"]["carry"] == 1


def test_the_released_data(released):
    """TrueSkill's overlapping ranges leave GPT, BR | S2, DR; contrasts say more of each."""
    matches = matches_frame(released("dailydialog")).reset_index(drop=True)
    found = contrasts(matches, ["GPT", "BR", "S2", "DR"])
    assert found.ranked == ["GPT", "BR", "S2", "DR"]
    apart = {(row.a, row.b) for row in found.pairs.itertuples() if row.p_adjusted < 0.05}
    assert {("GPT", "DR"), ("BR", "DR"), ("BR", "S2")} <= apart
    assert places_of(found)[0][0] == 1
    assert places_of(found)[3][1] == 4


@pytest.mark.timeout(1800)
@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_many_designs(name):
    design = DESIGNS[name]
    found = simulated(design)
    print(f"{name}: {found}")
    assert found.false <= design.most_false + 2 * np.sqrt(0.05 * 0.95 / design.studies)
    for cover, width in ((found.cover, found.width), (found.cover_null, found.width_null)):
        if np.isnan(cover):  # one conversation of a pair: nothing is said
            continue
        assert design.least_cover <= cover <= design.most_cover
        assert width <= design.most_width
    assert found.power >= design.least_power


def test_a_small_study_is_honest():
    found = simulated(DESIGNS["6 bots, 20 x 2, 30 annotators"], studies=60)
    assert 0.92 <= found.cover <= 0.98
    assert found.width < 1.2
    assert found.false <= 0.1


@pytest.mark.slow
@pytest.mark.parametrize("per_pair", [1, 3])
def test_win_rates_of_a_judge(per_pair):
    """A few conversations a pair, six answers of one judge each: .98, .96; a bootstrap within pairs covered 0, .85."""
    rng, theta = np.random.default_rng(2), 0.7 * np.linspace(-1, 1, 6)
    names, how = [f"b{i}" for i in range(6)], {"taste": 0.0}
    truth = win_rates(WinMatrix(tuple(names), expected_counts(theta, **how)))
    ends = []
    for _ in range(1000):
        rows = study(rng, theta, per_pair, 6, 6, **how)
        ends.append(win_rate_intervals(contrasts(rows, names, crossed=False)))
    ends = np.array(ends)
    known = np.isfinite(ends[..., 0])
    share = ((ends[..., 0] <= truth) & (truth <= ends[..., 1]))[known].mean()
    print(per_pair, share, known.mean())
    assert 0.93 <= share <= 0.99


def spread_over(matches, groups):
    """The same matches, in conversations of their own, by so many annotators of their own."""
    return matches.assign(conversation_id=range(len(matches)), worker_id=np.arange(len(matches)) % groups)


def test_win_rates_at_the_ends_and_of_too_few_pairs(matches_of):
    always = spread_over(matches_of("ab+ ba- " * 5 + "bc+ cb+ bc- ac+ ca- " * 4), 40)
    low, high = win_rate_intervals(contrasts(always, list("abc")))[0]
    assert (low, high) == pytest.approx((0.025 ** (1 / 18), 1.0))  # Clopper and Pearson's of 18 of 18
    # d won and lost against a, and only tied with b and c: its rate is not one against all of them.
    rows = spread_over(matches_of("ab+ ba+ ac+ ca+ bc+ cb+ ad+ da+ bd= cd= " * 5), 50)
    ends = win_rate_intervals(contrasts(rows, list("abcd")))
    assert np.isnan(ends[3]).all()
    assert np.isfinite(ends[:3]).all()


def test_intervals_of_many_independent_matches_are_those_of_a_share(matches_of):
    rows = spread_over(matches_of("ab+ ab+ ba- ba+ " * 100), 400)
    low, high = logit(win_rate_intervals(contrasts(rows, ["a", "b"]))[0])
    assert 1 <= (high - low) / (2 * 1.96 / np.sqrt(400 * 0.75 * 0.25)) <= 1.2  # small-sample corrections widen it


def test_conversations_won_are_counted_whole(matches_of):
    """A conversation is won by whom more of its matches favour, whoever is named first; one that is even, by nobody."""
    text = "ab+ ab+ ab- ab+ ba+ ba+ ba- ab- ac+ ca- bc= cb- cb+ cb+ "
    talk = [0, 0, 0, 1, 1, 2, 3, 3, 4, 5, 6, 6, 7, 7]
    rows = matches_of(text * 6).assign(worker_id=np.arange(84) % 17)
    rows["conversation_id"] = np.concatenate([np.array(talk) + 8 * i for i in range(6)])
    fit = contrasts(rows, list("abc"))
    assert conversations_decided(fit.codes, fit.clusters, 3).tolist() == [24, 24, 24]
    b_and_c = rows[rows["a"].isin(["b", "c"]) & rows["b"].isin(["b", "c"])]
    fit = contrasts(b_and_c, list("abc"))
    assert conversations_decided(fit.codes, fit.clusters, 3).tolist() == [0, 12, 12]


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
