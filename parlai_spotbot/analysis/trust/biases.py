"""What sways a judge besides what it is asked for: the place, the length, and its own kin, each beside people's.

People can be swayed too, and longer talk can be better talk. What counts is how far a judge goes beyond people on the
same items, so each bias is told of both, with their difference.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.special import expit, fdtrc

from parlai_spotbot.analysis.trust.draws import Draws, ratio
from parlai_spotbot.analysis.trust.ranks import PERSON, scores
from parlai_spotbot.analysis.uncertainty.bootstrap import BLOCK

DECIDED = 20
"""With fewer decided contests no coefficient of length is fitted."""

RIDGE = 1e-3
"""What keeps a coefficient finite where length tells all; from `SEPARATED` on it is said to be unknown."""

SEPARATED = 8.0

LINE = 3
"""Fewer contestants make no line."""


def beside(ours: np.ndarray, theirs: np.ndarray, draws: Draws) -> dict:
    """`judge`, `people` and their `difference`, each with `_ci` and the p of "it is 0"."""
    found: dict = {}
    for name, values in (("judge", theirs), ("people", ours), ("difference", theirs - ours)):
        found |= draws.told(values, name, f"{name}_ci")
        found[f"{name}_p"] = draws.test(values)["p"]
    return found


def position(people: pd.DataFrame, judge: pd.DataFrame, draws: Draws) -> dict:
    """How much better a contestant fares in the first place than in the second, over contests or ratings.

    The mean score in the first place less that in the second, of the same contestant against the same opponent, so
    that who stands where cancels out; contests are scored 1, ½, 0. Contestants (and opponents) that stood in one place
    alone say nothing here.
    """
    found = {"n_judge": len(judge), "n_people": len(people)}
    values = [_place_effect(rows, draws, who) for rows, who in ((people, PERSON), (judge, ()))]
    if any(value is None for value in values):
        return found | {"why": "no contestant stood in both places against the same opponent"}
    return found | beside(*values, draws)


def _place_effect(rows: pd.DataFrame, draws: Draws, people: Sequence[str]) -> np.ndarray | None:
    code, kinds = pd.factorize(rows["contestant"] + "\t" + rows["opponent"])
    cells = 2 * code + rows["place"].to_numpy(dtype=int)
    total = draws.sums(rows, cells, 2 * len(kinds), rows["score"].to_numpy(dtype=float), people)
    count = draws.sums(rows, cells, 2 * len(kinds), None, people)
    total, count = (x.reshape(-1, len(kinds), 2) for x in (total, count))
    both = (count > 0).all(axis=2)
    if not both[0].any():
        return None
    mean = ratio(total, count)
    weight = ratio(count.prod(axis=2), count.sum(axis=2))
    gap = np.where(both, mean[:, :, 0] - mean[:, :, 1], 0)
    return ratio((np.where(both, weight, 0) * gap).sum(axis=1), np.where(both, weight, 0).sum(axis=1))


def length(people: pd.DataFrame, judge: pd.DataFrame, draws: Draws) -> dict:
    """The log-odds of being favoured for each doubling of what one says beside the other, in decided contests.

    A logistic regression of "the first wins" on log2(words_a / words_b), with an intercept for the place.
    """
    rows = [frame[frame["outcome"] != 0].reset_index(drop=True) for frame in (people, judge)]
    found = {"n_people": len(rows[0]), "n_judge": len(rows[1])}
    if min(map(len, rows)) < DECIDED:
        return found | {"why": f"fewer than {DECIDED} decided contests of people or of the judge"}
    values = [_slope(frame, draws, who) for frame, who in zip(rows, (PERSON, ()), strict=True)]
    unknown = [name for name, value in zip(("people", "the judge"), values, strict=True) if not np.isfinite(value[0])]
    if unknown:
        return found | {"why": f"the length tells all decided contests of {' and '.join(unknown)}, or none varies"}
    return found | beside(*values, draws)


def _slope(rows: pd.DataFrame, draws: Draws, people: Sequence[str]) -> np.ndarray:
    """The coefficient of length in each draw (draws,), by Newton's method in all draws at once."""
    ratio_of = np.log2((rows["words_a"].to_numpy(dtype=float) + 1) / (rows["words_b"].to_numpy(dtype=float) + 1))
    won = (rows["outcome"] > 0).to_numpy(dtype=float)
    if np.ptp(ratio_of) == 0:
        return np.full(draws.rows, np.nan)
    weights = draws.weights(rows, people)
    found = np.empty(draws.rows)
    step = max(1, BLOCK // len(rows))
    for start in range(0, draws.rows, step):
        part = slice(start, start + step)
        found[part] = _logistic(ratio_of, won, weights[part])
    return np.where(np.abs(found) < SEPARATED, found, np.nan)


def _logistic(x: np.ndarray, y: np.ndarray, weights: np.ndarray) -> np.ndarray:
    a, b = np.zeros(len(weights)), np.zeros(len(weights))
    for _ in range(25):
        p = expit(a[:, None] + b[:, None] * x)
        gap, curve = weights * (y - p), weights * p * (1 - p)
        g0, g1 = gap.sum(axis=1) - RIDGE * a, gap @ x - RIDGE * b
        h0, h1, h2 = curve.sum(axis=1) + RIDGE, curve @ x, curve @ x**2 + RIDGE
        whole = h0 * h2 - h1**2
        da, db = (h2 * g0 - h1 * g1) / whole, (h0 * g1 - h1 * g0) / whole
        a, b = a + np.clip(da, -4, 4), b + np.clip(db, -4, 4)
        if max(np.abs(da).max(), np.abs(db).max()) < 1e-8:
            break
    return b


def favours(people: pd.DataFrame, judge: pd.DataFrame, own: Sequence[str], draws: Draws) -> dict:
    """Whom a judge likes better than people do, from `points` or ratings of both on the same items.

    Returns
    -------
    dict
        `contestants` {name: the judge's score less people's}; `test`: see `_alike`; `self`: the same difference of the
        judge's `own` contestants less that of all others (a difference in differences), and `beyond`, what is left of
        it where the judge merely tells contestants less apart than people do (see `_beyond`; with three others or
        more); or `why` not.
    """
    names = sorted(set(people["contestant"]) & set(judge["contestant"]))
    ours, theirs = scores(people, names, draws, PERSON), scores(judge, names, draws)
    gap = theirs - ours
    found: dict = {"contestants": {name: draws.told(gap[:, i]) for i, name in enumerate(names)}}
    found["test"] = _alike(gap, draws)
    mine = np.array([name in set(own) for name in names], dtype=bool)
    if not own:
        return found | {"self": {"why": "the judge's model is not known to be one of the contestants"}}
    if not mine.any() or mine.all():
        return found | {"self": {"why": "its own contestants, or all others, were not rated by both"}}
    effect = gap[:, mine].mean(axis=1) - gap[:, ~mine].mean(axis=1)
    told = {"own": [name for name, is_own in zip(names, mine, strict=True) if is_own], **draws.told(effect)}
    told["p"] = draws.test(effect)["p"]
    if (~mine).sum() >= LINE:
        told["beyond"] = _beyond(ours, theirs, mine, draws)
    return found | {"self": told}


def _beyond(ours: np.ndarray, theirs: np.ndarray, mine: np.ndarray, draws: Draws) -> dict:
    """How far the judge's own contestants lie above the line of its scores on people's over all others.

    A judge that tells contestants less apart than people do brings all scores nearer to the middle, and so lifts a poor
    model of its own without liking it.
    """
    x, y = ours[:, ~mine], theirs[:, ~mine]
    level = x.mean(axis=1), y.mean(axis=1)
    around = x - level[0][:, None]
    slope = ratio((around * (y - level[1][:, None])).sum(axis=1), (around**2).sum(axis=1))
    expected = level[1][:, None] + slope[:, None] * (ours[:, mine] - level[0][:, None])
    effect = (theirs[:, mine] - expected).mean(axis=1)
    return draws.told(effect) | {"p": draws.test(effect)["p"]}


def _alike(gap: np.ndarray, draws: Draws) -> dict:
    """Wald's test that all contestants' gaps (draws, names) are one number: `chi2`, `df`, `p`.

    With two-way variances and the correlations of draws of conversations, as the sum of several covariances needn't be
    one. F, as of Hotelling's T², as the effective number of conversations or people is known; NaN where that is too
    small for so many contestants, or nothing differs, whatever is drawn.
    """
    contrasts = draws.estimates(gap[:, 1:] - gap[:, :1])
    nothing = {"chi2": np.nan, "df": 0, "p": np.nan}
    homes, size = contrasts.spread.single[0], len(contrasts.values)
    variance, df = contrasts.spread.variance(np.eye(size))
    if not size or not np.isfinite([*variance, *homes.ravel(), *contrasts.values]).all() or homes.trace() < 1e-12:
        return nothing
    wider = np.sqrt(ratio(variance, np.diag(homes)))
    covariance = np.nan_to_num(homes * wider * wider[:, None])
    rank = int(np.linalg.matrix_rank(covariance, hermitian=True))
    within = df.min() - rank + 1
    if not rank or not within > 0:
        return nothing
    chi2 = float(contrasts.values @ np.linalg.pinv(covariance, hermitian=True) @ contrasts.values)
    return {"chi2": chi2, "df": rank, "p": float(fdtrc(rank, within, chi2 * within / (rank * (within + rank - 1))))}
