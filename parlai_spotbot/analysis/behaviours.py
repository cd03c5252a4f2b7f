"""Behaviours of turns, each there or not: how often each contestant shows each of them.

ABC-Eval (2022, section 4.1): a dialogue's share is that of its turns which bear the label, a bot's that of all its
turns. Turns of one conversation, and those that one annotator labelled, are correlated: tests and the clustered
intervals know it; Wilson's interval, which the paper gives, takes turns as independent.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from parlai_spotbot.analysis.ratings import rate
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.shares import clopper_pearson, share_test, wilson

SCALE = (0, 1)


def behaviour(rows: pd.DataFrame, names: Sequence[str], *, crossed: bool = True, less_is_better: bool = False) -> dict:
    """Return the shares of one label from its rows: those of `rating_frame`, `value` 1 where it holds, 0 where not.

    Returns
    -------
    dict
        As `rate`: `order`, `score` (the share of annotated turns), `clusters`, `n` {name: turns, one that two
        annotated counting twice}, `annotations`, `pairs` (of the difference of shares). `score_ci` allows for
        conversations and annotators, `wilson` doesn't; `hits`, `turns` (different ones) and `conversations` by
        name.
    """
    result = rate(rows, names, crossed=crossed, scale=SCALE, less_is_better=less_is_better)
    counts = result.pop("distribution")
    row_by_name = {name: rows[rows["name"] == name] for name in result["order"]}
    return {
        **result,
        "score_ci": _clustered(row_by_name, crossed),
        "hits": {name: counts[name][1] for name in row_by_name},
        "wilson": {name: wilson(counts[name][1], sum(counts[name])) for name in row_by_name},
        "turns": {name: int(group_rows["rated"].nunique()) for name, group_rows in row_by_name.items()},
        "conversations": {
            name: int(group_rows["conversation_id"].nunique()) for name, group_rows in row_by_name.items()
        },
    }


def _clustered(rows_by_name: Mapping[str, pd.DataFrame], crossed: bool) -> dict[str, tuple[float, float]]:
    """Intervals of shares that allow for what is correlated.

    A contestant without a turn (or with nothing but turns) of the label shows nothing of how they are correlated: the
    other contestants' turns then say how many independent ones its own are worth. Where those don't say it either, it
    is as many as it has conversations.
    """
    tests = {
        name: share_test(rows["value"].to_numpy() > 0, frame_clusters(rows, crossed), tested=False)
        for name, rows in rows_by_name.items()
    }
    telling = {name: test for name, test in tests.items() if 0 < test["estimate"] < 1 and test["effective"] > 1}
    weights = {name: min(test["estimate"], 1 - test["estimate"]) * test["n"] for name, test in telling.items()}
    worth = sum(weights[name] * test["effective"] / test["n"] for name, test in telling.items())
    intervals = {}
    for name, test in tests.items():
        intervals[name] = test["ci"]
        if test["estimate"] in (0, 1) and not test["independent"]:
            share = (
                worth / sum(weights.values())
                if telling
                else rows_by_name[name]["conversation_id"].nunique() / test["n"]
            )
            intervals[name] = tuple(clopper_pearson(test["estimate"], test["n"] * share).tolist())
    return intervals


def adjust_over_all(results: Mapping[str, dict]) -> None:
    """Give every pair of every label `p_adjusted_all`: Holm's, over the tests of all labels together."""
    pairs = [pair for result in results.values() for pair in result["pairs"]]
    for pair, p in zip(pairs, adjust_known([pair["p"] for pair in pairs]), strict=True):
        pair["p_adjusted_all"] = float(p)
