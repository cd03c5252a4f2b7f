"""How many annotations by people a judge saves at equal power, when its errors are modelled rather than ignored.

What is to be known of a pair of contestants is d, its share of wins less its share of losses as people in general would
decide further items. A person's annotation of an item says x = 1, 0 or −1, with mean r over all people who might have
answered it, and d is the mean of r over the pair's items; so people's differing is part of what one annotation is
worth, which is 1 by definition. A judge's rating y of an item has the mean

    E[y | item] = β r + what it makes of this item besides,   hence   E[y | pair] = β d + u,   u of mean 0, variance τ².

That is the error matrix q = p · M of von Däniken, Deriu, Tuggener & Cieliebak (2022, EMNLP; Deriu et al. 2023, Findings
of ACL, "Correction of Errors in Preference Ratings from Automated Metrics for Text Generation"), as far as it bears on
d: as it is a matter of naming which contestant is the first, M is unchanged where wins and losses are exchanged, and
then q's wins less losses are β = M[win, win] − M[win, loss] times those of p. β = 0 is chance, β = 1 a judge that
answers as some other person would; one that says what most people would say has β above 1. u, which the matrix does
not have, is what a judge holds for or against a pair beyond that; no number of ratings takes it away.

Two people and a judge err independently of each other given the item, so β = E[x y] / E[x x'], of two people. The
rather plain E[x y] / E[x²] takes people's differing for errors of the judge: it is a lower bound of β.

With n annotations of people (variance v each) and m ratings of further items (variance w each), d is known from people
with variance v / n, and from the judge, as mean(y) / β, with variance (w / m + τ² + d² var(β)) / β². Precisions add.
All of it is an estimate beside people's results, and never stands in their place.
"""

from __future__ import annotations

import numpy as np
from scipy.special import stdtrit

PRIOR = 0.5
"""Counted to wins, ties and losses, so that what was never seen is not taken for impossible."""


def moments(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The difference d (...) and the variance (...) of one answer, from counts (..., 3) of wins, ties and losses."""
    counts = np.asarray(counts, dtype=float)
    total = counts.sum(axis=-1)
    gap = np.divide(counts[..., 0] - counts[..., 2], total, out=np.zeros_like(total), where=total > 0)
    share = (counts + PRIOR) / (total + 3 * PRIOR)[..., None]
    return gap, share[..., 0] + share[..., 2] - (share[..., 0] - share[..., 2]) ** 2


def fieller(above: float, below: float, covariance: np.ndarray, df: float = np.inf) -> tuple[float, float]:
    """The 95 % interval of above / below, of which (2, 2) is the covariance (Fieller 1954, J. R. Stat. Soc. B 16).

    `df` are the degrees of freedom that this is known with.

    (-inf, inf) where `below` is not told from 0: there the ratio has no bounds.
    """
    var_above, var_both, var_below = covariance[0][0], covariance[0][1], covariance[1][1]
    quantile = float(stdtrit(df, 0.975))
    square = below**2 - quantile**2 * var_below
    if not below > 0 or not square > 0:
        return -np.inf, np.inf
    middle = above * below - quantile**2 * var_both
    root = np.sqrt(max(middle**2 - square * (above**2 - quantile**2 * var_above), 0.0))
    return (middle - root) / square, (middle + root) / square


def information(
    square: np.ndarray, gap: np.ndarray, variance: np.ndarray, ratings: np.ndarray, bias: np.ndarray, error: np.ndarray
) -> np.ndarray:
    """How exactly the judge alone tells each pair's d: 1 / variance (..., pairs).

    Parameters
    ----------
    square, bias, error : arrays (..., 1)
        β², τ² and the variance of β's estimate.
    gap, variance, ratings : arrays (..., pairs)
        d, the variance of one rating, and the number of ratings (`inf` is without end).
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        noise = np.where(ratings > 0, variance / ratings, np.inf) + bias + gap**2 * error
        return np.where(square > 0, square / noise, 0.0)


def saved(
    square: np.ndarray,
    gap: np.ndarray,
    people: tuple[np.ndarray, np.ndarray],
    judge: tuple[np.ndarray, np.ndarray],
    bias: np.ndarray,
    error: np.ndarray,
    steps: int = 20,
) -> np.ndarray:
    """The share of people's annotations (...) that can be spared at equal power where the judge rates further items.

    The greatest s such that, in the mean over the pairs, (1 − s) of people's annotations, with β learnt from these
    alone, and the judge's ratings know d as exactly as all of people's annotations do.

    Parameters
    ----------
    people, judge : (variance of one, number), arrays (..., pairs) each
        Annotations of people, and ratings of the judge of items that people did not see.
    square, gap, bias, error :
        As in `information`; `error` is that with all of people's annotations.
    """
    n = people[1]
    used = np.broadcast_to(n > 0, gap.shape)
    low, high = np.zeros(gap.shape[:-1]), np.ones(gap.shape[:-1])  # of what is kept
    for _ in range(steps):
        kept = (low + high) / 2
        own = information(square, gap, judge[0], judge[1], bias, error / kept[..., None])
        gain = np.where(used, own * people[0] / np.where(used, n, 1), 0).sum(axis=-1) / used.sum(axis=-1)
        enough = kept + gain >= 1
        low, high = np.where(enough, low, kept), np.where(enough, kept, high)
    return 1 - high


def combined(gap: np.ndarray, variance: np.ndarray, rated: np.ndarray, slope: float, own: np.ndarray) -> tuple:
    """d by people and judge together, weighted by their precision, and its standard error: (pairs,) each.

    `gap`, `variance` are people's d and its variance, `rated` the mean of the judge's ratings of further items, `own`
    its `information`.
    """
    total = 1 / variance + own
    told = np.where(own > 0, rated / slope if slope > 0 else 0.0, 0.0)
    return (gap / variance + own * told) / total, 1 / np.sqrt(total)
