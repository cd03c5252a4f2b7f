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


def compare_kinds(choices: pd.DataFrame, names: Sequence[str], *, crossed: bool = True) -> dict:
    """Return the order by kind of conversation, and the agreement of every two kinds.

    Returns
    -------
    dict
        `kinds` {kind: {"n", "order", "score", "score_ci"}}; `comparisons` [{"kinds": [x, y], "contestants", "tau"
        (Kendall's tau-b, of the scores), "same_order"}]; tau is NaN with fewer than `LEAST` contestants in common.
    """
    kind = kind_of_choice(choices)
    result: dict = {"kinds": {}, "comparisons": []}
    for name in (*KINDS, MIXED):
        choice = choices[(kind == name) & (choices["a"] != choices["b"])]
        if name == "people" or choice.empty:
            continue
        seen = [n for n in names if n in set(choice["a"]) | set(choice["b"])]
        fit = contrasts(choice, seen, order=False, crossed=crossed)
        result["kinds"][name] = {
            "n": len(choice),
            "order": fit.ranked,
            "score": dict(zip(fit.names, fit.score.tolist(), strict=True)),
            "score_ci": dict(zip(fit.names, fit.score_ci.tolist(), strict=True)),
        } | ({"why": fit.why} if fit.why else {})
    for x, y in combinations([name for name in result["kinds"] if name != MIXED], 2):
        first, second = (result["kinds"][name] for name in (x, y))
        common = [name for name in first["score"] if name in second["score"]]
        tau = np.nan
        if len(common) >= LEAST:
            tau = float(kendall(*([own["score"][name] for name in common] for own in (first, second))))
        orders = [[name for name in own["order"] if name in common] for own in (first, second)]
        comparison = {"kinds": [x, y], "contestants": common, "tau": tau, "same_order": orders[0] == orders[1]}
        result["comparisons"].append(comparison)
    return result
