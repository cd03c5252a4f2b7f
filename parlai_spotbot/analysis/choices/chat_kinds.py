"""Comparison of self-chats with conversations of people: the same question, one order for each kind of conversation.

A choice is of a kind if both of its conversations are. Conversations between two people, which are the same whatever
the bots do, go with the other one's kind.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement.orders import LEAST, kendall
from parlai_spotbot.analysis.ranking.contrasts import contrasts

KINDS = {
    "self": "a bot with itself",
    "human_model": "a bot with a person",
    "pairs": "two different bots",
    "people": "two people",
}
"""Kinds of conversations (`Conversation.kind`), and who talks in them."""

MIXED = "mixed"


def kind_of_choice(choices: pd.DataFrame) -> pd.Series:
    """Return the kind of each choice: that of its conversations if it is one, else `MIXED`; "people" for two of
    people."""
    a, b = choices["kind_a"], choices["kind_b"]
    kind = a.where(a != "people", b)
    return kind.where(kind == b.where(b != "people", a), MIXED)


def compare_kinds(choices: pd.DataFrame, names: Sequence[str], *, crossed: bool = True) -> dict[str, pd.DataFrame]:
    """Return the scores by kind of conversation, and the agreement of every two kinds.

    Returns
    -------
    dict
        `kinds`: kind, `n` choices, bot, score with score_low and score_high, `why` there are none; `comparisons`: kinds
        (two), contestants (of both), tau (Kendall's tau-b, of the scores), same_order; tau is NaN with fewer than
        `LEAST` contestants in common.
    """
    kind = kind_of_choice(choices)
    scores, ranked, rows = {}, {}, []
    for name in (*KINDS, MIXED):
        choice = choices[(kind == name) & (choices["a"] != choices["b"])]
        if name == "people" or choice.empty:
            continue
        seen = [n for n in names if n in set(choice["a"]) | set(choice["b"])]
        fit = contrasts(choice, seen, order=False, crossed=crossed)
        scores[name] = pd.Series(fit.score, fit.names)
        ranked[name] = fit.ranked
        low, high = fit.score_ci.T
        own = {"bot": fit.names, "score": fit.score, "score_low": low, "score_high": high}
        rows.append(pd.DataFrame({"kind": name, "n": len(choice), **own, "why": fit.why or None}))
    comparisons = []
    for x, y in combinations([name for name in scores if name != MIXED], 2):
        common = [name for name in scores[x].index if name in scores[y]]
        tau = np.nan
        if len(common) >= LEAST:
            tau = float(kendall(scores[x][common], scores[y][common]))
        first, second = ([name for name in ranked[kind] if name in common] for kind in (x, y))
        comparisons.append({"kinds": [x, y], "contestants": common, "tau": tau, "same_order": first == second})
    return {"kinds": pd.concat(rows) if rows else pd.DataFrame(), "comparisons": pd.DataFrame(comparisons)}
