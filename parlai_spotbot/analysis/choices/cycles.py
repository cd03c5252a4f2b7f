"""Rock, paper, scissors: do the contestants form one order, or do some beat each other in a circle?

Two questions. A circle is claimed where a beats b, b beats c and c beats a, each by a one-sided test: all three must
be found (an intersection–union test, Berger 1982, Technometrics 24), so its p is the greatest of the three,
corrected by Holm over all circles that there could be. And whether one scale fits at all: the likelihood ratio of
Bradley and Terry's model against win shares that are free for every pair. `one_scale` brings both together.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.special import bdtr, bdtrc, expit, xlogy
from scipy.stats import chi2

from parlai_spotbot.analysis.choices.strengths import bradley_terry, unbeaten
from parlai_spotbot.analysis.uncertainty.corrections import adjust

ALPHA = 0.05

REJECTED = 0.01
"""One scale is rejected where its likelihood ratio's p is below this, and it explains less than `EXPLAINED`."""

EXPLAINED = 0.5
"""Share of what pairs differ by (their deviance from even) that one scale has to explain where it doesn't fit."""

TRIPLES = 40
"""With more contestants circles are looked for among clear pairs only, not in all sets of three."""


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
    worst = np.array([max(p[step] for step in path) for path in steps])
    rows = [
        {
            "of": list(circle),
            "shares": [float(share[step]) for step in path],
            "p": float(value),
            "p_adjusted": float(p_adjusted),
        }
        for circle, path, value, p_adjusted in zip(circles, steps, worst, adjust(worst), strict=True)
        if all(share[step] > 0.5 for step in path)
    ]
    rows.sort(key=lambda row: row["p"])
    clear = [row for row in rows if row["p_adjusted"] < alpha]
    return {"triples": len(triples), "cycles": rows, "found": clear}


def one_scale(
    groups: Sequence[Sequence[str]], pairs: Sequence[dict], rng: np.random.Generator, cycles: dict | None = None
) -> dict:
    """Test whether one scale of strengths does justice to the results, group by group of contestants that met.

    It is rejected where contestants surely beat each other in a circle, or where the likelihood ratio rejects it
    (`REJECTED`) and it explains little (`EXPLAINED`): with many matches small departures are found in any order.

    Parameters
    ----------
    groups : sequence of sequences of str
        The connected groups (see `Contrasts.groups`).
    pairs : sequence of dict
        The rows of `pair_grid`: the pairs' own tests.
    cycles : dict, optional
        The result of `cycle_test` of these pairs, where it is known.

    Returns
    -------
    dict
        `ratio`, `df`, `p`, `how` or `why` (see `fit_test`), `explained`, `rejected`, and `circle`, names of which each
        surely beats the next and the last the first, or the clearest circle by shares where the fit is rejected; of the
        group that fits worst.
    """
    found = []
    for names in groups:
        if len(names) < 3:
            continue
        among = set(names)
        rows = [row for row in pairs if row["a"] in among and row["b"] in among]
        if not rows:
            continue
        fit = fit_test(names, rows, rng=rng)
        sure = [row for row in rows if row["p_adjusted"] < ALPHA]
        circle = shortest_circle(sure)
        if not circle and len(names) <= TRIPLES:
            clear = (cycles or cycle_test(rows, names))["found"]
            circle = next((row["of"] for row in clear if among.issuperset(row["of"])), [])
        misfit = fit["p"] is not None and fit["p"] < REJECTED and fit["explained"] < EXPLAINED
        if misfit and not circle:
            circle = clearest_circle(rows)
        found.append(fit | {"circle": circle, "rejected": bool(misfit or circle)})
    none = {"ratio": None, "df": 0, "p": None, "explained": None, "circle": [], "rejected": False}
    none["why"] = "with fewer than three contestants in a group, or very many, it is not tested"
    return min(found, key=lambda fit: (not fit["rejected"], 1.0 if fit["p"] is None else fit["p"]), default=none)


def clearest_circle(pairs: Sequence[dict]) -> list[str]:
    """Return a circle among the pairs whose shares are farthest from even; [] without one."""
    rows = sorted(pairs, key=lambda row: -abs(row["wins_a"] - row["wins_b"]) / max(1, row["wins_a"] + row["wins_b"]))
    enough = bisect_left(range(len(rows) + 1), True, key=lambda n: bool(shortest_circle(rows[:n])))
    return shortest_circle(rows[:enough])


def shortest_circle(pairs: Sequence[dict]) -> list[str]:
    """Return a shortest circle of contestants each of whom won more of `pairs` than the next; [] without one."""
    beats: dict[str, list[str]] = {}
    for row in pairs:
        if row["wins_a"] != row["wins_b"]:
            winner, loser = (row["a"], row["b"]) if row["wins_a"] > row["wins_b"] else (row["b"], row["a"])
            beats.setdefault(winner, []).append(loser)
    best: list[str] = []
    for start in sorted(beats):
        paths, seen = [[start]], {start}
        while paths and (not best or len(paths[0]) < len(best)):
            path = paths.pop(0)
            if path[-1] != start and start in beats.get(path[-1], ()):
                best = path
                break
            paths += [[*path, name] for name in sorted(beats.get(path[-1], ())) if name not in seen]
            seen |= set(beats.get(path[-1], ()))
    return best


def fit_test(names: Sequence[str], pairs: Sequence[dict], *, rng: np.random.Generator, replicates: int = 999) -> dict:
    """Does one scale of strengths fit the win shares of all pairs?

    Each pair counts as many choices as would be independent (`effective`, see `share_tests`), and the ratio is compared
    with its distribution by parametric bootstrap from the fitted model with as many; with more than `TRIPLES`
    contestants with χ².

    Returns
    -------
    dict
        `ratio` (twice the log-likelihood ratio), `df`, `p`, `how`, `explained` (the share of the deviance from even
        pairs that the scale explains); p None and `why` where nothing can be told.
    """
    place, wins = {name: i for i, name in enumerate(names)}, np.zeros((len(names), len(names)))
    for row in pairs:
        if row["wins_a"] + row["wins_b"]:
            a, b = place[row["a"]], place[row["b"]]
            wins[a, b], wins[b, a] = (share * row["effective"] for share in (row["estimate"], 1 - row["estimate"]))
    games = wins + wins.T
    df = int((np.triu(games, 1) > 0).sum()) - (len(names) - 1)
    nothing = {"ratio": None, "df": max(df, 0), "p": None, "explained": None}
    if df < 1:
        return nothing | {"why": "with so few pairs every set of shares fits one scale"}
    if unbeaten(games):
        return nothing | {"why": "not all contestants are linked by choices"}
    strength = bradley_terry(wins)
    ratio, even = float(_ratio(wins, strength)), float(_ratio(wins, np.zeros(len(names))))
    how = "" if all(row["independent"] for row in pairs) else " of effective numbers of choices"
    if len(names) <= TRIPLES:
        chance = expit(strength[:, None] - strength[None, :])
        number = np.triu(np.where(games > 0, np.maximum(np.rint(games), 1), 0), 1).astype(int)
        drawn = rng.binomial(number, chance, size=(replicates, *number.shape))
        drawn = (drawn + np.swapaxes(number - drawn, -1, -2)).astype(float)
        others = _ratio(drawn, bradley_terry(drawn))
        p = float((1 + (others >= ratio - 1e-9).sum()) / (replicates + 1))
        how = f"parametric bootstrap{how}, {replicates} replicates"
    else:
        p, how = float(chi2.sf(ratio, df)), f"χ²{how}"
    return {"ratio": ratio, "df": df, "p": p, "how": how, "explained": 1 - ratio / even if even > 0 else 1.0}


def _ratio(wins: np.ndarray, strength: np.ndarray) -> np.ndarray:
    """Twice the log-likelihood of free shares less that of the model, (...)."""
    games = wins + np.swapaxes(wins, -1, -2)
    chance = expit(strength[..., :, None] - strength[..., None, :])
    share = np.divide(wins, games, out=np.ones_like(wins), where=games > 0)
    return 2 * (xlogy(wins, share) - xlogy(wins, chance)).sum(axis=(-1, -2))
