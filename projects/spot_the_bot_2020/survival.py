"""Figure 2, and section 4.2: which survival curves differ, and whether survival orders the bots as win rates do."""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.ranking import win_matrix, win_rates
from parlai_spotbot.analysis.survival import logrank_pairs, turnbull
from parlai_spotbot.analysis.values import ArrayPair
from parlai_spotbot.projects.cells import PaperTable
from parlai_spotbot.projects.spot_the_bot_2020.definitions import DomainData
from parlai_spotbot.records import HUMAN

NPMLE = (
    "complete HITs; one row an annotation and entity, spotted (0, k], else (k, ∞); Turnbull's estimate, exact; the "
    "paper draws it and prints no values"
)
TEST = "generalised log-rank test (Zhao & Sun 2004, deterministic score); Bonferroni over all pairs, people included"


def curves(rows: pd.DataFrame, bots: Sequence[str]) -> dict[str, ArrayPair]:
    """Lengths k and the share that still passes after k exchanges, by name; people are the last."""
    result = {}
    for name in (*bots, HUMAN):
        row = rows[rows["group"] == name]
        k = np.unique(row["k"])
        result[name] = (k, turnbull(row["left"], row["right"], backend="native").survival(k))
    return result


def figure2(data: DomainData) -> PaperTable:
    """The points of Figure 2's curves."""
    table = PaperTable("figure2", f"Figure 2: survival, {data.domain}")
    for name, (lengths, survival) in curves(data.rows, data.bots).items():
        table.own(name, NPMLE, {f"S({k})": share for k, share in zip(lengths, survival, strict=True)})
    return table


def section42(data: DomainData) -> PaperTable:
    """The text's claims: which curves don't differ significantly, and which bots switch places."""
    domain = data.domain
    rows = data.rows
    bots = data.bots
    table = PaperTable("section42", f"Section 4.2: survival against wins, {domain}")
    section = data.paper["section42"]
    weak = {frozenset(pair) for pair in section["not_significant"][domain]}
    names = [*bots, HUMAN]
    tests = logrank_pairs(rows["left"], rows["right"], rows["group"], names=names, adjust="bonferroni")
    for row in tests.to_dict(orient="records"):
        pair = (row["a"], row["b"])
        computed = "yes" if row["p_adjusted"] < 0.05 else "no"
        table.add(
            "–".join(pair),
            "significant",
            "no" if frozenset(pair) in weak else "yes",
            computed,
            f"{TEST} ({len(tests)})",
        )
        table.add("–".join(pair), "p, corrected", None, row["p_adjusted"], TEST)
    by_wins, by_survival, at_last = orders(data.annotations, rows, bots)
    how = "mean over the lengths shown of the share that passes"
    table.add("order", "by wins", None, " > ".join(by_wins), "mean of pairwise win rates")
    table.add("order", "by survival", None, " > ".join(by_survival), how)
    switched = {frozenset(pair) for pair in section["switched"][domain]}
    for a, b in itertools.combinations(by_wins, 2):
        computed = "yes" if by_survival.index(a) > by_survival.index(b) else "no"
        paper = "yes" if frozenset((a, b)) in switched else "no"
        table.add(f"{a}–{b}", "switched", paper, computed, f"ordered by the {how}")
    if at_last != by_survival:
        table.notes.append(f"curves cross: at the greatest length the order is {' > '.join(at_last)}")
    return table


def orders(
    annotations: pd.DataFrame, rows: pd.DataFrame, bots: Sequence[str]
) -> tuple[list[str], list[str], list[str]]:
    """The bots, best first: by win rate, by mean survival over the lengths shown, by survival at the greatest."""
    rates = dict(zip(bots, win_rates(win_matrix(matches_frame(annotations), list(bots))), strict=True))
    curve_by_bot = curves(rows, bots)
    keys = (rates.get, lambda bot: curve_by_bot[bot][1].mean(), lambda bot: curve_by_bot[bot][1][-1])
    by_wins, by_mean, at_last = (sorted(bots, key=key, reverse=True) for key in keys)
    return by_wins, by_mean, at_last
