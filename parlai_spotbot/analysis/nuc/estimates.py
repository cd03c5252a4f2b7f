"""Estimates of recall and tests between contestants, with questions of one conversation as clusters.

Wilson's interval takes the questions as independent, as the paper does with the normal approximation, and holds near 0
and 1 as well; the clustered one takes them in conversations. Contestants that answered the same questions are compared
question by question, which is surer than comparing two intervals.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.estimates import mean_of
from parlai_spotbot.analysis.uncertainty.shares import share_interval, wilson
from parlai_spotbot.analysis.values import plain


def share(values: ArrayLike, conversations: Sequence, workers: Sequence | None = None) -> dict:
    """Return the mean of `values` (q,) from 0 to 1, ready for JSON.

    `conversations` (q,) is the conversation of each question, `workers` (q,) the person who answered it: then values
    are correlated by both. Values between 0 and 1 (ties) vary less than hits and misses, so both intervals are then
    somewhat wide.

    Returns
    -------
    dict
        `estimate`; `n` questions of `conversations` conversations; `wilson`, the 95 % interval of independent
        questions; `ci`, that of as many independent questions as would be as uncertain (see `share_interval`).
        None if unknown.
    """
    values = np.asarray(values, dtype=float)
    unknown = (np.nan, np.nan)
    clusters = Clusters.by(list(conversations), None if workers is None else list(workers))
    result = {
        "estimate": values.mean() if len(values) else np.nan,
        "n": len(values),
        "conversations": len(set(conversations)),
        "wilson": wilson(float(values.sum()), len(values)) if len(values) else unknown,
        "ci": share_interval(values, clusters) if len(values) else unknown,
    }
    return plain(result)


def compare(values: Mapping[str, Sequence[float]], conversations: Sequence) -> list[dict]:
    """Compare every two contestants on the same questions.

    Parameters
    ----------
    values : mapping of contestant to float array (q,)
        For each question a recall or 1 / rank; NaN, where the contestant has no score, leaves the question out.
    conversations : sequence (q,)
        The conversation of each question: differences within one are correlated.

    Returns
    -------
    list of dict
        a, b, difference (a less b), ci, p, n, conversations, p_adjusted (Holm), ready for JSON.
    """
    rows = []
    for a, b in combinations(values, 2):
        row = paired(values[a], values[b], conversations)
        rows.append({"a": a, "b": b, **{key: row[key] for key in ("difference", "ci", "p", "n", "conversations")}})
    adjusted = adjust_known(np.array([row["p"] for row in rows]))
    return [plain({**row, "p_adjusted": p}) for row, p in zip(rows, adjusted, strict=True)]


def paired(
    values: Sequence[float], other: Sequence[float], conversations: Sequence, workers: Sequence | None = None
) -> dict:
    """Compare two values of the same questions or answers (a,); NaN in either leaves the answer out.

    Returns
    -------
    dict
        `first` and `second`, the means; `difference`, `ci`, `p`; `n`, `conversations`. Differences are correlated by
        conversation and, with `workers`, by annotator.
    """
    both = np.array([values, other], dtype=float)
    complete = ~np.isnan(both).any(axis=0)
    first, second = both[:, complete]
    homes = np.asarray(list(conversations), dtype=object)[complete]
    people = None if workers is None else np.asarray(list(workers), dtype=object)[complete]
    mean = mean_of(first - second, Clusters.by(homes, people), bounds=(-1.0, 1.0))
    return {
        "first": float(first.mean()) if len(first) else np.nan,
        "second": float(second.mean()) if len(first) else np.nan,
        "difference": mean["estimate"],
        "ci": mean["ci"],
        "p": mean["p"],
        "n": len(first),
        "conversations": len(set(homes)),
    }
