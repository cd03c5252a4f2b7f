"""Comparison of self-chats with conversations of people: the same question, one order for each kind of conversation.

A choice is of a kind if both of its conversations are. Conversations between two people, which are the same whatever
the bots do, go with the other one's kind.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.agreement.orders import LEAST, kendall
from parlai_spotbot.analysis.ranking.contrasts import Contrasts, contrasts

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
    a = choices["kind_a"]
    b = choices["kind_b"]
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
    choices = choices[choices["a"] != choices["b"]]
    kind = kind_of_choice(choices)
    fits = {}
    rows = []
    for name in (*KINDS, MIXED):
        choice = choices[kind == name]
        if name == "people" or choice.empty:
            continue
        seen = [n for n in names if n in set(choice["a"]) | set(choice["b"])]
        fits[name] = fit = contrasts(choice, seen, order=False, crossed=crossed)
        about = {"kind": name, "n": len(choice), "why": fit.why or None}
        for bot, score, (low, high) in zip(fit.names, fit.score, fit.score_ci, strict=True):
            rows.append({**about, "bot": bot, "score": score, "score_low": low, "score_high": high})
    fits.pop(MIXED, None)
    comparisons = [{"kinds": [x, y], **_compared(fits[x], fits[y])} for x, y in combinations(fits, 2)]
    return {"kinds": pd.DataFrame(rows), "comparisons": pd.DataFrame(comparisons)}


def _compared(first: Contrasts, second: Contrasts) -> dict:
    """Return how far two orders of contestants agree."""
    common = [name for name in first.names if name in second.names]
    tau = np.nan
    if len(common) >= LEAST:
        tau = kendall(*(pd.Series(fit.score, fit.names)[common] for fit in (first, second)))
    before, after = ([name for name in fit.ranked if name in common] for fit in (first, second))
    return {"contestants": common, "tau": tau, "same_order": before == after}
