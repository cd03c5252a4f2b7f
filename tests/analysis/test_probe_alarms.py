"""False alarms of the probes in studies in which nothing is wrong: each in at most 5 of 100.

400 studies each gave at most .05 (one scale, of an arena), by `made_up_studies`, whose rule is no model of ours.
"""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from parlai_spotbot.analysis.choices import clear_circle, pair_grid
from parlai_spotbot.analysis.ranking import contrasts
from parlai_spotbot.analysis.ratings import rate
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.verdict.mean_probes import mean_decider, mean_drift
from parlai_spotbot.analysis.verdict.one_scale import misfit_pvalue
from parlai_spotbot.analysis.verdict.probe import GREEN, RED
from parlai_spotbot.analysis.verdict.probes import annotator_probe, cluster_probe, order_probe, pair_probes
from tests.analysis.made_up_studies import arena, study

CLEAN = {
    "a tournament, equal": lambda rng: study(rng, np.zeros(5), 20, 2, 25),
    "a tournament, unequal": lambda rng: study(rng, np.linspace(0.5, -0.5, 5), 20, 2, 25),
    "an arena, unequal": lambda rng: arena(rng, np.linspace(0.6, -0.6, 6), 40, 60, prompts=200),
}


def alarms(make, studies):
    """The share of studies in which each probe is not green."""
    found = Counter()
    for seed in range(studies):
        rng = np.random.default_rng([seed, 5])
        rows = make(rng).sample(frac=1, random_state=seed).reset_index(drop=True)
        names = sorted(set(rows["a"]) | set(rows["b"]))
        circle = clear_circle(pair_grid(rows, names))
        fit = contrasts(rows, names)
        probes = pair_probes(fit, circle, misfit_pvalue(fit), np.arange(len(rows)))
        probes.append(annotator_probe(rows["worker_id"].value_counts().tolist()))
        found.update(probe.name for probe in probes if probe.level != GREEN)
    return {name: count / studies for name, count in found.items()}


def rated(rng, spread):
    """Ratings of four bots, 20 conversations of each by 3 of 25 annotators, by latent worth with normal noise."""
    talk = np.repeat(np.arange(80), 3)
    who = np.argsort(rng.random((80, 25)))[:, :3].ravel()
    worth = spread * np.linspace(0.5, -0.5, 4)[talk // 20] + 0.5 * rng.standard_normal(80)[talk]
    worth += 0.4 * (rng.standard_normal(25)[who] + rng.standard_normal((25, 4))[who, talk // 20])
    value = 1 + (worth + rng.standard_normal(240) > np.array([[-1.5], [-0.5], [0.5], [1.5]])).sum(axis=0)
    rows = pd.DataFrame({"name": [f"b{i}" for i in talk // 20], "value": value, "annotation_id": np.arange(240)})
    return rows.assign(conversation_id=talk, worker_id=who)


def rating_alarms(spread, studies):
    """The share of studies of ratings in which each probe of means is not green."""
    found = Counter()
    for seed in range(studies):
        rng = np.random.default_rng([seed, 6])
        rows = rated(rng, spread)
        pairs = rate(rows, ["b0", "b1", "b2", "b3"]).pairs
        clusters = frame_clusters(rows)
        drift = mean_drift(rows, clusters, (1, 5), rng.permutation(len(rows)))
        probes = [mean_decider(rows, pairs, clusters, (1, 5)), drift]
        found.update(probe.name for probe in probes if probe.level != GREEN)
    return {name: count / studies for name, count in found.items()}


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("spread", [0.0, 1.0])
def test_probes_of_a_thousand_clean_studies_of_ratings(spread):
    found = rating_alarms(spread, 1000)
    print(spread, found)
    assert max(found.values(), default=0) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 1000)


def test_probes_of_a_few_clean_studies_of_ratings():
    assert max(rating_alarms(0.5, 60).values(), default=0) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("design", CLEAN)
def test_probes_of_a_thousand_clean_studies(design):
    found = alarms(CLEAN[design], 1000)
    print(design, found)
    assert max(found.values()) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 1000)


def test_probes_of_a_few_clean_studies():
    assert max(alarms(CLEAN["a tournament, unequal"], 40).values(), default=0) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 40)


def test_what_all_annotators_say_of_a_conversation_is_no_effect_of_the_place():
    """Where they agree on each of few conversations, one place has most of all matches in 12 of 60 such studies."""
    cases = []
    for seed in range(60):
        rng = np.random.default_rng([seed, 7])
        talk = np.repeat(np.arange(6), 20)
        first = rng.random(6) < 0.5
        chance = 1 / (1 + np.exp(-6 * rng.standard_normal(6)))
        rows = pd.DataFrame({"a": np.where(first, "x", "y")[talk], "b": np.where(first, "y", "x")[talk]})
        rows = rows.assign(outcome=np.where(rng.random(120) < chance[talk], 1, -1), conversation_id=talk)
        fit = contrasts(rows.assign(worker_id=np.tile(np.arange(20), 6)), ["x", "y"])
        cases += [order_probe(fit, 1.0).figures.get("case")]
    assert set(cases) == {None}


def test_few_prompts_of_many_contestants_are_told():
    """Of more than `PROFILED` contestants flips are bounded by the clusters that either one's matches are in."""
    rng, names = np.random.default_rng(4), [f"b{place}" for place in range(65)]
    rows = arena(rng, np.linspace(2.0, -2.0, 65), 3, 60, prompts=4)
    fit = contrasts(rows, names)
    assert fit.pairs["effective"].max() <= 4
    clusters = cluster_probe(fit.pairs)
    assert (clusters.level, clusters.figures["few"]) == (RED, 4)
    assert not (fit.pairs["p_adjusted"] < 0.05).any()
