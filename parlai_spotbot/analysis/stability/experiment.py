"""Stability of the ranking by the number of conversations per pair: the experiment of section 5.2 and Figure 3.

Two ways. "paper": conversations are drawn without replacement from those at hand, so with all of them the result is
always the same and the curve ends at 1 whatever the data; and each bootstrap replicate draws 5,000 matches however few
there are, so that clusters look more certain than they are. "model": new conversations are played from Davidson's
model fitted to those at hand, and replicates draw as many as were played; the curve says what another study would find,
also one larger than this.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components
from scipy.stats import binomtest

from parlai_spotbot.analysis.ranking.davidson_algebra import PairedCounts
from parlai_spotbot.analysis.ranking.wins import LOSS, TIE, WIN
from parlai_spotbot.analysis.stability.matches import pair_counts

VARIANTS = ("paper", "model")
PAPER_DRAWS = 5000
SMALLEST = 3
LARGEST = 10.0
"""Log parameters beyond this are on their way to infinity: odds of 22,000 to 1 against the mean bot."""
GRID = (3, 5, 8, 10, 15, 20, 25, 30, 35, 40, 45, 60, 80, 100, 150, 200, 300)
"""Sizes of the way "model"."""


@dataclass(frozen=True)
class PlayedPool:
    """Bots and how their conversations ended: first and second bot (P,), wins, ties, losses of the first (P, 3)."""

    names: tuple[str, ...]
    first: np.ndarray
    second: np.ndarray
    counts: np.ndarray

    def without(self, bot: str) -> PlayedPool:
        """This pool, one bot left out."""
        out = self.names.index(bot)
        kept = (self.first != out) & (self.second != out)
        first, second = (side[kept] - (side[kept] > out) for side in (self.first, self.second))
        return PlayedPool(tuple(name for name in self.names if name != bot), first, second, self.counts[kept])


@dataclass(frozen=True)
class Experiment:
    """Description of how one point of a curve is found; see `stability`."""

    variant: str
    repetitions: int
    replicates: int
    draws: int
    level: float
    seed: int


def stability(
    matches: pd.DataFrame,
    names: Sequence[str],
    *,
    sizes: Iterable[int] | None = None,
    repetitions: int = 1000,
    replicates: int = 1000,
    draws: int = PAPER_DRAWS,
    variant: str = "paper",
    leave_one_out: bool = False,
    level: float = 0.95,
    seed: int = 0,
    threads: int | None = None,
    progress: Callable[[], None] | None = None,
) -> dict:
    """Repeat the study at several sizes: how often does the same ranking (ordered clusters of bots) come out?

    Parameters
    ----------
    matches : DataFrame
        One row a conversation: a, b, outcome, conversation_id, as from `conversation_matches`.
    names : sequence of str
        The bots.
    sizes : iterable of int, optional
        Conversations per pair; by default all from 3 to what every pair has ("paper"), or a grid up to well beyond it
        ("model").
    repetitions, replicates : int
        Studies per size, and bootstrap replicates in each.
    draws : int
        Matches drawn in a replicate of the way "paper".
    variant : str
        "paper" or "model": see above.
    leave_one_out : bool
        Whether to do it also for the pool without each bot (Figure 3b).
    level : float
        What the curve has to stay above to be called stable; also the share of ranks that a bot's range covers in the
        way "model" (the paper's ranges cover all ranks above and 99.5 % below).
    threads : int, optional
        By default as many as processors. The result is the same with any number.
    progress : callable, optional
        Called after each size of each pool, from one thread.

    Returns
    -------
    dict
        ``variant``, ``options``; ``whole``, a curve; and ``leave_one_out`` {bot: curve}. A curve has ``names``,
        ``sizes``; ``share`` (the most frequent ranking's, the paper's y-axis), ``share_ci`` (exact, of the Monte Carlo
        error) and ``ranking`` at each size (clusters from best to worst); ``same_again`` (chance that two studies
        agree, a pair of repetitions at random); ``as_last`` (share whose ranking is the most frequent one of the
        largest size); ``first`` (least size from which the share stays at `level`, or None). With the way "model" also
        ``order``: share of studies in which the scores order the bots as the model does.

    Raises
    ------
    ValueError
        Names the argument; the pair that has too few conversations; the conversation that is there twice.
    """
    experiment = Experiment(variant, repetitions, replicates, draws, level, seed)
    _check(matches, names, experiment)
    pool = PlayedPool(tuple(names), *pair_counts(matches, names))
    sizes = _sizes(pool, sizes, variant)
    pools = {"": pool}
    if leave_one_out and len(names) > 2:
        pools |= {bot: pool.without(bot) for bot in names}
    pools = {out: own for out, own in pools.items() if len(own.counts)}
    results = _run(pools, sizes, experiment, threads, progress)
    curves = {out: _curve(own, sizes, results[out], experiment) for out, own in pools.items()}
    options = {"repetitions": repetitions, "replicates": replicates, "level": level, "seed": seed}
    options["draws"] = draws if variant == "paper" else "as many as were played"
    at_hand = pool.counts.sum(axis=1)
    return {
        "variant": variant,
        "options": options,
        "conversations_per_pair": [int(at_hand.min()), int(at_hand.max())],
        "whole": curves.pop(""),
        "leave_one_out": curves,
    }


def default_sizes(fewest: int, variant: str) -> list[int]:
    """The sizes that `stability` takes where every pair has at least `fewest` conversations."""
    if variant == "paper":
        return list(range(min(SMALLEST, fewest), fewest + 1))
    return sorted({*GRID, fewest} - {size for size in GRID if size > max(4 * fewest, 45)})


def _check(matches: pd.DataFrame, names: Sequence[str], experiment: Experiment) -> None:
    if experiment.variant not in VARIANTS:
        raise ValueError(f"variant is {experiment.variant!r}, expected one of {', '.join(VARIANTS)}")
    for argument in ("repetitions", "replicates", "draws"):
        if getattr(experiment, argument) < 1:
            raise ValueError(f"{argument} is {getattr(experiment, argument)}, expected a whole number from 1 up")
    if not 0 < experiment.level < 1:
        raise ValueError(f"level is {experiment.level}, expected a number between 0 and 1")
    if len(names) < 2 or len(set(names)) < len(names):
        raise ValueError(f"names is {list(names)}, expected at least two different bots")
    if matches.empty:
        raise ValueError("matches is empty, expected a row for each conversation")
    twice = matches["conversation_id"].duplicated()
    if twice.any():
        raise ValueError(
            f"matches: conversation {matches['conversation_id'][twice].iloc[0]!r} is there more than once, expected "
            "one row a conversation (see conversation_matches)"
        )


def _sizes(pool: PlayedPool, sizes: Iterable[int] | None, variant: str) -> list[int]:
    totals = pool.counts.sum(axis=1)
    fewest = int(totals.min())
    if sizes is None:
        return default_sizes(fewest, variant)
    sizes = sorted({int(size) for size in sizes})
    if not sizes or sizes[0] < 1:
        raise ValueError(f"sizes is {sizes}, expected whole numbers from 1 up")
    if variant == "paper" and sizes[-1] > fewest:
        worst = int(totals.argmin())
        pair = f"{pool.names[pool.first[worst]]} and {pool.names[pool.second[worst]]}"
        raise ValueError(f"sizes holds {sizes[-1]}, but {pair} have {fewest} conversations; expected no more than that")
    return sizes


def _run(
    pools: dict, sizes: list[int], experiment: Experiment, threads: int | None, progress: Callable[[], None] | None
) -> dict:
    """Every pool at every size, in threads: the loops are compiled and let go of the interpreter."""
    tasks = [(out, pool, size) for out, pool in pools.items() for size in reversed(sizes)]
    results: dict[str, dict] = {out: {} for out in pools}
    shared = _tables(pools, sizes, experiment)
    with ThreadPoolExecutor(threads or os.cpu_count()) as workers:
        try:
            points = workers.map(lambda task: _point(*task, experiment, shared), tasks)
            for (out, _, size), result in zip(tasks, points, strict=True):
                results[out][size] = result
                if progress is not None:
                    progress()
        except BaseException:
            workers.shutdown(cancel_futures=True)  # or Ctrl-C would wait for all that is still to come
            raise
    return results


def _tables(pools: dict, sizes: list[int], experiment: Experiment) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return what all repetitions share: alias tables, for as many matches as a pair can well have, and log
    factorials."""
    from parlai_spotbot.analysis.stability.random_streams import log_factorials
    from parlai_spotbot.analysis.stability.tables import MOST, build

    largest = max(sizes)
    if experiment.variant == "paper":
        mean = experiment.draws / min(len(pool.counts) for pool in pools.values())
        largest = max(largest, min(experiment.draws, int(mean + 6 * np.sqrt(mean)) + 1))
    levels = max(1, -(-largest.bit_length() // 3))
    log_factorial = log_factorials(max(experiment.draws, max(sizes), 8**levels))
    return *build(min(MOST, max(sizes)), levels, log_factorial), log_factorial


def _point(
    out: str, pool: PlayedPool, size: int, experiment: Experiment, shared: tuple
) -> tuple[np.ndarray, np.ndarray | None]:
    """Places (repetitions, K) of each bot's cluster, and with the way "model" each bot's rank by its score."""
    from parlai_spotbot.analysis.stability import kernels  # importing numba takes longer than many a command

    bots = len(pool.names)
    seeds = np.random.SeedSequence([experiment.seed, zlib.crc32(out.encode("utf-8")), size])
    base = seeds.generate_state(1, np.uint64)[0]
    places = np.zeros((experiment.repetitions, bots), dtype=np.int64)
    sides = pool.first.astype(np.int64), pool.second.astype(np.int64)
    if experiment.variant == "paper":
        kernels.pooled_repetitions(
            pool.counts,
            *sides,
            bots,
            size,
            experiment.repetitions,
            experiment.replicates,
            experiment.draws,
            base,
            *shared,
            places,
        )
        return places, None
    ordered = np.zeros_like(places)
    thrown_out = int(np.floor((1 - experiment.level) / 2 * experiment.replicates + 1e-9))
    kernels.modelled_repetitions(
        pair_chances(pool),
        *sides,
        bots,
        size,
        experiment.repetitions,
        experiment.replicates,
        thrown_out,
        base,
        *shared,
        places,
        ordered,
    )
    return places, ordered


def pair_chances(pool: PlayedPool) -> np.ndarray:
    """Chances (P, 3) of win, tie, loss for the first bot of each pair, by Davidson's model of the pool's conversations.

    Where the model has no finite maximum (a bot that never wins), each pair gets one made-up conversation; where it has
    none even then (bots that never met, ties only), each pair's own shares are taken, with one made-up conversation.
    """
    strengths = pool_strengths(pool)
    if strengths is None:
        return (pool.counts + 1 / 3) / (pool.counts.sum(axis=1, keepdims=True) + 1)
    strength, tie = strengths
    gap = strength[pool.first] - strength[pool.second]
    worth = np.exp(np.stack([gap / 2, np.full(len(gap), tie), -gap / 2], axis=1))
    return worth / worth.sum(axis=1, keepdims=True)


def pool_strengths(pool: PlayedPool) -> tuple[np.ndarray, float] | None:
    """Log strengths (K,) and log ν by Davidson's model, -inf for ν where there are no ties; None where it has none."""
    if not pool.counts[:, [WIN, LOSS]].any():
        return None
    size, unbeaten = len(pool.names), np.zeros((len(pool.names),) * 2)
    for counts in (pool.counts, pool.counts + np.array([0.5, 0.0, 0.5])):
        unbeaten[pool.first, pool.second] = counts[:, WIN] + counts[:, TIE]
        unbeaten[pool.second, pool.first] = counts[:, LOSS] + counts[:, TIE]
        if connected_components(unbeaten, directed=True, connection="strong")[0] > 1:
            continue
        ties = bool(counts[:, TIE].any())
        model = PairedCounts(size, pool.first, pool.second, counts, ties, order=False, penalty=0.0)
        theta = _maximum(model)
        if theta is not None and np.abs(theta).max() <= LARGEST:
            return theta[:size], float(theta[size]) if ties else -np.inf
    return None


def _maximum(model: PairedCounts) -> np.ndarray | None:
    """Return the parameters (p,) of the maximum, by Newton's method with halved steps; None where it does not converge.

    Steps are taken to rounding: draws depend on which of two equal chances is the greater.
    """
    theta = np.zeros(model.parameters)
    loglik = float(model.value(theta))
    for _ in range(100):
        chances = np.exp(model.log_chances(theta))
        information = model.information(chances)
        gradient = model.score(chances, np.zeros_like(information))
        step = np.linalg.lstsq(information, gradient, rcond=None)[0]
        if gradient @ step < 1e-12 * max(1.0, abs(loglik) * 1e-3):
            return theta
        scale, before = min(1.0, LARGEST / float(np.abs(step).max(initial=1e-300))), loglik
        while (loglik := float(model.value(theta + scale * step))) < before and scale > 1e-10:
            scale /= 2
        theta = theta + scale * step
    return None


def model_order(pool: PlayedPool) -> np.ndarray:
    """Places of the bots from best to worst by the chances that conversations are played with."""
    chances = pair_chances(pool)
    gap, score = chances[:, 0] - chances[:, 2], np.zeros(len(pool.names))
    np.add.at(score, pool.first, gap)
    np.add.at(score, pool.second, -gap)
    met = np.bincount(np.concatenate([pool.first, pool.second]), minlength=len(score))
    return (-score / np.maximum(met, 1)).argsort(kind="stable")


def _curve(pool: PlayedPool, sizes: list[int], results: dict[int, tuple], experiment: Experiment) -> dict:
    rows = [_summary(results[size][0], pool.names, experiment) for size in sizes]
    last = rows[-1]["ranking"]
    curve = {key: [row[key] for row in rows] for key in ("share", "share_ci", "same_again", "ranking")}
    curve["as_last"] = [row["shares"].get(_key(last), 0.0) for row in rows]
    if experiment.variant == "model":
        true = model_order(pool)
        curve["order"] = [float((np.diff(results[size][1][:, true], axis=1) > 0).all(axis=1).mean()) for size in sizes]
    first = first_stable(sizes, curve["share"], experiment.level)
    return {"names": list(pool.names), "sizes": sizes, **curve, "first": first}


def _summary(places: np.ndarray, names: tuple[str, ...], experiment: Experiment) -> dict:
    """Share of each ranking at one size."""
    seen, times = np.unique(places, axis=0, return_counts=True)
    top = int(times.argmax())
    ci = binomtest(int(times[top]), experiment.repetitions).proportion_ci(method="exact")
    other = max(experiment.repetitions - 1, 1)
    rankings = [ranking_of(row, names) for row in seen]
    return {
        "share": float(times[top] / experiment.repetitions),
        "share_ci": [float(ci.low), float(ci.high)],
        "same_again": float((times * (times - 1)).sum() / (experiment.repetitions * other)),
        "ranking": rankings[top],
        "shares": {_key(r): float(t / experiment.repetitions) for r, t in zip(rankings, times, strict=True)},
    }


def ranking_of(places: np.ndarray, names: Sequence[str]) -> list[list[str]]:
    """The clusters from best to worst, from each bot's first place of its cluster."""
    return [[name for name, place in zip(names, places, strict=True) if place == p] for p in np.unique(places)]


def _key(ranking: list[list[str]]) -> tuple:
    return tuple(tuple(cluster) for cluster in ranking)


def first_stable(sizes: Sequence[int], share: Sequence[float], level: float) -> int | None:
    """The least size from which on the share never falls below `level`; None where the largest doesn't reach it."""
    first = None
    for size, value in zip(reversed(sizes), reversed(share), strict=True):
        if value < level:
            break
        first = size
    return first
