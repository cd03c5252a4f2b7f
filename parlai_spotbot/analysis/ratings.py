"""Ratings on a scale: means and distributions of each contestant, and differences between them.

Ratings of one conversation, and by one annotator, are correlated; so are two contestants' means if the same
annotators rated both, which makes their difference surer than either. Intervals and tests allow for it (`uncertainty`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.answers import with_columns
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.analysis.values import best_first
from parlai_spotbot.records import HUMAN, Conversation, Item, judged_name

SCALE = (1, 2, 3, 4, 5)
OF_PAIR = ["a", "b", "n", "estimate", "low", "high", "se", "p", "p_adjusted", "p_errors", "effective"]
PARTNER = "rating of the person in a conversation with a bot"


def rating_frame(
    answers: pd.DataFrame,
    conversations: Mapping[str, Conversation],
    items: Mapping[str, Item] | None = None,
    scales: Mapping[str, Sequence[float]] | None = None,
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Return one row per rating: the columns of `answers`, name (who is rated), kind (of conversation), value, rated.

    `rated` names what was rated: the conversation and the entity or turn. Ratings of a whole conversation ("pair" or
    "conversation:0") are its judged speaker's. `scales` are those of questions, `SCALE` where a question has none.

    Returns the frame, and why rows were left out. Raises `ValueError` naming the judgement whose answer or target is
    wrong.
    """
    rows = []
    lost = 0
    allowed = {question: _values(scale) for question, scale in (scales or {}).items()}
    usual = _values(SCALE)
    for place, row in enumerate(answers.itertuples(index=False)):
        where = f"judgement {row.number}"
        if len(row.conversation_ids) != 1:
            raise ValueError(f"{where}: conversation_ids {list(row.conversation_ids)}, expected exactly one")
        value = _value(row.answer, allowed.get(row.question, usual), where)
        conversation = conversations[row.conversation_id]
        name = _rated(conversation, row.target, (items or {}).get(row.item_id), where)
        kind = conversation.kind
        if name is None or (name == HUMAN and kind == "human_model"):
            lost += 1
        else:
            rows.append((place, name, kind, value, f"{row.conversation_id}\t{row.target}"))
    left_out = {}
    if lost:
        left_out[PARTNER] = lost
    return with_columns(answers, rows, ["name", "kind", "value", "rated"]), left_out


def _values(scale: Sequence[float]) -> dict[str | float, float]:
    """Return the numbers that answers on a scale mean, by the answers as texts and as numbers."""
    return {f"{value:g}": value for value in scale} | {value: value for value in scale}


def _value(answer: Any, values: Mapping[str | float, float], where: str) -> float:
    """Return the number that an answer means; a `ValueError` names the judgement where it means none."""
    if isinstance(answer, bool) or not isinstance(answer, (str, int, float)) or answer not in values:
        expected = [value for value in values if isinstance(value, str)]
        raise ValueError(f"{where}: answer {answer!r}, expected one of {', '.join(expected)}")
    return values[answer]


def _rated(conversation: Conversation, target: str, item: Item | None, where: str) -> str | None:
    sort, _, number = target.partition(":")
    if sort == "entity" and number in ("0", "1"):
        return conversation.entities[int(number)]
    if sort == "turn" and number.isdigit() and int(number) < len(conversation.shown):
        return conversation.shown[int(number)].speaker
    if target in ("pair", "conversation:0"):
        judged = None
        if item is not None and item.judged:
            judged = item.judged[0]
        return judged_name(conversation, judged)
    turns = len(conversation.shown)
    raise ValueError(f"{where}: target '{target}', expected entity:0, entity:1 or turn:N of its {turns} turns")


@dataclass(frozen=True)
class Means:
    """Record of means.

    Attributes
    ----------
    contestants : frame
        From the highest mean down or, if less is better, up: bot, score (the mean), score_low, score_high, n (ratings),
        annotations, distribution (how many of each value of the scale).
    pairs : frame
        Every two: a, b, n, estimate (mean of a less that of b), low, high, se, p, p_adjusted, p_errors, effective, see
        `Estimates.contrasts`.
    """

    contestants: pd.DataFrame
    pairs: pd.DataFrame


def rate(
    ratings: pd.DataFrame,
    names: Sequence[str],
    *,
    crossed: bool = True,
    scale: Sequence[float] = SCALE,
    less_is_better: bool = False,
) -> Means:
    """Return means of one dimension and their differences."""
    names = [name for name in names if name in set(ratings["name"])]
    ratings = ratings[ratings["name"].isin(names)]
    code = pd.Index(names, dtype=object).get_indexer(ratings["name"])
    values = ratings["value"].to_numpy(dtype=float)
    clusters = frame_clusters(ratings, crossed)
    means = group_means(values, code, len(names), clusters, (min(scale), max(scale)))
    sizes = np.bincount(code, minlength=len(names))
    counts = np.stack([np.bincount(code[values == value], minlength=len(names)) for value in scale], axis=1)
    low, high = np.transpose(means.intervals())
    contestants = pd.DataFrame(
        {
            "bot": names,
            "score": means.values,
            "score_low": low,
            "score_high": high,
            "n": sizes,
            "annotations": ratings["annotation_id"].groupby(code).nunique().to_numpy(),
            "distribution": counts.tolist(),
        }
    )
    best = best_first(range(len(names)), -means.values if less_is_better else means.values)
    return Means(contestants.iloc[best].reset_index(drop=True), _named(means.pairs(), contestants))


def _named(pairs: pd.DataFrame, contestants: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs of numbers of contestants by their names."""
    first = pairs["first"].to_numpy(dtype=int)
    second = pairs["second"].to_numpy(dtype=int)
    names = contestants["bot"].to_numpy()
    sizes = contestants["n"].to_numpy()
    return pairs.assign(a=names[first], b=names[second], n=sizes[first] + sizes[second])[OF_PAIR]
