"""The experiment's repetitions in plain NumPy: the readable twin of the compiled loops, and slower by two orders."""

from __future__ import annotations

import numpy as np

from parlai_spotbot.analysis.ranking.clusters import cluster_places, rank_ranges, ranks


def paper_repetition(
    counts: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    bots: int,
    size: int,
    *,
    rng: np.random.Generator,
    replicates: int = 1000,
    draws: int = 5000,
) -> np.ndarray:
    """First place (K,) of each bot's cluster when `size` of each pair's conversations are drawn, the paper's way."""
    sample = np.stack([rng.multivariate_hypergeometric(own, size) for own in counts])
    drawn = rng.multinomial(draws, sample.ravel() / sample.sum(), size=replicates).reshape(replicates, *sample.shape)
    return paper_places(pooled_scores(drawn, first, second, bots))


def pooled_scores(drawn: np.ndarray, first: np.ndarray, second: np.ndarray, bots: int) -> np.ndarray:
    """Wins / all matches (replicates, K) from the outcomes drawn (replicates, P, 3)."""
    won, met = _by_bot(drawn[..., 0], drawn[..., 2], first, second, bots), drawn.sum(axis=-1)
    met = _by_bot(met, met, first, second, bots)
    return np.divide(won, met, out=np.zeros(won.shape), where=met > 0)


def paper_places(scores: np.ndarray) -> np.ndarray:
    """First places (K,) of the clusters: a first rank is the best ever seen, a last the least above 99.5 %."""
    best, worst = ranks(scores)
    enough = min(int(np.floor(0.995 * len(scores))) + 1, len(scores))
    return cluster_places(np.stack([best.min(axis=0), np.sort(worst, axis=0)[enough - 1]], axis=-1))[:, 0]


def model_repetition(
    chances: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    bots: int,
    size: int,
    *,
    rng: np.random.Generator,
    replicates: int = 1000,
    level: float = 0.95,
) -> np.ndarray:
    """First place (K,) of each bot's cluster when `size` new conversations are played, the sound way."""
    sample = rng.multinomial(size, chances)
    drawn = rng.multinomial(size, sample / size, size=(replicates, len(sample)))
    gap = drawn[..., 0] - drawn[..., 2]
    scores = _by_bot(gap, -gap, first, second, bots) / _by_bot(*np.ones((2, len(first))), first, second, bots)
    return cluster_places(rank_ranges(scores, level))[:, 0]


def _by_bot(ours: np.ndarray, theirs: np.ndarray, first: np.ndarray, second: np.ndarray, bots: int) -> np.ndarray:
    """Sum the pairs' values (..., P) for the first and the second bot: (..., K)."""
    return ours @ np.eye(bots)[first] + theirs @ np.eye(bots)[second]
