"""Intervals of alpha in studies whose generator isn't the estimator's: latent traits, thresholds or utilities, lapses.

Annotators differ in where they stand, how steady they are and how often they answer at random, some answer far more
than others (sd: of the logarithm of how much), items of one conversation are alike. Of 1,000 studies each: how often
the interval of nominal 95 % held the alpha of all items and annotators there could be (error .007), what conversations
alone would hold, how wide it is in the median beside 3.92 times the true standard deviation, and the quantile of
Student's t for the effective number of annotators beside 1.96, which is what theory allows:

| answers | alpha | items (of a conversation) | annotators, sd | of an item | held | conversations alone | width | t |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
| nominal | .59 | 60 (1) | 3, 0.7 | 2-3 | 1.000 | .882 | 1.84 | 2.23 |
| nominal, imbalanced | .58 | 300 (5) | 5, 1.0 | 2 | .959 | .740 | 1.19 | 1.73 |
| ordinal | .69 | 300 (1) | 8, 0.5 | 2 | .933 | .743 | 1.07 | 1.25 |
| nominal, imbalanced | .14 | 30 (1) | 10, 0.7 | 2 | .935 | .901 | 1.24 | 1.25 |
| ordinal | .69 | 300 (5) | 10, 1.0 | 2-4 | .941 | .704 | 1.05 | 1.26 |
| ordinal, imbalanced | .67 | 100 (1) | 30, 1.0 | 3 | .963 | .910 | 1.06 | 1.09 |

With ten annotators or more the width is at most 1.2, or what Student's t allows where few of them did most. With three
to five it is that of t, and where annotators hardly differ more is held than is promised.
"""

import functools

import numpy as np
import pytest
import yaml
from scipy.stats import t

from parlai_spotbot.analysis.agreement import alpha_of, krippendorff_alpha
from parlai_spotbot.analysis.uncertainty.clusters import Clusters

STUDIES = 1000
SPREAD = {"low": 0.6, "high": 2.5}
"""How far items differ, against how far annotators and their moods do."""

DESIGNS = yaml.safe_load("""
# kind, agreement, skewed; items, of a conversation, annotators, of an item (0: two to four), unequal activity
- [nominal, high, false, 60, 1, 3, 0, 0.7]
- [nominal, high, true, 300, 5, 5, 2, 1.0]
- [ordinal, high, false, 300, 1, 8, 2, 0.5]
- [nominal, low, true, 30, 1, 10, 2, 0.7]
- [ordinal, high, false, 300, 5, 10, 0, 1.0]
- [ordinal, high, true, 100, 1, 30, 3, 1.0]
""")


def drawn_items(rng, items, per, kind, spread):
    """What there is to see of each item: conversations differ, and items of one (ordinal: skewed)."""
    home = np.arange(items) // per
    if kind == "ordinal":
        own = np.sqrt(0.6) * (rng.exponential(size=items) - 1)
        return home, spread * (np.sqrt(0.4) * rng.normal(size=home[-1] + 1)[home] + own)
    shared = np.sqrt(0.4) * rng.normal(size=(home[-1] + 1, 3))[home]
    return home, 1.2 * spread * (shared + np.sqrt(0.6) * rng.normal(size=(items, 3)))


def answered(rng, seen, rater, raters, kind, skewed):
    """Answers by thresholds, or by the greatest of three utilities; annotators differ in where they stand, in how
    steady they are, and in how often they answer at random."""
    count, size = int(raters), len(rater)
    steady, lapse = np.exp(0.3 * rng.normal(size=count)), rng.beta(1, 12, size=count)
    at_random = rng.random(size) < lapse[rater]
    if kind == "ordinal":
        ends = np.array([-1.2, -0.4, 0.4, 1.2]) + skewed
        own = seen + 0.5 * rng.normal(size=count)[rater] + 0.7 * steady[rater] * rng.normal(size=size)
        return np.where(at_random, rng.integers(5, size=size), np.digitize(own, ends))
    base = np.array([1.5, 0.0, -0.5]) * skewed
    own = (
        seen + base + 0.5 * rng.normal(size=(count, 3))[rater] + 0.6 * steady[rater, None] * rng.gumbel(size=(size, 3))
    )
    return np.where(at_random, rng.integers(3, size=size), own.argmax(axis=1))


@functools.cache
def truth(kind, agreement, skewed):
    """Alpha of 300,000 items that two annotators each judged, nobody more than once: its error is below .003."""
    rng, items = np.random.default_rng(99), 300_000
    _, seen = drawn_items(rng, items, 1, kind, SPREAD[agreement])
    rater = np.arange(2 * items)
    given = answered(rng, np.repeat(seen, 2, axis=0), rater, 2 * items, kind, skewed)
    met = np.zeros((5, 5))
    np.add.at(met, (given[::2], given[1::2]), 1)
    return float(alpha_of(met + met.T, kind))


def study(rng, kind, agreement, skewed, items, per, raters, each, unequal):
    """Items, answers, conversations and annotators of one study; who answers more is drawn more often."""
    home, seen = drawn_items(rng, items, per, kind, SPREAD[agreement])
    active = np.exp(unequal * rng.normal(size=raters))
    order = np.argsort(-(np.log(active) + rng.gumbel(size=(items, raters))), axis=1)
    many = np.full(items, each) if each else rng.integers(2, min(4, raters) + 1, size=items)
    item = np.repeat(np.arange(items), many)
    rater = order[item, np.concatenate([np.arange(n) for n in many])]
    return item, answered(rng, seen[item], rater, raters, kind, skewed), home[item], rater


def covered(design, studies=STUDIES):
    """How often the interval holds alpha, with annotators and without; the width beside 3.92 times the spread; and what
    Student's t allows for the effective number of annotators, beside 1.96."""
    kind, target = design[0], truth(*design[:3])
    hits, widths, estimates, allowed = np.zeros((studies, 2)), np.zeros(studies), np.zeros(studies), np.zeros(studies)
    for number in range(studies):
        unit, answers, home, rater = study(np.random.default_rng([17, number]), *design)
        whole = krippendorff_alpha(unit, answers, Clusters.by(home, rater), kind)
        alone = krippendorff_alpha(unit, answers, Clusters.by(home), kind)
        hits[number] = [found["ci"][0] <= target <= found["ci"][1] for found in (whole, alone)]
        widths[number], estimates[number] = np.diff(whole["ci"])[0], whole["alpha"]
        each = np.bincount(rater)
        allowed[number] = t.ppf(0.975, max(1.0, each.sum() ** 2 / (each**2).sum() - 1)) / 1.96
    return hits.mean(axis=0), np.median(widths) / (3.92 * estimates.std()), np.median(allowed)


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS, ids=lambda d: "-".join(map(str, d)))
def test_intervals_hold_alpha(design):
    """The Monte Carlo error of a coverage near .95 is .007: a row in the table may be off by three of them."""
    (with_annotators, alone), width, allowed = covered(design)
    print(f"{design}: held {with_annotators:.3f}, alone {alone:.3f}, width {width:.2f} of {allowed:.2f} (error .007)")
    many = design[5] >= 10
    assert 0.905 <= with_annotators <= (0.99 if many else 1.0)
    assert alone <= with_annotators + 0.01
    assert 0.9 < width < max(1.2, allowed) + 0.05


def test_intervals_hold_alpha_in_a_few_studies():
    """Of 150 studies: the Monte Carlo error is .018."""
    (with_annotators, _), width, _ = covered(("nominal", "low", False, 60, 1, 10, 2, 0.7), 150)
    assert with_annotators >= 0.9
    assert width < 1.3
