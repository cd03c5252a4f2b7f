"""Prediction-powered means: against ppi-python, by what must hold exactly, and over simulated studies.

The simulation's generator is none of the estimator's: answers are thresholds of latent preferences, with tastes of
annotators for contestants, luck of conversations, annotators of unequal activity, and true means by quadrature.
"""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import yaml
from ppi_py import ppi_mean_ci, ppi_mean_pointestimate
from scipy.special import expit
from scipy.stats import norm

from parlai_spotbot.analysis.trust.ppi import powered_means


def frames(people, judge, further, conversations=None, workers=None, more=None, group="g"):
    """People's answers with the judge's (n,) to the same items, and its answers to further items, as frames."""
    n = len(people)
    conversations = np.arange(n) if conversations is None else conversations
    more = 10**6 + np.arange(len(further)) if more is None else more
    first = np.unique(conversations, return_index=True)[1]
    worker = "only" if workers is None else workers
    ours = {"item": conversations, "x": people, "worker_id": worker, "group": group, "conversation_id": conversations}
    items = np.r_[conversations[first], 10**9 + np.arange(len(further))]
    home = np.r_[conversations[first], more]
    theirs = {"item": items, "x": np.r_[judge[first], further], "group": group, "conversation_id": home}
    return pd.DataFrame(ours), pd.DataFrame(theirs)


def told(frames, bounds=None):
    people, judge = (pd.concat(parts, ignore_index=True) for parts in zip(*frames, strict=True))
    return powered_means(people, judge, lambda group: {"of": group}, bounds)


@pytest.mark.parametrize(("seed", "slope"), enumerate([0.6, 0.1, -0.5, 3.0]))
def test_of_independent_rows_it_is_ppi_python(seed, slope):
    """The estimate is the same; so is the interval, but for n / (n - 1) in the variance and t for normal."""
    rng = np.random.default_rng(seed)
    judge = rng.normal(1.0, 2.0, 140)
    asked = slope * judge[:40] + rng.normal(size=40), judge[:40], judge[40:]
    found = told([frames(*asked)])
    (own,) = found["means"]
    assert own["both"] == pytest.approx(ppi_mean_pointestimate(*asked).item(), abs=1e-8)
    low, high = (end.item() for end in ppi_mean_ci(*asked, alpha=0.05, lam=found["power"]))
    assert low == pytest.approx(ppi_mean_ci(*asked, alpha=0.05)[0].item(), abs=1e-8)
    se = own["width"] * asked[0].std(ddof=1) / np.sqrt(40)
    assert 2 * norm.ppf(0.975) * se == pytest.approx(high - low, rel=0.02)
    # What a judge holds for somebody cancels out.
    (liked,) = told([frames(asked[0], asked[1] + 0.7, asked[2] + 0.7)])["means"]
    for end in ("both_low", "both_high"):
        assert liked[end] == pytest.approx(own[end])


def test_ratings_are_made_surer_by_contestant_and_contests_by_pair(world, trusted):
    own = world.make(bots=4, per_pair=16, seed=5)
    unseen = own.people["item_id"].str.endswith(("0", "1"))
    found = trusted(own, world.as_judge(own.people), people=own.people[~unseen], bounds={"nature": (0, 1)})
    means = found.rows("means")
    of = {criterion: [row for row in means if row["criterion"] == criterion] for criterion in ("nature", "better")}
    assert len(means) == sum(map(len, of.values()))
    assert [row["contestant"] for row in of["nature"]] == own.names
    assert [(row["a"], row["b"]) for row in of["better"]] == list(combinations(own.names, 2))
    for row in of["nature"]:
        assert row["n_judge_alone"] > 0
        assert 0 <= row["both_low"] <= row["both"] <= row["both_high"] <= 1


# -- simulated studies -------------------------------------------------------------------------------------------------
STRENGTH = np.array([-0.9, -0.2, 0.3, 0.8])
A, B = np.array(list(combinations(range(4), 2))).T
FAVOUR = np.where(np.arange(len(A)) % 2, 1.8, -1.8)[:, None, None]
TIE, LUCK = 0.6, 0.8
KINDS = yaml.safe_load("""
good: [1.5, 0.5, 0]
poor: [0.4, 1, 0]
favours pairs: [1.5, 0.5, 1]
contrary: [-1.5, 0.5, 0]
at chance: [0, 1, 0]
""")
"""How much a judge goes by what people go by, how much by chance, and whether it favours some pairs."""

DESIGNS = yaml.safe_load("""
ordinary: {}
small: {homes: 8, further: 4}
few people with strong tastes: {workers: 5, taste: 0.8}
one annotator an item: {each: 1, homes: 40}
further items in the same conversations: {same: true}
""")


def votes(latent, rng):
    latent = latent + rng.logistic(size=latent.shape)
    return np.where(latent > TIE, 1.0, np.where(latent < -TIE, -1.0, 0.0))


def truth(taste):
    """Each pair's share of wins less that of losses over further conversations and annotators, by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    latent = (STRENGTH[A] - STRENGTH[B])[:, None] + np.sqrt(LUCK**2 + 2 * taste**2) * nodes
    return (expit(latent - TIE) - expit(-latent - TIE)) @ weights / weights.sum()


def study(kind, rng, homes=20, each=2, further=3, workers=12, taste=0.5, same=False):
    """Return each pair's frames: `homes` conversations that people saw, `further` times as many items of the judge."""
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
        frames(
            said[p].ravel(),
            judge[p, home, 0],
            judge[p, :, 1:].ravel(),
            home + 10**5 * p,
            who[p].ravel(),
            rest + 10**5 * p,
            str(p),
        )
        for p in range(pairs)
    ]


ESTIMATES = ("people", "both", "people_low", "people_high", "both_low", "both_high")


def simulated(kind, design, rounds, seed=0):
    """Return over studies the coverage of people's intervals and of those with the judge, and the judge's bias."""
    rng, true = np.random.default_rng(seed), truth(DESIGNS[design].get("taste", 0.5))
    rows = []
    for _ in range(rounds):
        found = told(study(kind, rng, **DESIGNS[design]), (-1, 1))
        rows.append([[row[name] for name in ESTIMATES] for row in found["means"]])
    alone, both, low, high, low_both, high_both = np.moveaxis(np.array(rows), -1, 0)
    known = np.isfinite(low)
    return {
        "alone": ((low <= true) & (true <= high))[known].mean(),
        "both": ((low_both <= true) & (true <= high_both))[known].mean(),
        "saved": 1 - both.var(axis=0).sum() / alone.var(axis=0).sum(),
        "bias": np.abs((both - alone).mean(axis=0)).max(),
    }


def test_a_good_judge_helps_and_one_that_favours_pairs_does_no_harm():
    """60 studies of 6 pairs: a share of 360 is known to some .015; see the slow test."""
    for kind in ("good", "favours pairs"):
        found = simulated(kind, "ordinary", 60)
        assert 0.91 < found["both"] < 0.99
        assert found["bias"] < 0.03


@pytest.mark.timeout(1800)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "design"),
    [
        *((kind, "ordinary") for kind in KINDS),
        *((kind, design) for design in list(DESIGNS)[1:] for kind in ("good", "favours pairs")),
    ],
)
def test_intervals_hold_whatever_the_bias(kind, design):
    """1,000 studies of 6 pairs a row. Monte Carlo error of a coverage: .003 to .007, as the pairs of a study share
    annotators."""
    found = simulated(kind, design, 1000)
    print(kind, design, {name: round(float(value), 3) for name, value in found.items()})
    assert 0.93 <= found["alone"] <= 0.97, found
    assert 0.93 <= found["both"] <= 0.97, found
    assert found["bias"] < 0.01, found
