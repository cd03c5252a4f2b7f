"""The parts of surveys that rate on a scale: Dialogue Likert and Turn Likert."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.leniency import fit_leniency
from parlai_spotbot.analysis.methods import shared_parts
from parlai_spotbot.analysis.methods.driver import Source, Study
from parlai_spotbot.analysis.planning.cost_curve import Ratings, cost_curve, hour_grid
from parlai_spotbot.analysis.ratings import SCALE, rate, rating_frame

CRITERION = "mean rating from 1 to 5"
TEST = (
    "difference of means over its standard error clustered by conversations and by annotators, Holm-adjusted over the "
    "pairs of a dimension"
)
OVERALL = "quality"
"""The dimension that sums up all others: the ranking is by it where it was asked."""

DRAWS = 400


def frame(answers: pd.DataFrame, study: Study) -> tuple[pd.DataFrame, dict[str, int]]:
    return rating_frame(answers, study.conversations, study.items)


def names(rows: pd.DataFrame) -> set[str]:
    return set(rows["name"])


def main_dimension(source: Source) -> str:
    return OVERALL if OVERALL in source.questions else source.questions[0]


def ranked(source: Source, rows: pd.DataFrame) -> dict:
    """Means, distributions and tests of the ratings of one dimension."""
    result = rate(rows, source.names, crossed=source.crossed, resample=source.resample)
    return {**result, "criterion": CRITERION, "scale": list(SCALE), "test": TEST, "bootstrap": source.bootstrap()}


def ranking_part(source: Source) -> dict:
    """ranking.json: the overall dimension's at the top, all under `criteria`."""
    criteria = {q: ranked(source, source.rows[source.rows["question"] == q]) for q in source.questions}
    main = main_dimension(source)
    return {**criteria[main], "question": main, "criteria": criteria}


def agreement_part(source: Source) -> dict:
    def rated(own: pd.DataFrame) -> Sequence[str]:
        return own["rated"].tolist()

    return shared_parts.agreement_part(source, "value", rated, "ordinal")


def leniency_part(source: Source) -> dict:
    """leniency.json: per dimension the means at the average annotator beside the raw ones, and how annotators
    differ."""
    found = {}
    for question in source.questions:
        rows = source.rows[source.rows["question"] == question]
        found[question] = _leniency(source, rows) if source.crossed else {"why": "a judge's variants are no sample"}
    return {"dimensions": found}


def _leniency(source: Source, rows: pd.DataFrame) -> dict:
    order = [name for name in source.names if name in set(rows["name"])]
    code = rows["name"].map({name: i for i, name in enumerate(order)}).to_numpy(dtype=int)
    raw = rows.groupby("name")["value"].mean()
    try:
        fit = fit_leniency(rows["value"], code, rows["worker_id"], rows["conversation_id"])
    except ValueError as err:
        return {"why": str(err)}
    ends = fit.levels.intervals()
    ranked = [order[i] for i in np.argsort(-fit.levels.values, kind="stable")]
    by_raw = sorted(order, key=lambda name: -raw[name])
    moved = max(abs(fit.levels.values[i] - raw[name]) for i, name in enumerate(order))
    same = "leaves the order as it is" if ranked == by_raw else "changes the order to " + " > ".join(ranked)
    sentence = (
        f"Annotators differ in leniency by a standard deviation of {fit.annotators:.2f} points, {fit.share:.0%} of "
        f"what differs between ratings of one contestant; allowing for it moves no mean by more than {moved:.2f} and "
        f"{same}."
    )
    return {
        "levels": {name: {"raw": float(raw[name]), "adjusted": float(fit.levels.values[i]), "ci": ends[i].tolist()}
                   for i, name in enumerate(order)},
        "order": ranked,
        "same_order": ranked == by_raw,
        "annotators_sd": fit.annotators,
        "conversations_sd": fit.conversations,
        "rest_sd": fit.rest,
        "share": fit.share,
        "intercepts": fit.intercepts,
        "sentence": sentence,
    }  # fmt: skip


def annotators_part(source: Source) -> dict:
    return shared_parts.annotators_part(source, ranked, main_dimension(source))


def cost_part(source: Source) -> dict:
    """cost.json: the chance of a significant difference by hours, for every pair and the main dimension."""
    seconds, main = shared_parts.mean_seconds(source), main_dimension(source)
    if not np.isfinite(seconds):
        return {"question": main, "curves": [], "why": "no annotation has a time"}
    rows = source.rows[source.rows["question"] == main]
    talks = rows.groupby(["name", "conversation_id"])["value"].mean()
    per = rows["annotation_id"].nunique() / len(talks)
    pairs = ranked(source, rows)["pairs"]
    most = max((len(talks[p["a"]]) + len(talks[p["b"]]) for p in pairs), default=1)
    hours = hour_grid(seconds * per * most / 3600)
    curves = []
    for pair in pairs:
        first, second = (talks[pair[end]].to_numpy() for end in ("a", "b"))
        if min(len(first), len(second)) < 2:
            continue
        curve = cost_curve(Ratings(first, second, per), seconds, hours, rng=source.rng("cost"), replicates=DRAWS,
                           interval=pair["ci"])  # fmt: skip
        curves.append({"a": pair["a"], "b": pair["b"], "n": pair["n"], **curve.to_dict()})
    return {"question": main, "seconds": seconds, "annotations_per_conversation": per, "curves": curves}


def ratings_of(source: Source) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """For trust.json: the scores that answers give."""
    both = [source.rows] if source.people is None else [source.rows, source.people.rows]
    key = ["item_id", "target"]
    known = pd.concat(both).drop_duplicates(key).set_index(key)["name"]

    def of(answers: pd.DataFrame) -> pd.DataFrame:
        found = answers.set_index(key).index
        rows = answers[["annotation_id", "worker_id", "item_id", "conversation_id"]].copy()
        rows["criterion"] = answers["question"]
        rows["contestant"] = known.reindex(found).to_numpy()
        rows["place"] = [int(target[-1]) % 2 if target[-1].isdigit() else 0 for target in answers["target"]]
        rows["score"] = answers["answer"].astype(float)
        about = ["criterion", "annotation_id", "worker_id", "item_id", "conversation_id", "place", "contestant"]
        return rows.groupby(about, as_index=False, sort=False)["score"].mean()

    return of


def trust_part(source: Source) -> dict:
    if source.people is None:
        return {}
    scales = {question: [str(value) for value in SCALE] for question in source.questions}
    return shared_parts.trust_part(source, ratings=ratings_of(source), scales=scales)
