"""Ratings on a scale: means and distributions of each contestant, and differences between them.

Ratings of one conversation, and by one annotator, are correlated; so are two contestants' means if the same
annotators rated both, which makes their difference surer than either. Intervals and tests allow for it (`uncertainty`).
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.estimates import group_means, places
from parlai_spotbot.analysis.values import best_first
from parlai_spotbot.records import HUMAN, Conversation, Item, judged_name

SCALE = (1, 2, 3, 4, 5)
ALPHA = 0.05
OF_PAIR = ("a", "b", "n", "ci", "estimate", "se", "p", "p_adjusted", "p_errors", "effective")
PARTNER = "rating of the person in a conversation with a bot"


def rating_frame(
    answers: pd.DataFrame,
    conversations: Mapping[str, Conversation],
    items: Mapping[str, Item] | None = None,
    scale: Sequence[int] = SCALE,
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Return one row per rating: the columns of `answers`, name (who is rated), kind (of conversation), value, rated.

    `rated` names what was rated: the conversation and the entity or turn. Ratings of a whole conversation ("pair" or
    "conversation:0") are its judged speaker's.

    Returns the frame, and why rows were left out. Raises `ValueError` naming the judgement whose answer or target is
    wrong.
    """
    rows = []
    lost = 0
    allowed = {str(value): value for value in scale} | {value: value for value in scale}
    for place, row in enumerate(answers.itertuples(index=False)):
        where = f"judgement {row.number}"
        if len(row.conversation_ids) != 1:
            raise ValueError(f"{where}: conversation_ids {list(row.conversation_ids)}, expected exactly one")
        if isinstance(row.answer, bool) or not isinstance(row.answer, (str, int)) or row.answer not in allowed:
            raise ValueError(f"{where}: answer {row.answer!r}, expected one of {', '.join(map(str, scale))}")
        conversation = conversations[row.conversation_id]
        name = _rated(conversation, row.target, (items or {}).get(row.item_id), where)
        kind = conversation.kind
        if name is None or (name == HUMAN and kind == "human_model"):
            lost += 1
            continue
        rows.append((place, name, kind, allowed[row.answer], f"{row.conversation_id}\t{row.target}"))
    expanded = pd.DataFrame(rows, columns=["place", "name", "kind", "value", "rated"])
    frame = pd.concat([answers.iloc[expanded["place"]].reset_index(drop=True), expanded.drop(columns="place")], axis=1)
    left_out = {}
    if lost:
        left_out[PARTNER] = lost
    return frame, left_out


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


def rate(
    ratings: pd.DataFrame,
    names: Sequence[str],
    *,
    crossed: bool = True,
    scale: Sequence[int] = SCALE,
    less_is_better: bool = False,
) -> dict:
    """Return means, places and pairs of one dimension, from the highest mean down or, if less is better, up.

    Returns
    -------
    dict
        `order`, `score` (the mean), `score_ci`, `clusters` (first and last place, see `places`), `n` {name: ratings},
        `annotations` {name: …}, `distribution` {name: counts by value of `scale`}, `pairs` [{a, b, n, estimate (mean of
        a less that of b), se, ci, p, p_adjusted, p_errors,
        effective (see `Estimates.contrasts`)}].
    """
    names = [name for name in names if name in set(ratings["name"])]
    ratings = ratings[ratings["name"].isin(names)]
    place = {name: i for i, name in enumerate(names)}
    code = ratings["name"].map(place).to_numpy(dtype=int)
    values = ratings["value"].to_numpy(dtype=float)
    clusters = frame_clusters(ratings, crossed)
    means = group_means(values, code, len(names), clusters, (min(scale), max(scale)))
    pair_rows = means.pairs()
    sign = -1.0 if less_is_better else 1.0
    order = best_first(names, sign * means.values)
    sizes = np.bincount(code, minlength=len(names))
    counts = np.stack([np.bincount(code[values == value], minlength=len(names)) for value in scale], axis=1)

    def by_name(column: Iterable) -> dict:
        """Return the values of the names, in order."""
        value_of = dict(zip(names, column, strict=True))
        return {name: value_of[name] for name in order}

    return {
        "order": order,
        "score": by_name(means.values.tolist()),
        "score_ci": by_name(map(tuple, means.intervals().tolist())),
        "clusters": by_name(_ranges(pair_rows, sign, len(names)).tolist()),
        "n": by_name(sizes.tolist()),
        "annotations": by_name(ratings["annotation_id"].groupby(code).nunique().tolist()),
        "distribution": by_name(counts.tolist()),
        "pairs": _pairs(pair_rows, names, sizes),
    }


def _ranges(pairs: pd.DataFrame, sign: float, count: int) -> np.ndarray:
    """Return the first and last place (count, 2) of each contestant, by the pairs that differ for sure."""
    clear = pairs[pairs["p_adjusted"] < ALPHA]
    ahead = sign * clear["estimate"] > 0
    better = clear["first"].where(ahead, clear["second"]).to_numpy()
    worse = clear["second"].where(ahead, clear["first"]).to_numpy()
    return places(better, worse, np.full(count, count))


def _pairs(pairs: pd.DataFrame, names: Sequence[str], sizes: np.ndarray) -> list[dict]:
    """Return the rows of pairs, by names."""
    first = pairs["first"].to_numpy()
    second = pairs["second"].to_numpy()
    named = pairs.assign(
        a=[names[i] for i in first],
        b=[names[i] for i in second],
        n=sizes[first] + sizes[second],
        ci=list(zip(pairs["low"], pairs["high"], strict=True)),
    )
    return named[list(OF_PAIR)].to_dict(orient="records")
