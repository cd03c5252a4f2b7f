"""Ratings on a scale: means and distributions of each contestant, differences between them, and where the scale ends.

Ratings of one conversation, and by one annotator, hang together; so do two contestants' means where the same annotators
rated both, which makes their difference surer than either. Intervals and tests know that (`uncertainty`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.answers import judged_name
from parlai_spotbot.analysis.choices.grid import share_test
from parlai_spotbot.analysis.ranking.clusters import cluster_places, rank_ranges
from parlai_spotbot.analysis.uncertainty.clusters import Estimates, frame_clusters, group_means
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.records import HUMAN, Conversation, Item

SCALE = (1, 2, 3, 4, 5)
MOST = 0.5
"""From this share of answers at one end on, the scale can't tell what is beyond it."""

PARTNER = "rating of the person in a conversation with a bot"


def rating_frame(
    answers: pd.DataFrame,
    conversations: Mapping[str, Conversation],
    items: Mapping[str, Item] | None = None,
    scale: Sequence[int] = SCALE,
) -> tuple[pd.DataFrame, dict[str, int]]:
    """One row a rating: the columns of `answers`, and name (who is rated), kind (of conversation), value, rated.

    `rated` names what was rated: the conversation and the entity or turn. Ratings of a whole conversation ("pair" or
    "conversation:0") are its judged speaker's.

    Returns the frame, and why rows were left out. Raises `ValueError` naming the judgement whose answer or target is
    wrong.
    """
    rows, lost = [], 0
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
    found = pd.DataFrame(rows, columns=["place", "name", "kind", "value", "rated"])
    frame = pd.concat([answers.iloc[found["place"]].reset_index(drop=True), found.drop(columns="place")], axis=1)
    return frame, ({PARTNER: lost} if lost else {})


def _rated(conversation: Conversation, target: str, item: Item | None, where: str) -> str | None:
    sort, _, number = target.partition(":")
    if sort == "entity" and number in ("0", "1"):
        return conversation.entities[int(number)]
    if sort == "turn" and number.isdigit() and int(number) < len(conversation.shown):
        return conversation.shown[int(number)].speaker
    if target in ("pair", "conversation:0"):
        return judged_name(conversation, item.judged[0] if item is not None and item.judged else None)
    turns = len(conversation.shown)
    raise ValueError(f"{where}: target '{target}', expected entity:0, entity:1 or turn:N of its {turns} turns")


def rate(
    ratings: pd.DataFrame,
    names: Sequence[str],
    *,
    rng: np.random.Generator,
    replicates: int = 1000,
    crossed: bool = True,
    resample: str = "conversations_workers",
    scale: Sequence[int] = SCALE,
    correction: str = "holm",
    less_is_better: bool = False,
) -> dict:
    """Everything about one dimension; the order is from the highest mean down, or, where less is better, up.

    Returns
    -------
    dict
        `order`, `score` (the mean), `score_ci`, `clusters`, `ranges`, `n` {name: ratings}, `annotations` {name: …},
        `distribution` {name: counts by value of `scale`}, `distribution_ci` {name: interval of each value's share},
        `pairs` [{a, b, n, estimate (mean of a less that of b), ci, p, p_adjusted, mean_a, mean_b}], `ends` {name:
        sentence} where half of the ratings or more are at an end.
    """
    names = [name for name in names if name in set(ratings["name"])]
    ratings = ratings[ratings["name"].isin(names)]
    place = {name: i for i, name in enumerate(names)}
    code = ratings["name"].map(place).to_numpy(dtype=int)
    values = ratings["value"].to_numpy(dtype=float)
    means = group_means(values, code, len(names), frame_clusters(ratings, crossed, resample))
    ci = _own_intervals(ratings, means, names, crossed, resample, scale)
    sign = -1.0 if less_is_better else 1.0
    draws = sign * means.draws(replicates, rng)
    known = np.isfinite(draws).all()
    ranges = rank_ranges(draws) if known else np.tile([1, len(names)], (len(names), 1))
    places = cluster_places(ranges)
    order = [names[i] for i in np.argsort(-sign * means.values, kind="stable")]
    counts = {name: [int(((code == i) & (values == v)).sum()) for v in scale] for name, i in place.items()}
    pairs = _pairs(ratings, means, names, crossed, resample)
    for row, p in zip(pairs, _adjusted([row["p"] for row in pairs], correction), strict=True):
        row["p_adjusted"] = p
    return {
        "order": order,
        "score": {name: float(means.values[place[name]]) for name in order},
        "score_ci": {name: ci[place[name]] for name in order},
        "clusters": {name: places[place[name]].tolist() for name in order},
        "ranges": {name: [int(r) for r in ranges[place[name]]] for name in order},
        "n": {name: int(sum(counts[name])) for name in order},
        "annotations": {name: int(ratings.loc[code == place[name], "annotation_id"].nunique()) for name in order},
        "distribution": {name: counts[name] for name in order},
        "distribution_ci": {
            name: _share_intervals(ratings[code == place[name]], scale, crossed, resample) for name in order
        },
        "pairs": pairs,
        "ends": {name: text for name in order if (text := end_of_scale(name, counts[name], scale))},
    }


def _share_intervals(
    own: pd.DataFrame, scale: Sequence[int], crossed: bool, resample: str
) -> list[tuple[float, float]]:
    """The interval of the share of each value among one contestant's ratings."""
    clusters = frame_clusters(own, crossed, resample)
    return [share_test((own["value"] == value).to_numpy(), clusters)["ci"] for value in scale]


def _own_intervals(
    ratings: pd.DataFrame, means: Estimates, names: Sequence[str], crossed: bool, resample: str, scale: Sequence[int]
) -> list[tuple[float, float]]:
    """Each mean's interval within the scale, with the degrees of freedom of its own conversations and annotators."""
    found = []
    for i, name in enumerate(names):
        df = frame_clusters(ratings[ratings["name"] == name], crossed, resample).effective - 1
        low, high = means.contrast(np.eye(len(names))[i], df)["ci"]
        found.append((max(low, min(scale)), min(high, max(scale))) if np.isfinite(low) else (low, high))
    return found


def _pairs(ratings: pd.DataFrame, means: Estimates, names: Sequence[str], crossed: bool, resample: str) -> list[dict]:
    found, of = [], {name: ratings[ratings["name"] == name] for name in names}
    effective = {name: frame_clusters(own, crossed, resample).effective for name, own in of.items()}
    rated = pd.crosstab(ratings["worker_id"], ratings["name"])
    for (i, a), (j, b) in combinations(enumerate(names), 2):
        own, df = (of[a], of[b]), effective[a] + effective[b] - 2
        if crossed and "workers" in resample:
            sizes = (rated[a] + rated[b]).to_numpy(dtype=float)
            sizes = sizes[sizes > 0]
            df = min(df, sizes.sum() ** 2 / (sizes @ sizes) - 1) if len(sizes) > 1 else df
        weights = np.zeros(len(names))
        weights[[i, j]] = 1.0, -1.0
        test = means.contrast(weights, df)
        found.append({"a": a, "b": b, "n": len(own[0]) + len(own[1]), **test, "mean_a": float(means.values[i]),
                      "mean_b": float(means.values[j])})  # fmt: skip
    return found


def _adjusted(p: Sequence[float], correction: str) -> list[float]:
    """Corrected p-values; those that couldn't be had stay NaN and don't count."""
    values = np.array(p, dtype=float)
    known = np.isfinite(values)
    values[known] = adjust(values[known], correction)
    return values.tolist()


def end_of_scale(name: str, counts: Sequence[int], scale: Sequence[int] = SCALE) -> str:
    """A sentence where half of the ratings or more are at one end of the scale; else ""."""
    total = sum(counts)
    if not total:
        return ""
    for count, end, beyond in ((counts[0], scale[0], "worse"), (counts[-1], scale[-1], "better")):
        if count >= MOST * total:
            return (
                f"{count / total:.0%} of {name}'s ratings are {end}, the end of the scale: one that is {beyond} still "
                "could hardly show it."
            )
    return ""
