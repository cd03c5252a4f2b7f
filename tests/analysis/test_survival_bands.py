"""How often survival's bands cover, and how wide they are, by simulation; and that they are what they claim to be.

The generator's model is not the estimator's: a latent liking of each entity by each annotator (leniency, and a taste of
their own for this contestant), of each conversation (how well it went) and of each partner, behind a threshold that
falls with the length; annotators are of unequal activity. 1,000 studies a row, 200 replicates; Monte Carlo error .007
of coverage, .03 of width, which is by 3.92 times the estimate's standard deviation over studies. With products of
both draws (Owen) they covered .99 to 1.00 at widths of 1.37 to 1.67. With few annotators Student's t must be wide; with
two or three conversations intervals are bounded by 0 and 1.

| conversations with each of so many partners | annotators | taste's sd | coverage at 2, 3, 5 exchanges | width |
| --- | --- | --- | --- | --- |
| 45 x 5 | 33 | 0.4 | .949, .954, .955 | 1.04, 1.04, 1.04 |
| 20 x 5 | 20 | 0.4 | .938, .945, .959 | .99, 1.00, 1.03 |
| 10 x 5 | 8 | 0.4 | .967, .973, .974 | 1.17, 1.17, 1.16 |
| 10 x 5 | 5 | 0.4 | .986, .981, .988 | 1.34, 1.38, 1.40 |
| 10 x 5 | 5 | 0.1 | .999, .996, .997 | 1.80, 1.75, 1.86 |
| 10 x 5 | 1 | 0.4 | .964, .944, .944 | 1.03, .99, .99 |
| 20 x 5 | a judge | 0.0 | .934, .924, .946 | .96, .93, .95 |
| 10 x 5 | a judge | 0.0 | .947, .947, .954 | .97, .98, .99 |
| 3 x 2 | 10 | 0.4 | .995, .989, .997 | 1.15, 1.19, 1.19 |
| 3 x 1 | 10 | 0.4 | 1.000, 1.000, .999 | 1.21, 1.34, 1.35 |
| 2 x 1 | 10 | 0.4 | 1.000, 1.000, 1.000 | 1.09, 1.26, 1.24 |
| 3 x 2 | a judge | 0.0 | .988, .999, .998 | 1.03, 1.11, 1.10 |
| 3 x 1 | a judge | 0.0 | 1.000, 1.000, .997 | .95, 1.04, 1.08 |
| 2 x 1 | a judge | 0.0 | 1.000, 1.000, 1.000 | .86, .94, .97 |
"""

import numpy as np
import pytest
from scipy.stats import norm
from statsmodels.stats.proportion import proportion_confint

from parlai_spotbot.analysis.survival import current_status_survival
from parlai_spotbot.analysis.uncertainty.bootstrap import ClusterBootstrap
from tests.case_tables import cases

LENGTHS = np.array([2.0, 3.0, 5.0])
THRESHOLDS = np.array([0.0, 0.25, 0.5])


def design(partners, per_pair, each=2):
    """Conversation, partner and length (places) of each row of one contestant, `each` annotators a segment."""
    count = partners * per_pair
    conversation = np.repeat(np.arange(count), 3 * each)
    return conversation, conversation % partners, np.tile(np.repeat(np.arange(3), each), count)


def draw(rng, rows, annotators, taste, talk=0.55):
    """Intervals of one study, its annotators, and the survival that is estimated: with other annotators too where
    several are drawn, else with this one."""
    conversation, partner, level = rows
    active = rng.gamma(1.8, size=annotators)
    worker = rng.choice(annotators, len(level), p=active / active.sum())
    liked = rng.normal(0, taste, annotators) + rng.normal(0, taste, annotators)
    beside = np.linspace(-0.2, 0.2, partner.max() + 1)
    own = liked[worker] + rng.normal(0, talk, conversation.max() + 1)[conversation] + beside[partner]
    spotted = own + rng.normal(size=len(level)) < THRESHOLDS[level]
    alone = annotators == 1
    sd = np.sqrt(1 + talk**2 + (0 if alone else 2 * taste**2))
    true = 1 - norm.cdf((THRESHOLDS[:, None] - (liked[0] if alone else 0.0) - beside) / sd).mean(axis=1)
    k = LENGTHS[level]
    return np.where(spotted, 0.0, k), np.where(spotted, k, np.inf), worker, true


def curve(counts):
    """Survival (..., lengths) from the numbers unspotted and spotted at each length (..., 2 lengths)."""
    counts = counts.reshape(*counts.shape[:-1], -1, 2)
    return current_status_survival(counts[..., 1], counts.sum(axis=-1))


def band(level, right, clusters, replicates, rng):
    """Survival at each length and its interval (lengths, 2), as the survival of a study has them."""
    cells = 2 * level + np.isfinite(right)
    count = int(level.max() + 1) * 2
    drawn = ClusterBootstrap(*clusters, rng=rng, replicates=replicates)
    value = curve(np.bincount(cells, minlength=count).astype(float))
    return value, drawn.interval(value, curve(drawn.cell_sums(cells, count)), span=(0, 1))


def simulated(rows, annotators, taste, studies=1000, replicates=200, seed=1):
    """The share of intervals that cover, and their mean width by the needed one, at each length."""
    rng, hits, widths, away = np.random.default_rng(seed), [], [], []
    for _ in range(studies):
        _, right, worker, true = draw(rng, rows, annotators, taste)
        clusters = [rows[0], worker] if len(set(worker)) > 1 else rows[:1]
        value, ends = band(rows[2], right, clusters, replicates, rng)
        low, high = ends.T
        hits.append(np.where(np.isnan(low), np.nan, (low <= true) & (true <= high)))
        widths.append(high - low)
        away.append(value - true)
    return np.nanmean(hits, axis=0), np.nanmean(widths, axis=0) / (3.92 * np.std(away, axis=0))


@pytest.mark.slow
@cases(
    "partners per_pair annotators taste most widest",
    """
- [5, 20, 20, 0.4, 0.98, 1.15]
- [5, 10, 5, 0.4, 1.0, 1.5]
- [5, 10, 1, 0.4, 0.98, 1.15]
- [5, 10, 0, 0.0, 0.98, 1.15]  # a judge
- [1, 3, 10, 0.4, 1.0, 1.5]
""",
)
def test_bands_cover_and_are_no_wider_than_needed(partners, per_pair, annotators, taste, most, widest):
    rows = design(partners, per_pair, 2 if annotators else 1)
    cover, width = simulated(rows, max(annotators, 1), taste)
    print(f"| {per_pair} x {partners} | {annotators or 'a judge'} | {taste} | {cover.round(3)} | {width.round(2)} |")
    assert (cover >= 0.92).all(), cover
    assert (cover <= most).all(), cover
    assert (width <= widest).all(), width


@pytest.mark.slow
@pytest.mark.parametrize(("annotators", "taste"), [(15, 0.25)])
def test_differences_of_two_contestants_cover(annotators, taste):
    """Two contestants who share conversations and annotators, at 5 exchanges: 1,000 studies, error .007."""
    rng, (conversation, _, level) = np.random.default_rng(2), design(1, 40)
    last, hits, widths, away = level == 2, [], [], []
    for _ in range(1000):
        active = rng.gamma(1.8, size=annotators)
        worker = rng.choice(annotators, len(level), p=active / active.sum())
        sides, talk = [], rng.normal(0, 0.4, conversation.max() + 1)[conversation]
        lenient = rng.normal(0, taste, annotators)[worker]
        for shift in (-0.3, 0.3):
            liked = lenient + rng.normal(0, taste, annotators)[worker] + shift
            sides.append(liked + talk + rng.normal(size=len(level)) < 0.5)
        cells = [2 * level + side for side in sides]
        drawn = ClusterBootstrap(conversation, worker, rng=rng, replicates=200)
        value = np.subtract(*(curve(np.bincount(c, minlength=6).astype(float))[2] for c in cells))
        samples = np.subtract(*(curve(drawn.cell_sums(c, 6))[:, 2] for c in cells))
        low, high = drawn.interval(value, samples, span=(-1, 1))
        sd = np.sqrt(1 + 0.4**2 + 2 * taste**2)
        true = norm.cdf((0.5 - 0.3) / sd) - norm.cdf((0.5 + 0.3) / sd)
        hits.append(low <= true <= high)
        widths.append(high - low)
        away.append(value - true)
    cover, width = np.mean(hits), np.mean(widths) / (3.92 * np.std(away))
    print(annotators, taste, last.sum(), cover, width)
    assert 0.93 <= cover <= 0.98
    assert width <= 1.2


def test_where_nobody_was_spotted_there_is_an_exact_bound():
    value, ends = band(np.zeros(60, dtype=int), np.full(60, np.inf), [np.arange(60) // 5], 50, np.random.default_rng(0))
    assert value[0] == 1
    assert ends[0] == pytest.approx(proportion_confint(12, 12, method="beta"))
