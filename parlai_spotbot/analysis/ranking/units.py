"""What a match is: an annotation (the paper's ranking), a segment, or a conversation (one domain of its Table 2).

A segment is won by whom more of its annotations favour; a conversation by whom its segments favour, each weighted by
its length in exchanges. Ties stay ties.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

UNITS = ("annotation", "segment", "conversation")


def unit_matches(matches: pd.DataFrame, unit: str = "annotation") -> pd.DataFrame:
    """One match a unit, from one match an annotation (columns a, b, k, conversation_id, outcome).

    Parameters
    ----------
    unit : str
        "annotation" (`matches` as they are), "segment" or "conversation".

    Returns
    -------
    DataFrame
        The first row of each unit, in order, with the unit's `outcome` in {-1, 0, 1} and `annotations`, how many it
        stands for. A unit has no `worker_id`, and a conversation no `k`: several workers saw it, at several lengths.

    Raises
    ------
    ValueError
        Names the unit, or the conversation whose rows name different bots.
    """
    if unit not in UNITS:
        raise ValueError(f"unit is {unit!r}, expected one of {', '.join(UNITS)}")
    matches = matches.assign(annotations=1)
    if unit == "annotation":
        return matches
    _check_bots(matches)
    segments = _merged(matches, ["conversation_id", "k"], matches["outcome"].to_numpy())
    if unit == "segment":
        return segments.drop(columns="worker_id", errors="ignore")
    whole = _merged(segments, ["conversation_id"], (segments["outcome"] * segments["k"]).to_numpy())
    return whole.drop(columns=["worker_id", "k"], errors="ignore")


def _merged(rows: pd.DataFrame, by: list[str], votes: np.ndarray) -> pd.DataFrame:
    """The first row of each group, with the sign of the group's votes as its outcome."""
    group = rows.groupby(by, sort=False).ngroup().to_numpy()
    first = np.unique(group, return_index=True)[1]
    outcome = np.sign(np.bincount(group, votes)).astype(int)
    counted = np.bincount(group, rows["annotations"]).astype(int)
    return rows.iloc[first].assign(outcome=outcome, annotations=counted)


def _check_bots(matches: pd.DataFrame) -> None:
    """Entity 0 of a conversation is the same bot in all of its rows, and so is entity 1."""
    for column in ("a", "b"):
        names = matches.groupby("conversation_id")[column].nunique()
        if (names > 1).any():
            conversation = names.index[names > 1][0]
            raise ValueError(
                f"matches: column '{column}' differs between rows of conversation {conversation!r}, expected one bot"
            )
