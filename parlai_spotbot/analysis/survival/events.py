"""From judgements to events (section 3.3 of the paper): until when did an entity pass as human?

An entity shown for k exchanges and called a bot was spotted somewhere in (0, k]; one not called a bot is right-censored
at k, (k, inf). Where the annotator opened one exchange after the other (appendix B), it was spotted in (k - 1, k].
People are a contestant like any other: their curve is the bound that bots are measured by.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from pandas.api.types import is_list_like

from parlai_spotbot.analysis.frames import cluster_of
from parlai_spotbot.analysis.survival.intervals import merge_ends, numbers, refuse
from parlai_spotbot.analysis.values import ArrayPair
from parlai_spotbot.records import FEATURES, NATURES

CLUSTERS = ("conversation_id", "worker_id")
BESIDE = ("left", "right", "group", "k", *CLUSTERS)
"""The columns of events that are no features."""


def events(entities: pd.DataFrame, features: Sequence[str] = FEATURES) -> pd.DataFrame:
    """Turn annotated entities into interval-censored events, one row an event.

    Parameters
    ----------
    entities : frame (n rows)
        As `parlai_spotbot.analysis.frames.entities_frame` makes it. Used are `name`, `k` (exchanges shown), `nature`
        ("human", "unsure" or "bot"), the features, `conversation_id` and `worker_id`. `since`, where there is such a
        column, is the left end of the interval of one called a bot: until then it was seen, and not called one.
    features : sequence of str
        Those that were asked, after the verdict and relative to the opponent: columns of the frame.

    Returns
    -------
    frame
        `left`, `right`: spotted in (left, right], exchanges; ends that differ by rounding are one end. `group`: the
        entity's name. `k`. Each of the `features`: +1 where this entity was favoured over its opponent, -1 where the
        opponent was, 0 where neither. `conversation_id` (near-copies have one, see `cluster_of`) and `worker_id`: rows
        that share one are not independent. The rows are in the order of `entities` and keep its index.

    Raises
    ------
    ValueError
        Names the missing column, or the row and value that is no answer or no number of exchanges.

    Examples
    --------
    >>> entities = pd.DataFrame({
    ...     "name": ["BR", "human", "BR"], "k": [2, 3, 5], "nature": ["bot", "human", "unsure"],
    ...     "fluency": [1, 0, -1], "sensibleness": 0, "specificity": 0, "conversation_id": "c1", "worker_id": "w1",
    ... })
    >>> events(entities)[["left", "right", "group", "fluency"]]
       left  right  group  fluency
    0   0.0    2.0     BR        1
    1   3.0    inf  human        0
    2   5.0    inf     BR       -1
    """
    k, since = _check(entities, features)
    spotted = (entities["nature"] == "bot").to_numpy()
    frame = entities[["name", "k", *features, *CLUSTERS]].assign(conversation_id=cluster_of(entities))
    frame = frame.rename(columns={"name": "group"})
    if (k % 1).any():
        frame["k"] = k
    frame.insert(0, "left", np.where(spotted, since, k))
    frame.insert(1, "right", np.where(spotted, k, np.inf))
    return frame


def _check(entities: pd.DataFrame, features: Sequence[str]) -> ArrayPair:
    """Return the ends `k` and `since` (0 by default) of checked entities, those that differ by rounding made one."""
    if not isinstance(entities, pd.DataFrame):
        raise ValueError(f"entities is a {type(entities).__name__}, expected the frame that entities_frame makes")
    if not is_list_like(features) or not all(isinstance(name, str) for name in features):
        raise ValueError(f"features is {features!r}, expected names of columns")
    missing = [name for name in ("name", "k", "nature", *features, *CLUSTERS) if name not in entities.columns]
    if missing:
        raise ValueError(f"entities: no column {missing[0]!r}, expected the frame that entities_frame makes")
    since = entities["since"] if "since" in entities else np.zeros(len(entities))
    k, since = merge_ends(numbers(entities["k"], "entities: k"), numbers(since, "entities: since"))
    valid = {
        "nature": (entities["nature"].isin(NATURES).to_numpy(), f"one of {', '.join(NATURES)}"),
        "k": (np.isfinite(k) & (k > 0), "a number of exchanges above 0"),
        "since": ((since >= 0) & (since < k), "a number of exchanges from 0 up and below k"),
    }
    for column, (right, expected) in valid.items():
        refuse(~right, f"entities, column {column!r}", entities.get(column), expected)
    return k, since
