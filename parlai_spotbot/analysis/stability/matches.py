"""One match a conversation: the unit that section 5.2 samples, and the counts of its outcomes by pair."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.ranking.wins import match_codes
from parlai_spotbot.analysis.values import ArrayPair
from parlai_spotbot.records import FEATURES, HUMAN, NATURES


def conversation_matches(annotations: pd.DataFrame, criterion: str = "nature") -> pd.DataFrame:
    """Return who wins each conversation between two bots, from annotations (a, b, k, conversation_id and their
    answers).

    A segment goes to the bot that its annotators together rate higher (human 2, unsure 1, bot 0, added up); a
    conversation to the bot that its segments favour, each weighted by its length. This is the definition under which
    the paper's conversations come out as published (all 16 pairs of DD and ED).

    Parameters
    ----------
    criterion : str
        "nature", or one of the features.

    Returns
    -------
    DataFrame
        a, b, conversation_id, outcome (+1 where a wins, -1 where b wins, 0 for a tie), by conversation_id.
    """
    contest = annotations[(annotations["a"] != HUMAN) & (annotations["a"] != annotations["b"])]
    if criterion == "nature":
        place = {nature: i for i, nature in enumerate(NATURES)}
        gap = contest["nature1"].map(place) - contest["nature0"].map(place)
    elif criterion in FEATURES:
        gap = contest[criterion]
    else:
        raise ValueError(f"criterion is {criterion!r}, expected one of nature, {', '.join(FEATURES)}")
    segments = np.sign(gap.groupby([contest["conversation_id"], contest["k"]]).sum())
    weighted = segments * segments.index.get_level_values("k")
    outcome = np.sign(weighted.groupby(level="conversation_id").sum()).astype(int)
    bots = contest.groupby("conversation_id")[["a", "b"]]
    if (bots.nunique() > 1).any(axis=None):
        wrong = bots.nunique().max(axis=1).idxmax()
        raise ValueError(f"annotations: conversation {wrong!r} has different bots in a and b, expected the same two")
    return bots.first().assign(outcome=outcome).reset_index()


def pair_counts(matches: pd.DataFrame, names: Sequence[str]) -> ArrayPair:
    """Return every pair of `names` that met (P, 2), and wins, ties, losses of its first bot (P, 3)."""
    names = tuple(names)
    first, second, outcome = match_codes(matches, names)
    outcome = np.where(first < second, outcome, 2 - outcome)
    low = np.minimum(first, second)
    high = np.maximum(first, second)
    pairs, place = np.unique(low * len(names) + high, return_inverse=True)
    counts = np.zeros((len(pairs), 3), dtype=np.int64)
    np.add.at(counts, (place, outcome), 1)
    return np.stack([pairs // len(names), pairs % len(names)], axis=-1), counts
