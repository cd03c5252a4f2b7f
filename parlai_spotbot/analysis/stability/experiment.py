"""Stability of the ranking by the number of conversations per pair: the experiment of section 5.2 and Figure 3.

Two ways. "paper": conversations are drawn without replacement from those at hand, so with all of them the result is
always the same and the curve ends at 1 whatever the data; and each bootstrap replicate draws 5,000 matches however few
there are, so that clusters look more certain than they are. "model": new conversations are played from Davidson's
model as the headline ranking fits it, and replicates draw as many as were played; the curve says what another study
would find, also one larger than this.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.stats import binomtest

from parlai_spotbot import engine
from parlai_spotbot.analysis.ranking.clusters import cluster_places, rank_ranges, ranks, trimmed
from parlai_spotbot.analysis.ranking.davidson_algebra import PairedCounts
from parlai_spotbot.analysis.ranking.wins import LOSS, TIE, WIN
from parlai_spotbot.analysis.stability.matches import pair_counts
from parlai_spotbot.analysis.values import ArrayPair

if TYPE_CHECKING:
    from parlai_spotbot.analysis.stability.tables import Tables

DRAWS = 5000
"""Matches in a replicate of the way "paper"."""
LEVEL = 0.95
"""The share from which on a curve counts as stable, and of ranks that a bot's range covers in the way "model" (the
paper's ranges cover all ranks above and 99.5 % below)."""
SMALLEST = 3
GRID = (3, 5, 8, 10, 15, 20, 25, 30, 35, 40, 45, 60, 80, 100, 150, 200, 300)
"""Sizes of the way "model"."""


@dataclass(frozen=True)
class PlayedPool:
    """Bots and how their conversations ended: both bots (P, 2), and wins, ties, losses of the first (P, 3)."""

    names: tuple[str, ...]
    pairs: np.ndarray
    counts: np.ndarray

    def scores(self, outcomes: np.ndarray) -> np.ndarray:
        """Mean of wins less losses (..., K) from outcomes (..., P, 3): where every pair meets as often its order is
        that of Davidson's strengths."""
        sides = np.eye(len(self.names))[self.pairs]
        opponents = np.maximum(sides.sum(axis=(0, 1)), 1.0)
        return (outcomes[..., WIN] - outcomes[..., LOSS]) @ (sides[:, 0] - sides[:, 1]) / opponents


def stability(
    matches: pd.DataFrame,
    names: Sequence[str],
    *,
    sizes: Iterable[int] | None = None,
    repetitions: int = 1000,
    replicates: int = 1000,
    variant: str = "paper",
    leave_one_out: bool = False,
    seed: int = 0,
    progress: Callable[[int, int], object] = max,
) -> pd.DataFrame:
    """Repeat the study at several sizes: how often does the same ranking (ordered clusters of bots) come out?

    Parameters
    ----------
    matches : DataFrame
        One row a conversation: a, b, outcome, conversation_id, as from `conversation_matches`.
    sizes : iterable of int, optional
        Conversations per pair; by default all from 3 to what every pair has ("paper"), or a grid beyond it ("model").
    repetitions, replicates : int
        Studies per size, and bootstrap replicates in each.
    leave_one_out : bool
        Whether to do it also for the pool without each bot (Figure 3b).
    progress : callable
        Called after each size of each pool with how many of how many are done.

    Returns
    -------
    frame
        The curve of all bots (`removed` is ""), then those without each; one row a size, see `_curve`.

    Raises
    ------
    ValueError
        Names the pair that has too few conversations, or sizes that are no numbers from 1 up.
    """
    pool = PlayedPool(tuple(names), *pair_counts(matches, names))
    sizes = _sizes(pool, sizes, variant)
    pools = {"": pool}
    if leave_one_out and len(names) > 2:
        pools |= {bot: _without(bot, matches, names) for bot in names}
    pools = {out: kept for out, kept in pools.items() if len(kept.counts)}
    points = []
    for out, kept in pools.items():
        chances = pair_chances(kept)
        number = zlib.crc32(out.encode("utf-8"))
        points += [Point(out, kept, size, (repetitions, replicates), (seed, number, size), chances) for size in sizes]
    function: Callable = _model_point
    if variant == "paper":
        function = partial(_paper_point, max(sizes), min(len(kept.counts) for kept in pools.values()))
    draws = _computed(function, points, progress)
    results = {out: {size: draws[out, size] for size in sizes} for out in pools}
    curves = [_curve(kept, sizes, results[out]).assign(removed=out) for out, kept in pools.items()]
    return pd.concat(curves, ignore_index=True)


def _without(bot: str, matches: pd.DataFrame, names: Sequence[str]) -> PlayedPool:
    """Return the pool without a bot."""
    others = tuple(name for name in names if name != bot)
    rows = matches[(matches["a"] != bot) & (matches["b"] != bot)]
    return PlayedPool(others, *pair_counts(rows, others))


def _computed(function: Callable, points: list[Point], progress: Callable[[int, int], object]) -> dict:
    """Return what is found of each point, by the bot that is left out and the size."""
    # The largest sizes take longest: with these first no processor waits for another at the end.
    points = sorted(points, key=lambda point: -point.size)
    draws = {}
    for number, outcome in engine.outcomes(function, points, releases=True):
        draws[points[number].out, points[number].size] = outcome
        progress(len(draws), len(points))
    return draws


def default_sizes(fewest: int, variant: str) -> list[int]:
    """The sizes that `stability` takes where every pair has at least `fewest` conversations."""
    if variant == "paper":
        return list(range(min(SMALLEST, fewest), fewest + 1))
    return sorted({*GRID, fewest} - {size for size in GRID if size > max(4 * fewest, 45)})


def _sizes(pool: PlayedPool, sizes: Iterable[int] | None, variant: str) -> list[int]:
    totals = pool.counts.sum(axis=1)
    fewest = int(totals.min())
    if sizes is None:
        return default_sizes(fewest, variant)
    sizes = sorted({int(size) for size in sizes})
    if not sizes or sizes[0] < 1:
        raise ValueError(f"sizes is {sizes}, expected whole numbers from 1 up")
    if variant == "paper" and sizes[-1] > fewest:
        pair = " and ".join(pool.names[bot] for bot in pool.pairs[totals.argmin()])
        raise ValueError(f"sizes holds {sizes[-1]}, but {pair} have {fewest} conversations; expected no more than that")
    return sizes


@dataclass(frozen=True)
class Point:
    """One size of a pool without the bot `out`; `times` are the repetitions and the replicates in each."""

    out: str
    pool: PlayedPool
    size: int
    times: tuple[int, int]
    seed: tuple[int, ...]
    chances: np.ndarray

    def generator(self) -> np.random.SeedSequence:
        return np.random.SeedSequence(self.seed)


@cache
def _tables(largest: int, pairs: int) -> Tables:
    from parlai_spotbot.analysis.stability.tables import build_for

    return build_for(largest, DRAWS, pairs)


def _paper_point(largest: int, pairs: int, point: Point) -> tuple[np.ndarray, None]:
    """Return places (repetitions, K) of each bot's cluster, with conversations drawn again.

    `largest` is the largest size of all points, and `pairs` the number of pairs of the smallest pool.
    """
    from parlai_spotbot.analysis.stability import kernels  # importing numba takes longer than many a command

    pool = point.pool
    repetitions, replicates = point.times
    places = np.zeros((repetitions, len(pool.names)), dtype=np.int64)
    base = point.generator().generate_state(1, np.uint64)[0]
    times = (point.size, replicates, DRAWS)
    kernels.pooled_repetitions(pool.counts, pool.pairs, times, base, _tables(largest, pairs), places)
    return places, None


def _model_point(point: Point) -> ArrayPair:
    """Return the same with new conversations; beside the places each bot's rank by its score in the sample."""
    from parlai_spotbot.analysis.stability import new_studies

    pool = point.pool
    rng = np.random.default_rng(point.generator())
    played = rng.multinomial(point.size, point.chances, size=(point.times[0], len(pool.counts)))
    ranges = _compiled_ranges
    if point.size > new_studies.MOST:
        ranges = _drawn_ranges
    places = [cluster_places(each)[:, 0] for each in ranges(pool, played, point.times[1], rng)]
    return np.array(places), ranks(pool.scores(played))[0]


def _drawn_ranges(pool: PlayedPool, played: np.ndarray, replicates: int, rng: np.random.Generator) -> Iterator:
    """Yield first and last rank (K, 2) among replicates of each of the studies `played` (repetitions, P, 3)."""
    for sample in played:
        drawn = rng.multinomial(sample[0].sum(), sample / sample[0].sum(), size=(replicates, len(sample)))
        yield rank_ranges(pool.scores(drawn), LEVEL)


def _compiled_ranges(pool: PlayedPool, played: np.ndarray, replicates: int, rng: np.random.Generator) -> Iterator:
    """Yield the same, of few conversations a pair."""
    from parlai_spotbot.analysis.stability import new_studies

    chances = new_studies.chances_of(int(played[0, 0].sum()))
    size = len(pool.names)
    opponents = np.maximum(np.bincount(pool.pairs.ravel(), minlength=size), 1.0)
    counts = np.empty((2, size, size), dtype=np.int64)
    out = trimmed(replicates, LEVEL)
    for sample in played:
        new_studies.rank_counts(rng, sample, pool.pairs, opponents, replicates, chances, counts)
        seen = counts.cumsum(axis=-1)
        first = (seen[0] > out).argmax(axis=-1)
        last = (seen[1] > replicates - 1 - out).argmax(axis=-1)
        yield np.stack([first, last], axis=-1) + 1


def pair_chances(pool: PlayedPool) -> np.ndarray:
    """Chances (P, 3) of win, tie, loss for the first bot of each pair, by Davidson's model of the pool's conversations.

    Where that can't compare all bots (some never met, even through others, or nothing was decided) each pair's own
    shares, with one made-up conversation.
    """
    size, (first, second) = len(pool.names), pool.pairs.T
    met = csr_array((np.ones(len(first)), (first, second)), shape=(size, size))
    if connected_components(met, directed=False)[0] > 1 or not pool.counts[:, [WIN, LOSS]].any():
        return (pool.counts + 1 / 3) / (pool.counts.sum(axis=1, keepdims=True) + 1)
    model = PairedCounts(size, first, second, pool.counts.astype(float), bool(pool.counts[:, TIE].any()), order=False)
    return np.exp(model.log_chances(model.maximise(np.zeros(model.parameters))))


def _curve(pool: PlayedPool, sizes: list[int], draws: dict[int, tuple[np.ndarray, np.ndarray | None]]) -> pd.DataFrame:
    """Return of each of `sizes`: ``share`` (the most frequent ranking's, the paper's y-axis) with ``share_low`` and
    ``share_high`` (exact, of the Monte Carlo error); ``ranking`` (clusters from best to worst); ``same_again`` (chance
    that two studies agree, a pair of repetitions at random); ``as_last`` (share whose ranking is the most frequent one
    of the largest size); in the way "model" ``order`` (share of studies in which the scores order the bots as the model
    does).
    """
    curve = pd.DataFrame([_summary(draws[size][0]) for size in sizes])
    curve.insert(0, "sizes", sizes)
    tops = curve.pop("top")
    last = tops.iloc[-1]
    curve["ranking"] = [ranking_of(top, pool.names) for top in tops]
    curve["as_last"] = [(draws[size][0] == last).all(axis=1).mean() for size in sizes]
    by_size = [draws[size][1] for size in sizes]
    ranks = [places for places in by_size if places is not None]
    if ranks:
        true = (-pool.scores(pair_chances(pool))).argsort(kind="stable")
        curve["order"] = [(np.diff(places[:, true], axis=1) > 0).all(axis=1).mean() for places in ranks]
    return curve


def _summary(places: np.ndarray) -> dict:
    """The most frequent places (K,) of repetitions (repetitions, K), and how frequent they are."""
    seen, times = np.unique(places, axis=0, return_counts=True)
    top = int(times.argmax())
    count = len(places)
    ci = binomtest(int(times[top]), count).proportion_ci(method="exact")
    return {
        "top": seen[top],
        "share": times[top] / count,
        "share_low": ci.low,
        "share_high": ci.high,
        "same_again": (times * (times - 1)).sum() / (count * max(count - 1, 1)),
    }


def ranking_of(places: np.ndarray, names: Sequence[str]) -> list[list[str]]:
    """The clusters from best to worst, from each bot's first place of its cluster."""
    return [[name for name, place in zip(names, places, strict=True) if place == p] for p in np.unique(places)]


def first_stable(curve: pd.DataFrame) -> int | None:
    """The least size of a curve from which on the share never falls below `LEVEL`; None where the largest doesn't reach
    it."""
    sizes = curve["sizes"].tolist()
    below = np.flatnonzero(curve["share"] < LEVEL)
    place = below[-1] + 1 if len(below) else 0
    return sizes[place] if place < len(sizes) else None
