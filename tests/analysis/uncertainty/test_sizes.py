"""How often what is said is wrong: means, shares and ratings from generators that know nothing of the formulas.

1,000 studies a row, so a size of .05 is known to .007. With clusters of very unequal sizes the degrees of freedom are
those of the effective clusters; one less than their bare number rejected .110, .108 and .082 of true hypotheses with 5,
8 and 20 annotators.
"""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from parlai_spotbot.analysis.ratings import rate
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.estimates import mean_of
from parlai_spotbot.analysis.uncertainty.shares import share_test
from tests.case_tables import cases

STUDIES = 1000


def assigned(rng, n, count, unequal):
    """Who of `count` did each of n items; some do most of the work."""
    weight = np.exp(unequal * rng.standard_normal(count))
    return rng.choice(count, n, p=weight / weight.sum())


def error(share, studies=STUDIES):
    return 2 * np.sqrt(share * (1 - share) / studies)


@pytest.mark.slow
@pytest.mark.parametrize("annotators", [5, 20])
def test_means_with_unequal_annotators(annotators):
    """Conversations of three answers each, annotators of different leniency: .018, .030, .04, where few are careful."""
    rng, rejected, known = np.random.default_rng(annotators), 0, 0
    for _ in range(STUDIES):
        homes, who = np.repeat(np.arange(60), 3), assigned(rng, 180, annotators, 0.8)
        values = rng.gamma(2.0, 1.0, 60)[homes] - 2.0 + rng.normal(0, 0.7, annotators)[who] + rng.standard_t(5, 180)
        p = mean_of(values, Clusters.by(homes, who))["p"]
        known += np.isfinite(p)
        rejected += p < 0.05
    assert known > 0.85 * STUDIES
    assert 0.01 <= rejected / known <= 0.06 + error(0.05)


@pytest.mark.slow
@cases("share annotators", "[[0.5, 30], [0.97, 12]]")
def test_shares_that_hang_together(share, annotators):
    rng, covered, known = np.random.default_rng(7), 0, 0
    cut = norm.ppf(share) * np.sqrt(1 + 0.6**2 + 0.4**2)
    for _ in range(STUDIES):
        homes, who = np.repeat(np.arange(50), 4), assigned(rng, 200, annotators, 0.6)
        latent = 0.6 * rng.standard_normal(50)[homes] + 0.4 * rng.standard_normal(annotators)[who]
        low, high = share_test(latent + rng.standard_normal(200) < cut, Clusters.by(homes, who))["ci"]
        covered += low <= share <= high
        known += high - low < 1
    assert covered / STUDIES >= 0.94 - error(0.05)
    assert known > 0.9 * STUDIES


def ratings(rng, bots, talks, annotators, levels):
    """Whole numbers from 1 to 5 of `talks` conversations of each bot, by one annotator each; all bots alike."""
    name = np.repeat([f"b{i}" for i in range(bots)], talks)
    who = rng.integers(0, annotators, len(name))
    value = rng.normal(3.8, 0.9, len(name)) + rng.normal(0, 0.5, annotators)[who]
    value = np.clip(np.round(value), 1, 5).astype(int) if levels == 5 else 1 + 4 * (value > 3.8).astype(int)
    return pd.DataFrame(
        {
            "name": name,
            "value": value,
            "worker_id": who,
            "conversation_id": np.arange(len(name)),
            "annotation_id": np.arange(len(name)),
        }
    )


@pytest.mark.parametrize(
    ("talks", "levels", "studies"),
    [(2, 2, 60), *(pytest.param(t, v, STUDIES, marks=pytest.mark.slow) for t, v in ((2, 2), (3, 5)))],
)
def test_ratings_of_equal_bots(talks, levels, studies):
    """With two or three conversations a bot some agree by chance: p is never 0, no interval without width, and hardly
    a study has a clear pair."""
    rng, wrong = np.random.default_rng(talks), 0
    for _ in range(studies):
        found = rate(ratings(rng, 3, talks, 40, levels), ["b0", "b1", "b2"])
        assert not (found.pairs["p"] <= 0).any()
        assert not (found.pairs["high"] - found.pairs["low"] <= 0).any()
        assert not (found.contestants["score_high"] - found.contestants["score_low"] <= 0).any()
        wrong += (found.pairs["p_adjusted"] < 0.05).any()
    assert wrong / studies <= 0.05 + error(0.05, studies)
