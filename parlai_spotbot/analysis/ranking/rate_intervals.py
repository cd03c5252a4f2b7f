"""Intervals of win rates, for matches that share conversations or annotators."""

import numpy as np
import pandas as pd
from scipy.special import expit, logit, stdtrit

from parlai_spotbot.analysis.ranking.contrasts import Contrasts
from parlai_spotbot.analysis.ranking.wins import TIE, WIN, conversations_decided, win_rates
from parlai_spotbot.analysis.uncertainty.shares import LEVEL, clopper_pearson
from parlai_spotbot.analysis.uncertainty.sign_flips import cluster_sums
from parlai_spotbot.analysis.values import ArrayPair, ratio


def win_rate_table(contrasts: Contrasts) -> pd.DataFrame:
    """Return the paper's win rate of each bot with the ends of its interval: bot, win_rate, win_rate_low and _high."""
    low, high = win_rate_intervals(contrasts).T
    rates = {"bot": contrasts.names, "win_rate": win_rates(contrasts.matrix)}
    return pd.DataFrame({**rates, "win_rate_low": low, "win_rate_high": high})


def win_rate_intervals(contrasts: Contrasts) -> np.ndarray:
    """Return intervals (K, 2) of the mean of the pairwise win rates (`win_rates`), on the scale of log odds.

    A match departs from what the strengths expect of it, not from its own pair's rate, which with a conversation or two
    is what it is by that match alone. Clopper and Pearson's, with a conversation as one choice, where one side won
    everything; NaN where fewer than half of a contestant's pairs were decided, or clusters are too few.
    """
    matrix = contrasts.matrix
    size = len(contrasts.names)
    rates = win_rates(matrix)
    decided = matrix.wins + matrix.wins.T
    variance, df = _variance(contrasts, ratio(1.0, decided * (decided > 0).sum(axis=1)[:, None], 0.0))
    inside = (rates > 0) & (rates < 1) & (df > 0)
    rate = rates[inside]
    half = stdtrit(df[inside], (1 + LEVEL) / 2) * np.sqrt(variance[inside]) / (rate * (1 - rate))
    ends = np.full((size, 2), np.nan)
    ends[inside] = expit(np.stack([logit(rate) - half, logit(rate) + half], axis=-1))
    total = conversations_decided(contrasts.codes, contrasts.clusters, size)
    outer = (rates == 0) | (rates == 1)
    ends[outer] = clopper_pearson(rates, total)[outer]
    few = (decided > 0).sum(axis=1) < (matrix.matches > 0).sum(axis=1) / 2
    return np.where(few[:, None], np.nan, ends)


def _variance(contrasts: Contrasts, share: np.ndarray) -> ArrayPair:
    """Return variance and df (K,) of the rates, of which each decided match of a with b is the `share` (K, K)."""
    a, b, outcome = contrasts.codes
    chance = expit(contrasts.strength[:, None] - contrasts.strength[None, :])
    chance = np.where(np.isfinite(chance), chance, np.nan_to_num(contrasts.matrix.rates, nan=0.5))
    away = np.where(outcome == TIE, 0.0, (outcome == WIN) - chance[a, b])
    rows = np.tile(np.arange(len(a)), 2)
    ends_of = np.concatenate([a, b])
    shares = np.concatenate([share[a, b], share[b, a]])
    scores = cluster_sums(np.concatenate([away, -away]) * shares, rows, ends_of, len(share))
    return contrasts.clusters.variance(scores, cluster_sums(shares**2, rows, ends_of, len(share)))
