"""Behaviours of turns, each there or not: how often each contestant shows each of them.

ABC-Eval (2022, section 4.1): a dialogue's share is that of its turns which bear the label, a bot's that of all its
turns. Turns of one conversation, and those that one annotator labelled, are correlated: tests and the clustered
intervals know it; Wilson's interval, which the paper gives, takes turns as independent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.ratings import Means, rate
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.shares import clopper_pearson, share_test, wilson

SCALE = (0, 1)


def behaviour(rows: pd.DataFrame, names: Sequence[str], *, crossed: bool = True, less_is_better: bool = False) -> Means:
    """Return the shares of one label from its rows: those of `rating_frame`, `value` 1 where it holds, 0 where not.

    Returns
    -------
    Means
        The score is the share of annotated turns; n counts turns, one that two annotated twice. The ends of the score
        allow for conversations and annotators, wilson_low and wilson_high don't; hits, turns (different ones) and
        conversations are further columns.
    """
    means = rate(rows, names, crossed=crossed, scale=SCALE, less_is_better=less_is_better)
    contestants = means.contestants.drop(columns="distribution")
    bot_rows = {name: rows[rows["name"] == name] for name in contestants["bot"]}
    clustered = _clustered(bot_rows, crossed)
    hits = [int((part["value"] > 0).sum()) for part in bot_rows.values()]
    ends = {
        "score": [clustered[name] for name in bot_rows],
        "wilson": [wilson(won, len(part)) for won, part in zip(hits, bot_rows.values(), strict=True)],
    }
    contestants["wilson"] = contestants["score"]
    for name, both in ends.items():
        contestants[[f"{name}_low", f"{name}_high"]] = np.array(both, dtype=float).reshape(-1, 2)
    contestants["hits"] = hits
    contestants["turns"] = [part["rated"].nunique() for part in bot_rows.values()]
    contestants["conversations"] = [part["conversation_id"].nunique() for part in bot_rows.values()]
    return replace(means, contestants=contestants)


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
