"""The experiment of section 5.2 as compiled loops: one repetition after the other, each with its own random stream.

A cluster boundary of the paper's rule lies exactly at those r for which the same r bots are strictly on top in every
replicate: a bot's first rank is the best it ever has, so one crossing joins two clusters. So a boundary once crossed is
settled, and one so clear that no replicate will ever cross it is settled before any is drawn.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from parlai_spotbot.analysis.stability.random_streams import binomial, start, uniform
from parlai_spotbot.analysis.stability.tables import successes

CLEAR = 6.0
"""Standard errors beyond which two bots are taken as never exchanged: 1e-9 a replicate, one repetition in a million."""
BANK = 8192
"""How many replicates' numbers of matches per pair are at hand; see `matches_per_pair`."""


@njit(nogil=True, cache=True)
def subsample(state, counts, size, pool, sample):
    """Draw `size` conversations of each pair without replacement: wins, ties, losses `counts` (P, 3) -> `sample`."""
    for pair in range(len(counts)):
        total = 0
        for outcome in range(3):
            for _ in range(counts[pair, outcome]):
                pool[total] = outcome
                total += 1
            sample[pair, outcome] = 0
        for i in range(size):
            j = i + int(uniform(state) * (total - i))
            pool[i], pool[j] = pool[j], pool[i]
            sample[pair, pool[i]] += 1


@njit(nogil=True, cache=True)
def play(state, chances, size, log_factorial, sample):
    """Play `size` new conversations of each pair: chances of win, tie, loss `chances` (P, 3) -> `sample`."""
    for pair in range(len(chances)):
        won = binomial(state, size, chances[pair, 0], log_factorial)
        rest = 1.0 - chances[pair, 0]
        lost = binomial(state, size - won, chances[pair, 2] / rest if rest > 0 else 0.0, log_factorial)
        sample[pair, 0], sample[pair, 1], sample[pair, 2] = won, size - won - lost, lost


@njit(nogil=True, cache=True)
def matches_per_pair(base, pairs, draws, log_factorial):
    """Describe how `draws` matches fall on the pairs, (BANK, pairs): every pair has as many conversations, so equally
    likely.

    This doesn't depend on what was sampled, so the repetitions of a size share it, each from a place of its own.
    """
    state = np.zeros(1, dtype=np.uint64)
    start(state, base, -1)
    bank = np.zeros((BANK, pairs), dtype=np.int32)
    for row in range(BANK):
        left = draws
        for pair in range(pairs - 1):
            n = binomial(state, left, 1.0 / (pairs - pair), log_factorial)
            bank[row, pair] = n
            left -= n
        bank[row, pairs - 1] = left
    return bank


@njit(nogil=True, cache=True)
def draw_pooled(state, sample, size, matches, first, second, needed, meta, entries, log_factorial, met, score):
    """One replicate of the paper's: wins / all matches with ties, for the bots `needed` only; `matches` per pair."""
    for bot in range(len(score)):
        score[bot] = met[bot] = 0.0
    for pair in range(len(sample)):
        i, j, n, wins = first[pair], second[pair], matches[pair], 0
        if needed[i]:
            wins = successes(state, n, sample[pair, 0], size, meta, entries, log_factorial)
            score[i] += wins
            met[i] += n
        if needed[j]:
            if needed[i]:
                rest = size - sample[pair, 0]
                score[j] += successes(state, n - wins, sample[pair, 2], rest, meta, entries, log_factorial)
            else:
                score[j] += successes(state, n, sample[pair, 2], size, meta, entries, log_factorial)
            met[j] += n
    for bot in range(len(score)):
        score[bot] /= max(met[bot], 1.0)


@njit(nogil=True, cache=True)
def draw_by_pair(state, sample, size, first, second, opponents, meta, entries, log_factorial, score):
    """One replicate of the sound way: each pair's conversations with replacement; score = mean of wins less losses."""
    for bot in range(len(score)):
        score[bot] = 0.0
    for pair in range(len(sample)):
        wins = successes(state, size, sample[pair, 0], size, meta, entries, log_factorial)
        rest = size - sample[pair, 0]
        losses = successes(state, size - wins, sample[pair, 2], rest, meta, entries, log_factorial)
        score[first[pair]] += wins - losses
        score[second[pair]] += losses - wins
    for bot in range(len(score)):
        score[bot] /= opponents[bot]


@njit(nogil=True, cache=True)
def standing(sample, size, draws, first, second, score, error):
    """Scores (K,) of the sample, and the standard error (K, K) of their differences among replicates (delta method)."""
    total = float(len(sample) * size)
    bots = len(score)
    won, met = np.zeros(bots), np.zeros(bots)
    for pair in range(len(sample)):
        won[first[pair]] += sample[pair, 0] / total
        won[second[pair]] += sample[pair, 2] / total
        met[first[pair]] += size / total
        met[second[pair]] += size / total
    for bot in range(bots):
        score[bot] = won[bot] / met[bot] if met[bot] > 0 else 0.0
    for i in range(bots):
        for j in range(bots):
            first_variance, other = won[i] * (1 - score[i]), won[j] * (1 - score[j])
            error[i, j] = first_variance / max(met[i], 1e-9) ** 2 + other / max(met[j], 1e-9) ** 2
    for pair in range(len(sample)):  # a match of the two with each other moves both scores
        i, j = first[pair], second[pair]
        both = sample[pair, 1] * score[i] * score[j] - sample[pair, 0] * (1 - score[i]) * score[j]
        both = (both - sample[pair, 2] * score[i] * (1 - score[j])) / total
        error[i, j] -= 2 * both / (met[i] * met[j])
        error[j, i] = error[i, j]
    for i in range(bots):
        for j in range(bots):
            error[i, j] = math.sqrt(max(error[i, j], 0.0) / draws)


@njit(nogil=True, cache=True)
def open_boundaries(score, error, order, boundary, unsettled):
    """Settle the boundaries that need no replicate: bots level in the sample, or farther apart than `CLEAR`."""
    count = 0
    for r in range(1, len(score)):
        unsettled[r] = False
        boundary[r] = score[order[r - 1]] > score[order[r]]
        if boundary[r]:
            for i in order[:r]:
                for j in order[r:]:
                    unsettled[r] |= score[i] - score[j] <= CLEAR * error[i, j]
            count += unsettled[r]
    return count


@njit(nogil=True, cache=True)
def mark_wanted(score, error, order, unsettled, needed):
    """The bots that decide a boundary still open: those that some bot of the other side is not clearly apart from."""
    needed[:] = False
    for r in range(1, len(score)):
        if unsettled[r]:
            for i in order[:r]:
                for j in order[r:]:
                    if score[i] - score[j] <= CLEAR * error[i, j]:
                        needed[i] = needed[j] = True


@njit(nogil=True, cache=True)
def crossed(score, order, r, needed):
    """Return whether, of the bots wanted, the first r of `order` are not strictly above all others."""
    least, most = np.inf, -np.inf
    for i in order[:r]:
        if needed[i]:
            least = min(least, score[i])
    for j in order[r:]:
        if needed[j]:
            most = max(most, score[j])
    return least <= most


@njit(nogil=True, cache=True)
def pooled_repetitions(
    counts, first, second, bots, size, repetitions, replicates, draws, base, meta, entries, log_factorial, places
):
    """The paper's way: subsample, 5,000 draws; `places` (repetitions, bots) becomes the first place of each cluster."""
    state = np.zeros(1, dtype=np.uint64)
    sample = np.zeros((len(counts), 3), dtype=np.int64)
    pool = np.zeros(counts.sum(), dtype=np.int64)
    seen, score, met, error = np.zeros(bots), np.zeros(bots), np.zeros(bots), np.zeros((bots, bots))
    unsettled, boundary = np.zeros(bots, dtype=np.bool_), np.zeros(bots, dtype=np.bool_)
    needed = np.zeros(bots, dtype=np.bool_)
    bank = matches_per_pair(base, len(counts), draws, log_factorial)
    for repetition in range(repetitions):
        start(state, base, repetition)
        subsample(state, counts, size, pool, sample)
        standing(sample, size, draws, first, second, seen, error)
        order = np.argsort(-seen)
        remaining = open_boundaries(seen, error, order, boundary, unsettled)
        mark_wanted(seen, error, order, unsettled, needed)
        row = int(uniform(state) * BANK)
        for _ in range(replicates):
            if remaining == 0:
                break
            row = (row + 1) % BANK
            draw_pooled(state, sample, size, bank[row], first, second, needed, meta, entries, log_factorial, met, score)
            before = remaining
            for r in range(1, bots):
                if unsettled[r] and crossed(score, order, r, needed):
                    boundary[r], unsettled[r] = False, False
                    remaining -= 1
            if remaining < before:
                mark_wanted(seen, error, order, unsettled, needed)
        place = 1
        for i in range(bots):
            if i > 0 and boundary[i]:
                place = i + 1
            places[repetition, order[i]] = place


@njit(nogil=True, cache=True)
def modelled_repetitions(
    chances,
    first,
    second,
    bots,
    size,
    repetitions,
    replicates,
    out,
    base,
    meta,
    entries,
    log_factorial,
    places,
    ordered,
):
    """The sound way: new conversations, a bootstrap of as many; `out` ranks are thrown out at each end.

    `ordered` (repetitions, bots) becomes the rank of each bot in the sample itself.
    """
    state = np.zeros(1, dtype=np.uint64)
    sample = np.zeros((len(chances), 3), dtype=np.int64)
    score = np.zeros(bots)
    opponents = np.zeros(bots)
    for pair in range(len(first)):
        opponents[first[pair]] += 1
        opponents[second[pair]] += 1
    opponents = np.maximum(opponents, 1.0)
    for repetition in range(repetitions):
        start(state, base, repetition)
        play(state, chances, size, log_factorial, sample)
        points(sample, first, second, opponents, score)
        for bot in range(bots):
            ordered[repetition, bot] = 1 + (score > score[bot]).sum()
        best = np.zeros((bots, bots + 1), dtype=np.int64)
        worst = np.zeros((bots, bots + 1), dtype=np.int64)
        for _ in range(replicates):
            draw_by_pair(state, sample, size, first, second, opponents, meta, entries, log_factorial, score)
            for i in range(bots):
                above, level = 0, 0
                for j in range(bots):
                    above += score[j] > score[i]
                    level += score[j] >= score[i]
                best[i, above + 1] += 1
                worst[i, level] += 1
        cluster(best, worst, out, replicates, places[repetition])


@njit(nogil=True, cache=True)
def points(sample, first, second, opponents, score):
    """Mean of wins less losses: in a balanced design its order is that of Davidson's strengths."""
    score[:] = 0.0
    for pair in range(len(sample)):
        gap = sample[pair, 0] - sample[pair, 2]
        score[first[pair]] += gap
        score[second[pair]] -= gap
    for bot in range(len(score)):
        score[bot] /= opponents[bot]


@njit(nogil=True, cache=True)
def cluster(best, worst, out, replicates, places):
    """First places of the clusters from how often each bot had each best and worst rank."""
    bots = len(best)
    low, high = np.zeros(bots, dtype=np.int64), np.zeros(bots, dtype=np.int64)
    for i in range(bots):
        seen = 0
        for rank in range(1, bots + 1):
            seen += best[i, rank]
            if seen > out:
                low[i] = rank
                break
        seen = 0
        for rank in range(1, bots + 1):
            seen += worst[i, rank]
            if seen >= replicates - out:
                high[i] = rank
                break
    order = np.argsort(low * (bots + 1) + high)
    place, reach = 1, 0
    for i in range(bots):
        if low[order[i]] > reach:
            place = i + 1
        reach = max(reach, high[order[i]])
        places[order[i]] = place
