"""How many annotations by people a judge saves at equal power, when its errors are modelled rather than ignored.

The idea is that of Deriu, von Däniken, Tuggener & Cieliebak (2023, Findings of ACL, "Correction of Errors in Preference
Ratings from Automated Metrics for Text Generation"): what a judge says of a pair of contestants is people's win, tie
or loss sent through a matrix of its errors, q = p · M, which is itself only estimated, from the items that both rated.
The model here is worked out from that: p of each pair of contestants is free; M is one for all pairs and, since which
contestant is called the first one is a matter of naming, unchanged where wins and losses are exchanged, so it has three
free numbers. Fisher's information of all of it together says how exactly p is known from so many annotations of both.

It is an estimate beside people's results, and never stands in their place.
"""

from __future__ import annotations

import numpy as np

PRIOR = 0.5
"""Counted to every cell, so that what was never seen is not taken for impossible."""

ENDLESS = 1e6
"""Times as many ratings by a judge as annotations by people: as good as without end."""

CONTRAST = np.array([1.0, -1.0])  # of the shares of wins and losses


def mixture(counts: np.ndarray, prior: float = PRIOR) -> np.ndarray:
    """The judge's errors (..., 3 people's outcome, 3 judge's outcome) from how often both were given (..., 3, 3).

    Outcomes are win, tie, loss; the counts are made the same for both ways of naming the contestants.
    """
    counts = np.asarray(counts, dtype=float)
    both = counts + counts[..., ::-1, ::-1] + 2 * prior
    return both / both.sum(axis=-1, keepdims=True)


def disattenuated(joint: np.ndarray, among: np.ndarray, prior: float = PRIOR) -> np.ndarray:
    """The judge's errors (..., 3, 3) beside what people in general would say of an item, not one person.

    People differ about the same item, which `mixture` takes for errors of the judge. If an item's judge goes by what
    people in general say of it, r · M, then a person's answer and the judge's come together as R · M, with R how two
    people's do; so M is R⁻¹ times the one. By the symmetry of naming it falls into the difference of wins and losses,
    and decided against tied.

    Parameters
    ----------
    joint, among : arrays (..., 3, 3)
        How often a person's outcome met the judge's, and another person's, of the same items.
    """
    with_judge, with_people = (_table(counts, prior) for counts in (joint, among))
    odd = [table[..., 0, 0] - table[..., 0, 2] for table in (with_judge, with_people)]
    even = [_decided(table) for table in (with_judge, with_people)]
    plain = mixture(joint, prior)
    # Where people agree no more than chance gives there is nothing to divide by: the plain one stands.
    shown = [odd[1] > 0.02, np.linalg.det(even[1]) > 0.005]
    spread = np.where(shown[0], odd[0] / np.where(shown[0], odd[1], 1), slope(plain))
    safe = np.where(shown[1][..., None, None], even[1], np.eye(2))
    ties = np.where(shown[1][..., None, None], np.linalg.solve(safe, even[0]), _rows(even[0]))
    decided, tied = (np.clip(ties[..., row, 0], 0.02, 0.98) for row in (0, 1))
    spread = np.clip(spread, -0.98 * decided, 0.98 * decided)
    win = np.stack([(decided + spread) / 2, 1 - decided, (decided - spread) / 2], axis=-1)
    tie = np.stack([tied / 2, 1 - tied, tied / 2], axis=-1)
    return np.stack([win, tie, win[..., ::-1]], axis=-2)


def _table(counts: np.ndarray, prior: float) -> np.ndarray:
    counts = np.asarray(counts, dtype=float)
    both = counts + counts[..., ::-1, ::-1] + 2 * prior
    return both / both.sum(axis=(-2, -1), keepdims=True)


def _decided(table: np.ndarray) -> np.ndarray:
    """A table of wins, ties and losses as one of decided and tied (..., 2, 2)."""
    merge = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    return merge.T @ table @ merge


def _rows(table: np.ndarray) -> np.ndarray:
    return table / table.sum(axis=-1, keepdims=True)


def shares(counts: np.ndarray, prior: float = PRIOR) -> np.ndarray:
    """Shares of wins, ties and losses (..., 3) from their counts (..., 3)."""
    counts = np.asarray(counts, dtype=float) + prior
    return counts / counts.sum(axis=-1, keepdims=True)


def precision(
    p: np.ndarray, matrix: np.ndarray, both: np.ndarray, judge: np.ndarray, known: bool = False, told: float = 1.0
):
    """The variance of each pair's difference (share of wins less share of losses), by Fisher's information.

    Parameters
    ----------
    p : array (..., pairs, 3)
        People's shares of wins, ties and losses.
    matrix : array (..., 3, 3)
        The judge's errors, as `mixture` makes them.
    both, judge : arrays (..., pairs)
        How many annotations of people there are, each with the judge's rating of the same item; and how many ratings of
        the judge alone.
    known : bool
        Whether the matrix is known, rather than estimated from the same data.
    told : float or array (...)
        How much an item that both rated tells of the matrix, beside one where people don't differ.

    Returns
    -------
    array (..., pairs)
    """
    p, matrix = np.asarray(p, dtype=float), np.asarray(matrix, dtype=float)
    win, tie, loss = matrix[..., 0, :], matrix[..., 1, :], matrix[..., 2, :]
    own = _multinomial(p[..., [0, 2]], p[..., 1]) * np.asarray(both, dtype=float)[..., None, None]
    q = p @ matrix
    weight = np.asarray(judge, dtype=float)[..., None] / q
    by_p = np.stack(np.broadcast_arrays((win - tie)[..., None, :], (loss - tie)[..., None, :]), axis=-1)
    by_p = np.broadcast_to(by_p, (*p.shape, 2))
    own = own + np.einsum("...yi,...y,...yj->...ij", by_p, weight, by_p)
    if known:
        return np.einsum("i,...ij,j->...", CONTRAST, np.linalg.inv(own), CONTRAST)
    by_m = _by_matrix(p)
    told_of = np.asarray(both, dtype=float) * np.asarray(told, dtype=float)[..., None]
    across = np.einsum("...yi,...y,...yj->...ij", by_p, weight, by_m)
    shared = np.einsum("...tyi,...ty,...tyj->...ij", by_m, weight, by_m) + _calibration(p, matrix, told_of)
    inverse = np.linalg.inv(own)
    through = inverse @ across
    schur = shared - np.einsum("...tki,...tkj->...ij", across, through)
    spread = np.einsum("i,...tij->...tj", CONTRAST, through)
    extra = np.einsum("...ti,...ij,...tj->...t", spread, np.linalg.pinv(schur, hermitian=True), spread)
    return np.einsum("i,...ij,j->...", CONTRAST, inverse, CONTRAST) + extra


def _multinomial(free: np.ndarray, last: np.ndarray) -> np.ndarray:
    """Information (..., k, k) of one observation on the free shares (..., k) beside the last one (...)."""
    size = free.shape[-1]
    return np.eye(size) / free[..., None, :] + 1 / last[..., None, None]


def _by_matrix(p: np.ndarray) -> np.ndarray:
    """Derivatives (..., 3, 3) of the judge's shares by its free numbers: M[win, win], M[win, tie], M[tie, tie]."""
    w, t, l = p[..., 0], p[..., 1], p[..., 2]  # noqa: E741
    zero = np.zeros_like(w)
    # M = [[a, b, 1-a-b], [(1-d)/2, d, (1-d)/2], [1-a-b, b, a]]
    rows = [[w - l, -l, -t / 2], [zero, w + l, t], [l - w, -w, -t / 2]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _calibration(p: np.ndarray, matrix: np.ndarray, both: np.ndarray) -> np.ndarray:
    """Information (..., 3, 3) on the judge's free numbers from the items that both rated."""
    n = np.asarray(both, dtype=float)
    decided, tied = ((n * x).sum(axis=-1) for x in (p[..., 0] + p[..., 2], p[..., 1]))
    found = np.zeros((*np.broadcast_shapes(decided.shape, matrix.shape[:-2]), 3, 3))
    found[..., :2, :2] = _multinomial(matrix[..., 0, :2], matrix[..., 0, 2]) * decided[..., None, None]
    found[..., 2, 2] = tied / (matrix[..., 1, 1] * (1 - matrix[..., 1, 1]))
    return found


def effective(
    p: np.ndarray, matrix: np.ndarray, both: np.ndarray, judge: np.ndarray, known: bool = False, told: float = 1.0
):
    """How many annotations of people alone would tell each pair's difference as exactly: (..., pairs)."""
    gap = p[..., 0] - p[..., 2]
    return (p[..., 0] + p[..., 2] - gap**2) / precision(p, matrix, both, judge, known, told)


def slope(matrix: np.ndarray) -> np.ndarray:
    """What the judge's difference of wins and losses becomes of people's (...): 1 is perfect, 0 is chance."""
    return matrix[..., 0, 0] - matrix[..., 0, 2]


def sampled(p: np.ndarray, matrix: np.ndarray, judge: np.ndarray, effect: float = 1.0, spread: float = 0.0):
    """The number of independent ratings (..., pairs) that `judge` ratings of each pair are worth.

    Parameters
    ----------
    effect : float
        By how much the variance of the judge's ratings exceeds that of independent ones.
    spread : float or array (..., 1)
        The variance, from pair to pair, of what the judge says beyond what the one matrix makes of people's shares: a
        liking for some contestants. No number of ratings tells a pair's difference better than that.
    """
    q = p @ matrix
    variance = q[..., 0] + q[..., 2] - (q[..., 0] - q[..., 2]) ** 2
    return 1 / (effect / np.asarray(judge, dtype=float) + spread / variance)


def saved(
    p: np.ndarray, matrix: np.ndarray, people: np.ndarray, judge: np.ndarray, told: float = 1.0, steps: int = 16
) -> np.ndarray:
    """The share of people's annotations (...) that can be spared at equal power where the judge rates further items.

    The greatest s such that, in the mean over the pairs, (1 - s) of people's annotations, with the judge's errors
    learnt from these alone, and `judge` ratings of items that people did not see tell a pair's difference as exactly as
    all of people's annotations do. None is saved by a judge whose `slope` is not above 0.

    Parameters
    ----------
    people, judge : arrays (..., pairs)
        Annotations of people that there are of each pair, and ratings of the judge besides, as `sampled` counts them.
    """
    people, judge = np.broadcast_arrays(np.asarray(people, dtype=float), np.asarray(judge, dtype=float))
    used = people > 0
    low = np.full(np.broadcast_shapes(p.shape[:-2], people.shape[:-1], matrix.shape[:-2]), 1e-4)
    high = np.ones_like(low)
    for _ in range(steps):
        middle = (low + high) / 2
        n = np.maximum(middle[..., None] * people, 1e-9)
        worth = np.where(used, effective(p, matrix, n, judge, told=told) / np.where(used, people, 1), 0).sum(axis=-1)
        enough = worth >= used.sum(axis=-1)
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.where(slope(matrix) > 0, 1 - high, 0.0)


def corrected(
    both: np.ndarray, judge: np.ndarray, known: np.ndarray | None = None, steps: int = 500
) -> dict[str, np.ndarray]:
    """Each pair's shares by people's annotations and the judge's ratings together, with its errors taken out.

    Maximum likelihood by expectation and maximisation: what people would have said of an item that the judge alone
    rated is not known.

    Parameters
    ----------
    both : array (pairs, 3, 3)
        How often people gave an outcome (win, tie, loss) and the judge another one of the same item.
    judge : array (pairs, 3)
        What the judge gave of items that people did not rate.
    known : array (3, 3), optional
        The judge's errors, where they are estimated otherwise (`disattenuated`).

    Returns
    -------
    dict
        `shares` (pairs, 3), `matrix` (3, 3), `difference` and `error` (pairs,): share of wins less that of losses, and
        its standard error.
    """
    both, judge = np.asarray(both, dtype=float), np.asarray(judge, dtype=float)
    seen = both.sum(axis=2)
    p, matrix = shares(seen), mixture(both.sum(axis=0)) if known is None else known
    for _ in range(steps):
        joint = p[:, :, None] * matrix
        guessed = joint / joint.sum(axis=1, keepdims=True) * judge[:, None, :]
        former = p
        p = shares(seen + guessed.sum(axis=2), 1e-6)
        matrix = mixture((both + guessed).sum(axis=0), 1e-6) if known is None else known
        if np.abs(p - former).max() < 1e-9:
            break
    error = np.sqrt(precision(p, matrix, seen.sum(axis=1), judge.sum(axis=1)))
    return {"shares": p, "matrix": matrix, "difference": p[:, 0] - p[:, 2], "error": error}
