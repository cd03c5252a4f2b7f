"""Rock, paper, scissors: do the contestants form one order, or do some beat each other in a circle?

Two questions. A circle is claimed where a beats b, b beats c and c beats a, each by a one-sided test: all three must
be found (an intersection–union test, Berger 1982, Technometrics 24), so its p is the greatest of the three,
corrected by Holm over all circles that there could be. And whether one scale fits at all: the likelihood ratio of
Bradley and Terry's model against win shares that are free for every pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.special import bdtr, bdtrc, expit, xlogy
from scipy.stats import chi2

from parlai_spotbot.analysis.choices.strengths import bradley_terry, unbeaten, win_counts
from parlai_spotbot.analysis.uncertainty.corrections import adjust

ALPHA = 0.05


def one_sided(row: dict) -> tuple[float, float]:
    """P-values of "a is chosen no more often than b" and of the converse, of a row of `pair_grid`."""
    decided = row["wins_a"] + row["wins_b"]
    if not decided:
        return (1.0, 1.0)
    above = float(bdtrc(row["wins_a"] - 1, decided, 0.5)) if row["wins_a"] else 1.0
    below = float(bdtr(row["wins_a"], decided, 0.5))
    if not row["independent"]:
        half = row["p"] / 2
        above, below = (max(above, half), below) if row["estimate"] > 0.5 else (above, max(below, half))
    return (above, below)


def cycle_test(pairs: Sequence[dict], names: Sequence[str], alpha: float = ALPHA) -> dict:
    """Circles of three among the rows of `pair_grid`.

    Returns
    -------
    dict
        `triples`: how many sets of three met each other; `cycles` [{"of": [a, b, c] (a beats b, b beats c, c beats a),
        "shares", "p", "p_adjusted"}], those whose shares are all above one half, least p first; `found`: those with an
        adjusted p below `alpha`.
    """
    p, share = {}, {}
    for row in pairs:
        a, b = row["a"], row["b"]
        p[a, b], p[b, a] = one_sided(row)
        share[a, b] = row["estimate"]
        share[b, a] = np.nan if row["estimate"] is None else 1 - row["estimate"]
    triples = [t for t in combinations(names, 3) if all(pair in p for pair in combinations(t, 2))]
    circles = [circle for a, b, c in triples for circle in ((a, b, c), (a, c, b))]
    steps = [[(x[0], x[1]), (x[1], x[2]), (x[2], x[0])] for x in circles]
    worst = np.array([max(p[step] for step in own) for own in steps])
    rows = [
        {"of": list(circle), "shares": [float(share[step]) for step in own], "p": float(value), "p_adjusted": float(to)}
        for circle, own, value, to in zip(circles, steps, worst, adjust(worst), strict=True)
        if all(share[step] > 0.5 for step in own)
    ]
    rows.sort(key=lambda row: row["p"])
    found = [row for row in rows if row["p_adjusted"] < alpha]
    return {"triples": len(triples), "cycles": rows, "found": found}


def fit_test(
    choices: pd.DataFrame,
    names: Sequence[str],
    pairs: Sequence[dict],
    *,
    rng: np.random.Generator,
    replicates: int = 999,
) -> dict:
    """Does one scale of strengths fit the win shares of all pairs?

    Where choices are independent, p is by parametric bootstrap from the fitted model; where conversations or annotators
    recur, by χ² of the ratio over the mean design effect of the pairs (Rao & Scott 1984, Ann. Stat. 12).

    Returns
    -------
    dict
        `ratio` (twice the log-likelihood ratio), `df`, `p`, `how`; p None and `why` where nothing can be told.
    """
    wins = win_counts(choices[choices["a"] != choices["b"]], names)
    df = len(pairs) - (len(names) - 1)
    if df < 1:
        why = "with so few pairs every set of shares fits one scale"
        return {"ratio": None, "df": max(df, 0), "p": None, "why": why}
    if unbeaten(wins + wins.T):
        why = "not all contestants are linked by choices"
        return {"ratio": None, "df": df, "p": None, "why": why}
    strength = bradley_terry(wins)
    ratio = float(_ratio(wins, strength))
    if all(row["independent"] for row in pairs):
        games = np.triu(wins + wins.T, 1).astype(int)
        drawn = rng.binomial(games, expit(strength[:, None] - strength[None, :]), size=(replicates, *games.shape))
        drawn = (drawn + np.swapaxes(np.where(games > 0, games - drawn, 0), -1, -2)).astype(float)
        others = _ratio(drawn, bradley_terry(drawn))
        p = float((1 + (others >= ratio - 1e-9).sum()) / (replicates + 1))
        how = f"parametric bootstrap, {replicates} replicates"
    else:
        effects = [(row["wins_a"] + row["wins_b"]) / row["effective"] for row in pairs if row["effective"]]
        p = float(chi2.sf(ratio / max(1.0, float(np.mean(effects))), df))
        how = "χ² over the mean design effect"
    return {"ratio": ratio, "df": df, "p": p, "how": how}


def _ratio(wins: np.ndarray, strength: np.ndarray) -> np.ndarray:
    """Twice the log-likelihood of free shares less that of the model, (...)."""
    games = wins + np.swapaxes(wins, -1, -2)
    chance = expit(strength[..., :, None] - strength[..., None, :])
    share = np.divide(wins, games, out=np.ones_like(wins), where=games > 0)
    return 2 * (xlogy(wins, share) - xlogy(wins, chance)).sum(axis=(-1, -2))
