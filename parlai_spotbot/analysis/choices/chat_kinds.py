"""Do self-chats say the same as conversations with people? The same questions, one order and grid for each kind.

A choice is of a kind where both of its conversations are; conversations between two people, which are the same whatever
the bots do, go with the other one's kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.stats import norm

from parlai_spotbot.analysis.agreement import kendall
from parlai_spotbot.analysis.choices.grid import pair_grid
from parlai_spotbot.analysis.ranking.contrasts import Contrasts, contrasts
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.analysis.uncertainty.shares import wilson
from parlai_spotbot.records import KINDS

MIXED = "mixed"
LEAST = 3
"""Fewer contestants in common make no order to compare."""


def kind_of_choice(choices: pd.DataFrame) -> pd.Series:
    """The kind of each choice: that of its conversations where it is one, else `MIXED`; "people" for two of people."""
    a, b = choices["kind_a"], choices["kind_b"]
    kind = a.where(a != "people", b)
    other = b.where(b != "people", a)
    return kind.where(kind == other, MIXED)


def compare_kinds(choices: pd.DataFrame, names: Sequence[str], *, crossed: bool = True) -> dict:
    """The order and the win shares by kind of conversation, and how far kinds agree.

    Returns
    -------
    dict
        `kinds` {kind: {"n", "order", "score", "score_ci"}}; `comparisons` [{"kinds": [x, y], "contestants", "tau"
        (Kendall's tau-b, of the scores), "same_order", "pairs" [{a, b, x, y, n_x, n_y, estimate (x less y),
        ci, p, p_adjusted}], "p" (least adjusted)}]; `why` where there is one kind alone.
    """
    kind = kind_of_choice(choices)
    present = [name for name in (*KINDS, MIXED) if name != "people" and (kind == name).any()]
    result: dict = {"kinds": {}, "comparisons": []}
    orders: dict[str, Contrasts] = {}
    for name in present:
        choice = choices[(kind == name) & (choices["a"] != choices["b"])]
        seen = [n for n in names if n in set(choice["a"]) | set(choice["b"])]
        comparison = contrasts(choice, seen, order=False, crossed=crossed)
        orders[name] = comparison
        result["kinds"][name] = {
            "n": len(choice),
            "order": comparison.ranked,
            "score": dict(zip(comparison.names, comparison.score.tolist(), strict=True)),
            "score_ci": dict(zip(comparison.names, comparison.score_ci.tolist(), strict=True)),
        } | ({"why": comparison.why} if comparison.why else {})
    kinds = [name for name in present if name != MIXED]
    for x, y in combinations(kinds, 2):
        grids = [pair_grid(choices[kind == k], names, crossed=crossed) for k in (x, y)]
        result["comparisons"].append(_compare((x, y), (orders[x], orders[y]), grids))
    if len(kinds) < 2:
        result["why"] = "all choices are about one kind of conversations"
    return result


def _compare(kinds: tuple[str, str], orders: tuple[Contrasts, Contrasts], grids: Sequence[list[dict]]) -> dict:
    common = [name for name in orders[0].names if name in orders[1].names]
    places = [[o.names.index(name) for name in common] for o in orders]
    result: dict = {"kinds": list(kinds), "contestants": common, "tau": np.nan}
    if len(common) >= LEAST:
        scores = [o.score[place] for o, place in zip(orders, places, strict=True)]
        result["tau"] = float(kendall(*scores))
        ranked = [[common[i] for i in np.argsort(-score, kind="stable")] for score in scores]
        result["same_order"] = ranked[0] == ranked[1]
    result["pairs"] = _pairs(grids)
    result["p"] = min((row["p_adjusted"] for row in result["pairs"]), default=np.nan)
    return result


def _pairs(grids: Sequence[list[dict]]) -> list[dict]:
    """The difference of the two win shares of each pair that met in both kinds."""
    first, second = ({(row["a"], row["b"]): row for row in grid} for grid in grids)
    rows = []
    for pair in sorted(first.keys() & second.keys()):
        x, y = first[pair], second[pair]
        shares, sizes = (x["estimate"], y["estimate"]), (x["effective"], y["effective"])
        if not (min(sizes) > 1 and np.isfinite(shares).all()):
            continue
        p, ci = two_shares(shares, sizes)
        row = {"x": shares[0], "y": shares[1], "n_x": x["n"], "n_y": y["n"], "estimate": shares[0] - shares[1]}
        rows.append({"a": pair[0], "b": pair[1], **row, "ci": ci, "p": p})
    adjusted = adjust([row["p"] for row in rows])
    return [row | {"p_adjusted": float(p)} for row, p in zip(rows, adjusted, strict=True)]


def two_shares(shares: tuple[float, float], sizes: tuple[float, float], level: float = 0.95) -> tuple[float, tuple]:
    """Two-sided p of two shares being equal (score test), and Newcombe's interval of their difference (1998, Stat.
    Med. 17).

    `sizes` are (effective) numbers of independent choices and needn't be whole.
    """
    z = norm.ppf((1 + level) / 2)
    pooled = (shares[0] * sizes[0] + shares[1] * sizes[1]) / sum(sizes)
    se = np.sqrt(pooled * (1 - pooled) * (1 / sizes[0] + 1 / sizes[1]))
    difference = shares[0] - shares[1]
    p = float(2 * norm.sf(abs(difference) / se)) if se > 0 else 1.0
    (l1, u1), (l2, u2) = (wilson(share * n, n, z) for share, n in zip(shares, sizes, strict=True))
    low = difference - np.hypot(shares[0] - l1, u2 - shares[1])
    high = difference + np.hypot(u1 - shares[0], shares[1] - l2)
    return p, (float(low), float(high))
