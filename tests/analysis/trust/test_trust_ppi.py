"""Prediction-powered means: against ppi-python, by what must hold exactly, and over simulated studies.

The simulation's generator is none of the estimator's: answers are thresholds of latent preferences, with tastes of
annotators for contestants, luck of conversations, annotators of unequal activity, and true means by quadrature.
"""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from parlai_spotbot.analysis.trust.ppi import PoweredSample, mean, power
from parlai_spotbot.analysis.trust.ppi_savings import powered
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.estimates import mean_of
from parlai_spotbot.analysis.uncertainty.shares import Z
from parlai_spotbot.findings.trust_rows import trust_rows


# -- against ppi-python ------------------------------------------------------------------------------------------------
def independent(seed, n=40, more=100, slope=0.6):
    """A sample of which nobody shares a conversation or an annotator."""
    rng = np.random.default_rng(seed)
    judge = rng.normal(1.0, 2.0, n + more)
    people = slope * judge[:n] + rng.normal(size=n)
    return PoweredSample(people, judge[:n], range(n), ["only"] * n, judge[n:], range(n, n + more))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("given", [0.0, 0.35, 1.0, None])
def test_of_independent_rows_it_is_ppi_python(seed, given):
    """Point and interval, given λ and tuned; but for n / (n - 1) in the variance and t for normal."""
    ppi_py = pytest.importorskip("ppi_py")
    sample = independent(seed, slope=[0.6, 0.1, -0.5, 3.0][seed])
    tuned = power([sample]) if given is None else given
    own = mean(sample, tuned)
    asked = sample.people, sample.judge, sample.further
    assert own["estimate"] == pytest.approx(ppi_py.ppi_mean_pointestimate(*asked, lam=given).item(), abs=1e-8)
    low, high = (end.item() for end in ppi_py.ppi_mean_ci(*asked, alpha=0.05, lam=given))
    n = len(sample.people)
    weights, covariance = np.array([1.0, -tuned, tuned]), sample.estimates.covariance.copy()
    covariance[:2, :2] *= (n - 1) / n
    assert 2 * Z * np.sqrt(weights @ covariance @ weights) == pytest.approx(high - low, abs=1e-8)
    assert own["se"] == pytest.approx(np.sqrt(weights @ sample.estimates.covariance @ weights))
    assert own["df"] == pytest.approx(n - 1)


# -- what must hold exactly --------------------------------------------------------------------------------------------
def clustered(seed=0, homes=12, each=2, workers=5, further=30, low=-1, high=1):
    rng = np.random.default_rng(seed)
    home = np.repeat(np.arange(homes), each)
    who = np.concatenate([rng.choice(workers, each, replace=False) for _ in range(homes)])
    said = rng.integers(low, high + 1, homes).astype(float)
    people = np.where(rng.random(len(home)) < 0.6, said[home], rng.integers(low, high + 1, len(home)))
    more = rng.integers(low, high + 1, further).astype(float)
    # Half of the further items are of conversations that people saw, too.
    return PoweredSample(people, said[home], home, who, more, rng.integers(homes // 2, 3 * homes, further), (low, high))


def test_without_a_judge_it_is_peoples_mean_by_the_core():
    sample = clustered()
    own = mean(sample)
    core = mean_of(sample.people, Clusters.by(sample.conversations, sample.workers), bounds=(-1, 1))
    assert own["estimate"] == sample.people.mean()
    assert own["se"] == pytest.approx(core["se"])
    assert own["ci"] == pytest.approx(core["ci"])
    alone = PoweredSample(*vars_of(sample)[:4], np.array([]), [], (-1, 1))
    assert mean(alone, 0.7)["ci"] == pytest.approx(core["ci"])
    assert power([alone]) == 0


def vars_of(sample):
    return [
        sample.people,
        sample.judge,
        sample.conversations,
        sample.workers,
        sample.further,
        sample.further_conversations,
    ]


def test_what_a_judge_holds_for_somebody_cancels_out():
    sample = clustered(1)
    liked = PoweredSample(
        sample.people,
        sample.judge + 0.7,
        sample.conversations,
        sample.workers,
        sample.further + 0.7,
        sample.further_conversations,
        sample.bounds,
    )
    assert power([liked]) == pytest.approx(power([sample]))
    assert mean(liked, 0.4)["ci"] == pytest.approx(mean(sample, 0.4)["ci"])


def test_the_variance_is_the_sum_over_rows_that_share_anything():
    """Couple by couple: rows of one conversation, or of one annotator, each once; but for the correction for few."""
    sample, tuned = clustered(2, homes=400, workers=90, further=900), 0.3
    n, more = len(sample.people), len(sample.further)
    rest = sample.people - tuned * sample.judge
    scores = np.r_[(rest - rest.mean()) / n, tuned * (sample.further - sample.further.mean()) / more]
    home = np.r_[sample.conversations, sample.further_conversations]
    who = np.r_[sample.workers, -1 - np.arange(more)]
    share = (home[:, None] == home) | (who[:, None] == who)
    assert mean(sample, tuned)["se"] == pytest.approx(np.sqrt(scores @ share @ scores), rel=0.02)


def test_the_power_makes_variances_least():
    samples = [clustered(seed, homes=40, workers=9, further=80) for seed in range(5)]
    best = power(samples)
    assert 0.1 < best < 0.9

    def total(of):
        return sum(mean(sample, of)["se"] ** 2 for sample in samples)

    assert total(best) < min(total(0), total(1))
    assert total(best) < 1.005 * min(total(best - 0.08), total(best + 0.08))


def test_where_people_all_say_the_same_the_interval_is_an_exact_bound_with_or_without_the_judge():
    sample = clustered(3)
    alike = PoweredSample(np.ones_like(sample.people), *vars_of(sample)[1:], (-1, 1))
    assert mean(alike, 0.5) == mean(alike)
    low, high = mean(alike)["ci"]
    assert -1 < low < 0.9
    assert high == 1
    one = PoweredSample(
        np.array([1.0, 0.0]), np.array([1.0, 0.0]), ["c", "c"], ["v", "w"], np.ones(3), list("xyz"), (-1, 1)
    )
    assert np.isnan(mean(one, 0.5)["ci"]).all()


# -- all that is told --------------------------------------------------------------------------------------------------
def frames(samples):
    """People's and the judge's answers of samples, as `powered` wants them."""
    people, judge = [], []
    for group, own in enumerate(samples):
        home, further = np.asarray(own.conversations), np.asarray(own.further_conversations)
        first = np.unique(home, return_index=True)[1]
        people.append(
            pd.DataFrame(
                {"item": home, "x": own.people, "worker_id": own.workers, "group": str(group), "conversation_id": home}
            )
        )
        items = np.r_[home[first], 10**6 + np.arange(len(further))]
        judge.append(
            pd.DataFrame(
                {
                    "item": items,
                    "x": np.r_[own.judge[first], own.further],
                    "group": str(group),
                    "conversation_id": np.r_[home[first], further],
                }
            )
        )
    return pd.concat(people, ignore_index=True), pd.concat(judge, ignore_index=True)


def told(samples):
    return powered(*frames(samples), lambda group: {"of": group}, (-1, 1))


def test_all_that_is_told():
    samples = [clustered(seed, homes=40, workers=9, further=80) for seed in range(3)]
    found = told(samples)
    assert found["power"] == pytest.approx(power(samples))
    assert found["notice"] == ""
    low, high = found["slope_ci"]
    assert 0 < low < found["slope"] < high
    saved = found["saved"]
    assert saved["as_many"]["estimate"] < saved["ten_times"]["estimate"] < saved["endless"]["estimate"] < 1
    assert [saved[name]["ratings"] for name in ("at_hand", "as_many", "ten_times", "endless")] == [240, 240, 2400, None]
    for entry in saved.values():
        assert 0 <= entry["ci"][0] < entry["estimate"] < entry["ci"][1] < 1
        assert entry["annotations"] == pytest.approx(240 * entry["estimate"])
    for row, sample in zip(found["means"], samples, strict=True):
        alone, both = mean(sample), mean(sample, found["power"])
        assert row["n_people"] == row["n_judge_alone"] == 80
        assert (row["people"], row["both"]) == pytest.approx((alone["estimate"], both["estimate"]))
        assert (*row["people_ci"], *row["both_ci"]) == pytest.approx((*alone["ci"], *both["ci"]))
        assert row["width"] == pytest.approx(both["se"] / alone["se"])
        assert row["saved"] == pytest.approx(1 - row["width"] ** 2)


def test_what_a_judge_cannot_do_is_said():
    samples = [clustered(seed, homes=40, workers=9, further=80) for seed in range(3)]
    contrary = [
        PoweredSample(own.people, -own.judge, *vars_of(own)[2:4], -own.further, own.further_conversations)
        for own in samples
    ]
    found = told(contrary)
    assert found["power"] == 0
    assert {entry["estimate"] for entry in found["saved"].values()} == {0.0}
    assert found["notice"] == "unrelated"
    assert all(row["both_ci"] == row["people_ci"] for row in found["means"])
    same = [
        PoweredSample(own.people, 0 * own.judge, *vars_of(own)[2:4], 0 * own.further, own.further_conversations)
        for own in samples
    ]
    assert told(same)["notice"] == "same_of_all"
    assert "fewer than 30" in told([clustered(further=3, homes=10)])["why"]
    people, judge = frames(samples[:1])
    found = powered(people, judge[judge["item"] < 25], lambda group: {"of": group})  # people's answers without a rating
    assert found["means"][0]["people"] == pytest.approx(samples[0].people.mean())
    assert found["saved"]["at_hand"]["estimate"] == 0


def test_ratings_are_made_surer_by_contestant_and_contests_by_pair(world, trusted):
    own = world.make(bots=4, per_pair=16, seed=5)
    unseen = own.people["item_id"].str.endswith(("0", "1"))
    found = trusted(own, world.as_judge(own.people), people=own.people[~unseen])
    of = {criterion: entry["prediction_powered"]["means"] for criterion, entry in found["savings"].items()}
    assert [row["contestant"] for row in of["nature"]] == own.names
    assert [(row["a"], row["b"]) for row in of["better"]] == list(combinations(own.names, 2))
    for row in of["nature"]:
        assert row["n_judge_alone"] > 0
        assert 0 <= row["both_ci"][0] <= row["both"] <= row["both_ci"][1] <= 1
    assert "of contests alone" in found["savings"]["nature"]["why"]
    rows = [row for table, row in trust_rows(found) if table == "trust_means"]
    assert [row["criterion"] for row in rows] == ["nature"] * 4 + ["better"] * 6
    assert rows[4]["both"] == of["better"][0]["both"]
    by = {row["by"] for table, row in trust_rows(found) if table == "trust_savings" and row["criterion"] == "nature"}
    assert by == {"prediction-powered"}


# -- simulated studies -------------------------------------------------------------------------------------------------
STRENGTH = np.array([-0.9, -0.2, 0.3, 0.8])
A, B = np.array(list(combinations(range(4), 2))).T
FAVOUR = np.where(np.arange(len(A)) % 2, 1.8, -1.8)[:, None, None]
TIE, LUCK = 0.6, 0.8
KINDS = {
    "good": (1.5, 0.5, 0),
    "poor": (0.4, 1, 0),
    "favours pairs": (1.5, 0.5, 1),
    "contrary": (-1.5, 0.5, 0),
    "at chance": (0, 1, 0),
}
"""How much a judge goes by what people go by, how much by chance, and whether it favours some pairs."""

DESIGNS = {
    "ordinary": {},
    "small": {"homes": 8, "further": 4},
    "few people with strong tastes": {"workers": 5, "taste": 0.8},
    "one annotator an item": {"each": 1, "homes": 40},
    "further items in the same conversations": {"same": True},
}


def votes(latent, rng):
    latent = latent + rng.logistic(size=latent.shape)
    return np.where(latent > TIE, 1.0, np.where(latent < -TIE, -1.0, 0.0))


def truth(taste):
    """Each pair's share of wins less that of losses over further conversations and annotators, by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    latent = (STRENGTH[A] - STRENGTH[B])[:, None] + np.sqrt(LUCK**2 + 2 * taste**2) * nodes
    return (expit(latent - TIE) - expit(-latent - TIE)) @ weights / weights.sum()


def study(kind, rng, homes=20, each=2, further=3, workers=12, taste=0.5, same=False):
    """One sample a pair: `homes` conversations that people saw, and `further` times as many items of the judge's."""
    pairs = len(A)
    luck = LUCK * rng.normal(size=(pairs, homes, 1 if same else 1 + further))
    gap = np.broadcast_to((STRENGTH[A] - STRENGTH[B])[:, None, None] + luck, (pairs, homes, 1 + further))
    slope, noise, favours = KINDS[kind]
    latent = slope * gap + noise * rng.logistic(size=gap.shape) + favours * FAVOUR
    judge = np.where(latent > TIE, 1.0, np.where(latent < -TIE, -1.0, 0.0))
    active = np.log(rng.dirichlet(np.full(workers, 2.0))) + rng.gumbel(size=(pairs, homes, workers))
    who = np.argsort(-active, axis=2)[:, :, :each]
    tastes = taste * rng.normal(size=(workers, len(STRENGTH)))
    said = votes(gap[:, :, :1] + tastes[who, A[:, None, None]] - tastes[who, B[:, None, None]], rng)
    home = np.repeat(np.arange(homes), each)
    rest = np.repeat(np.arange(homes), further) + (0 if same else 1000 * (1 + np.tile(np.arange(further), homes)))
    return [
        PoweredSample(
            said[p].ravel(),
            judge[p, home, 0],
            home + 10**5 * p,
            who[p].ravel(),
            judge[p, :, 1:].ravel(),
            rest + 10**5 * p,
        )
        for p in range(pairs)
    ]


def simulated(kind, design, rounds, seed=0):
    """Over studies: coverage of people's intervals and of those with the judge, what is said to be saved, and what is
    (by the variances of the estimates), and the estimates' root mean square error by the standard error told."""
    rng, true = np.random.default_rng(seed), truth(DESIGNS[design].get("taste", 0.5))
    rows, saved, power = [], [], []
    for _ in range(rounds):
        found = told(study(kind, rng, **DESIGNS[design]))
        saved.append(found["saved"]["at_hand"]["estimate"])
        power.append(found["power"])
        rows.append([(row["people"], row["both"], *row["people_ci"], *row["both_ci"]) for row in found["means"]])
    alone, both, low, high, low_both, high_both = np.moveaxis(np.array(rows), -1, 0)
    known = np.isfinite(low)
    return {
        "alone": ((low <= true) & (true <= high))[known].mean(),
        "both": ((low_both <= true) & (true <= high_both))[known].mean(),
        "saved": np.mean(saved),
        "truly": 1 - both.var(axis=0).sum() / alone.var(axis=0).sum(),
        "bias": np.abs((both - alone).mean(axis=0)).max(),
        "power": np.mean(power),
        "known": known.mean(),
    }


def test_a_good_judge_saves_some_and_one_that_favours_pairs_does_no_harm():
    """60 studies of 6 pairs: a share of 360 is known to some .015; see the slow test."""
    good, favours = (simulated(kind, "ordinary", 60) for kind in ("good", "favours pairs"))
    for found in (good, favours):
        assert 0.91 < found["both"] < 0.99
        assert found["bias"] < 0.03
        assert 0 < found["saved"] < 0.14
    assert good["power"] > 0.1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "design"),
    [
        *((kind, "ordinary") for kind in KINDS),
        *((kind, design) for design in list(DESIGNS)[1:] for kind in ("good", "favours pairs")),
    ],
)
def test_intervals_hold_and_savings_are_honest_whatever_the_bias(kind, design):
    """1,000 studies of 6 pairs a row. Monte Carlo error of a coverage: .003 to .007, as the pairs of a study share
    annotators; of what is truly saved: .01."""
    found = simulated(kind, design, 1000)
    assert 0.93 <= found["alone"] <= 0.97, found
    assert 0.93 <= found["both"] <= 0.97, found
    assert found["bias"] < 0.01, found
    assert 0 <= found["saved"] <= 0.14, found
    assert found["saved"] < found["truly"] + 0.02, found
    if kind in ("contrary", "at chance"):
        assert found["saved"] < 0.005, found
    if (kind, design) == ("good", "ordinary"):
        assert found["saved"] > 0.03, found
