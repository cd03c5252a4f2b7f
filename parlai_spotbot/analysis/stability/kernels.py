"""The experiment of section 5.2 as compiled loops: one repetition after the other, each with its own random stream.

A cluster boundary of the paper's rule lies exactly at those r for which the same r bots are strictly on top in every
replicate: a bot's first rank is the best it ever has, so one crossing joins two clusters. So a boundary once crossed is
settled, and one so clear that no replicate will ever cross it is settled before any is drawn.
"""

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
def draw_pooled(state, sample, pairs, matches, needed, tables, score):
    """One replicate of the paper's: wins / all matches with ties, for the bots `needed` only; `matches` per pair.

    `score` (2, K) becomes the scores, and how many matches each bot had.
    """
    size = sample[0].sum()
    score[:] = 0.0
    for pair in range(len(sample)):
        i = pairs[pair, 0]
        j = pairs[pair, 1]
        n = matches[pair]
        wins = 0
        if needed[i]:
            wins = successes(state, n, sample[pair, 0], size, tables)
            score[0, i] += wins
            score[1, i] += n
        if needed[j]:
            rest = size - sample[pair, 0] if needed[i] else size
            score[0, j] += successes(state, n - wins, sample[pair, 2], rest, tables)
            score[1, j] += n
    for bot in range(len(needed)):
        score[0, bot] /= max(score[1, bot], 1.0)


@njit(nogil=True, cache=True)
def outcome_parts(pairs, bots):
    """Return what each outcome of each pair adds to a bot's wins, and to its matches: (K, 3 P) each."""
    won = np.zeros((bots, 3 * len(pairs)))
    met = np.zeros((bots, 3 * len(pairs)))
    for pair in range(len(pairs)):
        for side in range(2):
            won[pairs[pair, side], 3 * pair + 2 * side] = 1.0
            met[pairs[pair, side], 3 * pair : 3 * pair + 3] = 1.0
    return won, met


@njit(nogil=True, cache=True)
def standing(sample, draws, won, met):
    """Return the scores (K,) of the sample, and which two bots are `close` (K, K): the first less than `CLEAR`
    standard errors of their difference among replicates (delta method) above the second.

    `won` and `met` are those of `outcome_parts`.
    """
    share = sample.ravel() / sample.sum()
    matches = np.maximum((met[:, ::3] * (sample[0].sum() / sample.sum())).sum(axis=1), 1e-300)
    score = (won * share).sum(axis=1) / matches
    influence = (won - score.reshape(-1, 1) * met) / matches.reshape(-1, 1)
    close = np.zeros((len(score), len(score)), dtype=np.bool_)
    for i in range(len(score)):
        for j in range(len(score)):
            variance = (share * (influence[i] - influence[j]) ** 2).sum()
            close[i, j] = score[i] - score[j] <= CLEAR * np.sqrt(variance / draws)
    return score, close


@njit(nogil=True, cache=True)
def open_boundaries(score, close, order, boundary, unsettled):
    """Settle the boundaries that need no replicate: bots level in the sample, or none of both sides close."""
    for r in range(1, len(score)):
        boundary[r] = score[order[r - 1]] > score[order[r]]
        unsettled[r] = boundary[r] and close[order[:r]][:, order[r:]].any()
    return unsettled.sum()


@njit(nogil=True, cache=True)
def mark_wanted(close, order, unsettled, needed):
    """The bots that decide a boundary still open: those that some bot of the other side is close to."""
    needed[:] = False
    for r in range(1, len(order)):
        if unsettled[r]:
            for i in order[:r]:
                for j in order[r:]:
                    if close[i, j]:
                        needed[i] = needed[j] = True


@njit(nogil=True, cache=True)
def crossed(score, order, r, needed):
    """Return whether, of the bots wanted, the first r of `order` are not strictly above all others."""
    least = np.inf
    most = -np.inf
    for i in order[:r]:
        if needed[i]:
            least = min(least, score[i])
    for j in order[r:]:
        if needed[j]:
            most = max(most, score[j])
    return least <= most


@njit(nogil=True, cache=True)
def pooled_repetitions(counts, pairs, times, base, tables, places):
    """The paper's way: subsample, 5,000 draws; `places` (repetitions, bots) becomes the first place of each cluster.

    `counts` (P, 3) and `pairs` (P, 2) are the conversations at hand; `times` are conversations a pair, replicates, and
    matches drawn in each.
    """
    size, replicates, draws = times
    repetitions, bots = places.shape
    state = np.zeros(1, dtype=np.uint64)
    sample = np.zeros((len(counts), 3), dtype=np.int64)
    pool = np.zeros(counts.sum(), dtype=np.int64)
    won, met = outcome_parts(pairs, bots)
    score = np.zeros((2, bots))
    unsettled = np.zeros(bots, dtype=np.bool_)
    boundary = np.zeros(bots, dtype=np.bool_)
    needed = np.zeros(bots, dtype=np.bool_)
    bank = matches_per_pair(base, len(counts), draws, tables.log_factorial)
    for repetition in range(repetitions):
        start(state, base, repetition)
        subsample(state, counts, size, pool, sample)
        seen, close = standing(sample, draws, won, met)
        order = np.argsort(-seen)
        remaining = open_boundaries(seen, close, order, boundary, unsettled)
        mark_wanted(close, order, unsettled, needed)
        row = int(uniform(state) * BANK)
        for _ in range(replicates):
            if remaining == 0:
                break
            row = (row + 1) % BANK
            draw_pooled(state, sample, pairs, bank[row], needed, tables, score)
            before = remaining
            for r in range(1, bots):
                if unsettled[r] and crossed(score[0], order, r, needed):
                    boundary[r], unsettled[r] = False, False
                    remaining -= 1
            if remaining < before:
                mark_wanted(close, order, unsettled, needed)
        place = 1
        for i in range(bots):
            if i > 0 and boundary[i]:
                place = i + 1
            places[repetition, order[i]] = place
