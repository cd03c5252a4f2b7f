"""Evidence of the answers so far on every two contestants; one may look and stop at any time.

Each pair has a test by betting (Waudby-Smith & Ramdas 2023, JRSSB 86): wealth that no strategy can increase in
expectation while the two are equally good. A bet is placed before its annotator's answers are known, and an annotator
is one bet, however many items they judge, so that taste may tie the answers of a person. Each conversation is judged
once, so that nothing ties those of two persons. "Equally good" means as good against each other and against every
third contestant; matches against third ones count as far as either contestant of the pair could have been drawn, and
a match's share of the other one's chance makes that fair without a model. The size of a bet is the one that reaches a
goal above the threshold most probably by the end of the budget (Browne 1999, Adv. Appl. Prob. 31), of clear pairs the
one that grows fastest. How much wealth settles a pair is found by closed testing (`closure.py`).

All arrays have leading axes for studies that are simulated together, and end in (K, K): contestants a and b.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, stdtrit

from parlai_spotbot.sequential.closure import needed

FLOOR = 0.1
"""The share of units that all pairs get alike, settled or not."""

PRIOR = 1.0
"""What draws strengths together: the precision of their prior."""

STAKE = 0.95
"""The greatest share of its wealth that a bet may lose."""

EQUAL_UPDATES = 3
"""Annotators whose units are drawn from all pairs alike, before anything is known."""

STEPS = 30
"""Of Newton and of the chances, where they don't follow answers one by one."""

UNASKED = 3
"""The verdict on the last contestant and each other, where that one is the scale of ratings: nobody asks for one."""

TINY = 1e-12


@dataclass(frozen=True)
class Rules:
    """Rules that are fixed before the first answer.

    Attributes
    ----------
    alpha : float
        Greatest chance that any verdict is wrong.
    margin : float
        Two are equal where either's share of points against the other is within this of ½; 0: no such verdict.
    budget : float or array
        Answers that are planned for.
    """

    alpha: float
    margin: float
    budget: float | np.ndarray


@dataclass(frozen=True)
class Evidence:
    """State of the evidence after some annotators; see `begin`.

    Attributes
    ----------
    points, matches : arrays (..., K, K)
        Points of a against b (a win 1, a tie ½), and their matches.
    better, below : arrays (..., K, K)
        Logarithm of the wealth that says that a is better than b; that a's share of points is below ½ + margin.
    verdict : array of int (..., K, K)
        1: a is better; -1: b is; 2: equal; 0: open; `UNASKED`.
    strengths, variance : arrays (..., K), (..., K, K)
        Log strengths, and the variance of a's less b's.
    spread : array (..., 2)
        Sums of squares of what annotators' answers added, and of what was expected of single answers.
    scores, products : arrays (..., K), (..., K, K)
        Sums over annotators of estimates of each contestant's score against all others, and of their products.
    answers, annotators : arrays (...)
        Answers, and annotators who gave them.
    chance : array (..., K, K)
        By which the last annotator's items were drawn.
    """

    points: np.ndarray
    matches: np.ndarray
    better: np.ndarray
    below: np.ndarray
    verdict: np.ndarray
    strengths: np.ndarray
    variance: np.ndarray
    spread: np.ndarray
    scores: np.ndarray
    products: np.ndarray
    answers: np.ndarray
    annotators: np.ndarray
    chance: np.ndarray

    @property
    def tally(self) -> tuple[int, int, int]:
        """Numbers of pairs of one study that are open, differ, are equal."""
        upper = np.triu_indices(len(self.verdict), 1)
        open_, differ, equal = np.bincount(np.abs(self.verdict[upper]), minlength=3)[:3].tolist()
        return open_, differ, equal

    @property
    def open(self) -> np.ndarray:
        """True for open pairs, (..., K, K)."""
        return (self.verdict == 0) & ~np.eye(self.verdict.shape[-1], dtype=bool)


@dataclass(frozen=True)
class Bets:
    """Stakes on an annotator's answers, and the chances with which each pair is drawn for them.

    Attributes
    ----------
    chance : array (..., K, K)
        Of an item to be of this pair; symmetric, 0 on the diagonal; the upper triangle sums to 1.
    strengths : array (..., K)
        By which scores are expected.
    better, below : arrays (..., K, K)
        Stakes, before they are bounded by what an annotator was given.
    variance : array (..., K, K)
        Expected of one answer.
    expected : array (..., K, K)
        Share of points of a against b.
    """

    chance: np.ndarray
    strengths: np.ndarray
    better: np.ndarray
    below: np.ndarray
    variance: np.ndarray
    expected: np.ndarray


def begin(contestants: int, shape: tuple[int, ...] = (), scale: bool = False) -> Evidence:
    """Return what is known of K contestants before the first answer; `shape`: of studies simulated together.

    With `scale` each is rated: its score in a match with the last contestant, the scale, is its rating from 0 to 1.
    """
    pairs = np.zeros((*shape, contestants, contestants))
    each = np.zeros((*shape, contestants))
    count = np.zeros(shape)
    unknown = pairs + 2 / PRIOR * (1 - np.eye(contestants))
    verdict = pairs.astype(int)
    verdict[..., -1, :] = verdict[..., :, -1] = UNASKED * scale
    start = (np.ones((*shape, 2)), each, pairs, count, count, with_floor(pairs))
    return Evidence(pairs, pairs, pairs, pairs, verdict, each, unknown, *start)


def with_floor(weights: np.ndarray, allowed: np.ndarray | bool = True) -> np.ndarray:
    """Return chances by weight, of which all pairs that can be drawn get the floor alike."""
    every = (1.0 - np.eye(weights.shape[-1])) * allowed
    alike = 2 * every / np.maximum(every.sum(), TINY)
    weights = weights * every
    total = weights.sum((-2, -1), keepdims=True) / 2
    weights = np.where(total > TINY, weights / np.maximum(total, TINY), alike)
    return (1 - FLOOR) * weights + FLOOR * alike


def thresholds(evidence: Evidence, rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """Return the logarithms of the wealth that settles each pair as different and as equal, (..., K, K) each."""
    return needed(*wealth(evidence, rules), evidence.verdict, evidence.strengths, rules.alpha)


def wealth(evidence: Evidence, rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """Return the logarithms of the wealth that two differ, whichever is better, and that they are equal."""
    turned = np.swapaxes(evidence.better, -1, -2)
    other = np.swapaxes(evidence.below, -1, -2)
    same = np.minimum(evidence.below, other) if rules.margin else np.full_like(other, -np.inf)
    return np.logaddexp(evidence.better, turned) - np.log(2), same


def nearest(evidence: Evidence, rules: Rules) -> tuple[np.ndarray, np.ndarray]:
    """Return the wealth for the verdict that each pair is nearest to, and what it needs, as logarithms to base 10.

    Leading axes are of the same study: its wealth after several numbers of units.
    """
    size = evidence.strengths.shape[-1]
    have = np.reshape(wealth(evidence, rules), (-1, size, size)) / np.log(10)
    need = np.reshape(thresholds(evidence, rules), (-1, size, size)) / np.log(10)
    first = np.argmax(have - need, 0)[None]
    return np.take_along_axis(have, first, 0)[0], np.take_along_axis(need, first, 0)[0]


def design_effect(evidence: Evidence) -> np.ndarray:
    """Return how much more the answers of an annotator vary together than single ones would, (..., 1, 1)."""
    return np.maximum(evidence.spread[..., 0] / evidence.spread[..., 1], 0.05)[..., None, None]


def differences(strengths: np.ndarray) -> np.ndarray:
    """Return a's value less b's, (..., K, K)."""
    return strengths[..., :, None] - strengths[..., None, :]


def _ofdifferences(covariance: np.ndarray) -> np.ndarray:
    """Return the variance of each difference, by the covariance (..., K, K)."""
    variances = np.diagonal(covariance, axis1=-2, axis2=-1)
    return variances[..., :, None] + variances[..., None, :] - 2 * covariance


def added(evidence: Evidence, placed: Bets, rules: Rules, a: np.ndarray, b: np.ndarray, score: np.ndarray) -> Evidence:
    """Return what is known after one more annotator's answers, with the verdicts of before: see `decided`.

    Parameters
    ----------
    placed : Bets
        By which this annotator's items were drawn.
    a, b : arrays of int (..., n)
        Contestants of each item.
    score : array (..., n)
        Points of a: 1, ½ or 0; NaN: no answer that counts.
    """
    size = evidence.strengths.shape[-1]
    points, matches = table(a, b, score, size)
    moved, most = moves(placed, points, matches)
    better = evidence.better + np.log1p(np.minimum(placed.better, STAKE / np.maximum(most, TINY)) * moved)
    stake = np.minimum(placed.below, STAKE / np.maximum(matches * (0.5 - rules.margin), TINY))
    below = evidence.below + np.log1p(stake * (matches * (0.5 + rules.margin) - points))
    count = (~np.isnan(score)).sum(-1)
    expected = placed.variance * count[..., None, None]
    scale = evidence.verdict == UNASKED
    squares = np.stack([(one * ~scale).sum((-2, -1)) for one in (moved**2, expected)], -1)
    surplus = (
        (points - placed.expected * matches) / np.maximum(placed.chance, TINY) / np.maximum(count, 1)[..., None, None]
    )
    off = np.where(scale.any((-2, -1), keepdims=True), scale, 1 - np.eye(size))
    score_of = ((placed.expected + surplus) * off).sum(-1) / np.maximum(off.sum(-1), 1) * (count > 0)[..., None]
    after = replace(
        evidence,
        points=evidence.points + points,
        matches=evidence.matches + matches,
        better=better,
        below=below,
        spread=evidence.spread + squares,
        scores=evidence.scores + score_of,
        products=evidence.products + score_of[..., :, None] * score_of[..., None, :],
        answers=evidence.answers + count,
        annotators=evidence.annotators + (count > 0),
        chance=placed.chance,
    )
    return _fitted(after)


def worst(placed: Bets, rules: Rules, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return the logarithms of the least factors that an annotator's answers to these items can have, (2, ..., K, K).

    They are those of `Evidence.better` and `Evidence.below`, and hold for answers to a part of the items, too. At worst
    a gets no points against b and third contestants, and b gets all against these.
    """
    _, matches = table(a, b, np.zeros(a.shape), placed.chance.shape[-1])
    at, centre, weight, _ = _of_matches(placed, matches)
    met = weight * matches[at][:, None]
    of_a = _summed(at, met * centre, matches)
    of_b = _summed(at, met * (1 - centre), matches)
    better = placed.better * (matches / 2 + of_a + np.swapaxes(of_b, -1, -2))
    below = placed.below * matches * (0.5 - rules.margin)
    return np.log1p(-np.minimum([better, below], STAKE))


def table(a: np.ndarray, b: np.ndarray, score: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return points and matches of each against each (..., K, K), by the points of a in each match; NaN: none."""
    each = np.eye(size)
    won, met = (
        np.swapaxes(each[a] * value[..., None], -1, -2) @ each[b] for value in (np.nan_to_num(score), ~np.isnan(score))
    )
    return won + np.swapaxes(met - won, -1, -2), met + np.swapaxes(met, -1, -2)


def moves(placed: Bets, points: np.ndarray, matches: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return by how much points of matches (..., K, K) move the wealth per unit of stake, and the greatest loss."""
    at, centre, weight, most_of_match = _of_matches(placed, matches)
    third = _summed(at, weight * (points[at][:, None] - centre * matches[at][:, None]), matches)
    most = _summed(at, most_of_match * matches[at][:, None], matches)
    return (points - matches / 2 + third - np.swapaxes(third, -1, -2), matches / 2 + most + np.swapaxes(most, -1, -2))


def against_third(of_a: np.ndarray, of_b: np.ndarray, against: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return what matches of a or b with c are worth for the pair (a, b).

    Of these matches each is of a with the chance of (a, c) over that of both; weighted with the other's share, those of
    a and of b cancel in expectation where both score alike against c. Weights are cut so that no match moves the sum by
    more than ½, as a match of the two themselves does.

    Parameters
    ----------
    of_a, of_b : arrays
        Chances of (a, c) and of (b, c).
    against : array
        Odds of losing to c, for one whose strength is between those of a and b.

    Returns
    -------
    centre : array
        What is expected of a match's score.
    cut : array
        Weight of a match of a per unit of `of_b`, and of one of b per unit of `of_a`.
    """
    centre = 1 / (1 + against)
    reach = np.maximum(centre, 1 - centre) * np.maximum(2 * of_a, 2 * of_b)
    return centre, 1 / np.maximum(np.maximum(of_a + of_b, reach), TINY)


def _of_matches(placed: Bets, matches: np.ndarray) -> tuple[tuple[np.ndarray, ...], np.ndarray, np.ndarray, np.ndarray]:
    """Return where a has met c, (..., a, c), and for each such match by b, (n, K): centre, weight and `most`.

    `most` is the greatest that it, or one of b with c, may take from the wealth per unit of stake.
    """
    at = np.nonzero(matches)
    *study, a, c = at
    middle = (placed.strengths[*study, a, None] + placed.strengths[*study, :]) / 2 - placed.strengths[*study, c, None]
    of_a = placed.chance[at][:, None]
    of_b = placed.chance[*study, c]
    centre, cut = against_third(of_a, of_b, np.exp(-middle))
    third = np.ones(of_b.shape)
    np.put_along_axis(third, np.stack([a, c], 1), 0, 1)
    most = cut * np.maximum(of_a, of_b) * np.maximum(centre, 1 - centre)
    return at, centre, cut * of_b * third, most * third


def _summed(at: tuple[np.ndarray, ...], values: np.ndarray, matches: np.ndarray) -> np.ndarray:
    """Return the sums over matches of a, (..., a, b)."""
    total = np.zeros(matches.shape)
    np.add.at(total, at[:-1], values)
    return total


def intervals(evidence: Evidence, level: float) -> tuple[np.ndarray, np.ndarray]:
    """Estimate each contestant's score against all others, and half the widths of intervals of scores and differences.

    Each answer counts by the inverse of the chance with which its pair was drawn, beside what was expected of it, so
    that no model is needed (Hadad et al. 2021, PNAS 118); annotators are the clusters. Widths are NaN for fewer than
    three of them.

    Returns
    -------
    scores : array (..., K)
        Shares of points: a win 1, a tie ½.
    half : array (..., K, K)
        Of the difference of two scores; on the diagonal of one.
    """
    count = np.where(evidence.annotators > 0, evidence.annotators, np.nan)[..., None, None]
    scores = evidence.scores / count[..., 0]
    product = evidence.products / count - scores[..., :, None] * scores[..., None, :]
    alone = np.eye(scores.shape[-1], dtype=bool)
    variance = np.where(alone, product, _ofdifferences(product)) / np.where(count > 2, count - 1, np.nan)
    half = stdtrit(count - 1, (1 + level) / 2) * np.sqrt(np.where(variance > 0, variance, np.nan))
    return scores, half


def of_counts(points: np.ndarray, matches: np.ndarray, verdict: np.ndarray) -> Evidence:
    """Return evidence of matches that were drawn another way: strengths and verdicts, but no wealth.

    Parameters
    ----------
    points, matches, verdict : arrays (K, K)
        As in `Evidence`.
    """
    evidence = replace(begin(len(points)), points=points, matches=matches, verdict=verdict)
    evidence = replace(evidence, annotators=matches.sum() / 2, answers=matches.sum() / 2)
    for _ in range(STEPS):
        evidence = _fitted(evidence)
    return evidence


def _fitted(evidence: Evidence) -> Evidence:
    """Take one step of Newton towards the Bradley-Terry strengths, which only choose what is drawn and staked."""
    strengths = evidence.strengths
    size = evidence.strengths.shape[-1]
    share = expit(differences(strengths))
    slope = (evidence.points - evidence.matches * share).sum(-1) - PRIOR * strengths
    weight = evidence.matches * share * (1 - share)
    curve = -weight + (weight.sum(-1) + PRIOR)[..., None] * np.eye(size)
    inverse = np.linalg.inv(curve)
    strengths = strengths + np.clip((inverse @ slope[..., None])[..., 0], -1, 1)
    return replace(evidence, strengths=strengths - strengths.mean(-1, keepdims=True), variance=_ofdifferences(inverse))


def decided(evidence: Evidence, rules: Rules) -> Evidence:
    """Add the verdicts that the wealth allows, and those that follow: a better than b, b than c, so a than c."""
    differ, same = wealth(evidence, rules)
    sign = np.sign(evidence.better - np.swapaxes(evidence.better, -1, -2)).astype(int)
    enough = np.maximum(differ, same) >= -np.log(rules.alpha) - 1e-9  # no pair needs less
    while True:
        verdict = evidence.verdict
        if (enough & evidence.open).any():
            apart, equal = thresholds(evidence, rules)
            new = np.where(differ >= apart - 1e-9, sign, np.where(same >= equal - 1e-9, 2, 0))
            verdict = np.where(evidence.open, new, verdict)
        won = (verdict == 1).astype(float)  # integers are multiplied slowly
        chain = ((won @ won > 0) & (verdict == 0)).astype(int)
        verdict = verdict + chain - np.swapaxes(chain, -1, -2)
        if np.array_equal(verdict, evidence.verdict):
            return evidence
        evidence = replace(evidence, verdict=verdict)
