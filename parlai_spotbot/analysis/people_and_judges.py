"""How often a judge agrees with people on the same segments, beside how often people agree with each other.

A judge is no substitute for people; how far it answers as they do is what a reader wants to know first. Each answer of
a person is set against each answer of the judge's variants to the same question about the same item.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.frames import FEATURES
from parlai_spotbot.analysis.resampling import bootstrap_weights, percentile_interval

QUESTIONS = ("nature", *FEATURES)


def with_people(people: pd.DataFrame, judge: pd.DataFrame, *, rng: np.random.Generator, replicates: int = 1000) -> dict:
    """Agreement of a judge with people over the items that both answered.

    Parameters
    ----------
    people, judge : frames
        Annotations, as `annotations_frame` makes them.

    Returns
    -------
    dict
        `items` that both answered; `questions` {question: {"pairs": of a person's and the judge's answer, "agree": the
        share of them that are the same, `ci`, "alpha": Krippendorff's, of these pairs, "alpha_ci", "people": the share
        among pairs of two different people on these items, "people_ci", "people_pairs"}}; `variants` {worker_id:
        {question: share}}. Every person's answer counts alike, whatever the number of variants. Intervals draw
        conversations anew. No questions, and `why`, where no item was answered by both.
    """
    shared = sorted(set(people["item_id"]) & set(judge["item_id"]))
    if not shared:
        return {"items": 0, "questions": {}, "variants": {}, "why": "people and the judge answered no item both"}
    ours, theirs = (_answers(frame[frame["item_id"].isin(shared)]) for frame in (people, judge))
    homes = pd.concat([ours["conversation_id"], theirs["conversation_id"]]).unique()
    weights = bootstrap_weights(
        homes, homes, np.zeros(len(homes)), rng=rng, replicates=replicates, resample="conversations"
    )
    draw = _Draw({home: i for i, home in enumerate(homes)}, weights)
    result: dict = {"items": len(shared), "questions": {}, "variants": {}}
    for question in QUESTIONS:
        mixed = _pairs(ours, theirs, question)
        among = _pairs(ours, ours, question)
        among = among[among["worker_id_x"] != among["worker_id_y"]]
        entry = {"pairs": len(mixed), **draw.share(mixed, "agree", "ci")}
        entry |= {**draw.alpha(mixed), "people_pairs": len(among) // 2}
        result["questions"][question] = entry | draw.share(among, "people", "people_ci")
        for worker, own in mixed.groupby("worker_id_y", sort=True):
            share = float((own["answer_x"] == own["answer_y"]).mean())
            result["variants"].setdefault(worker, {})[question] = share
    return result


def _answers(frame: pd.DataFrame) -> pd.DataFrame:
    """One row an answer: item_id, conversation_id, worker_id, annotation_id, question, target, answer."""
    about = ["item_id", "conversation_id", "worker_id", "annotation_id"]
    parts = [
        frame[about].assign(question="nature", target=f"entity:{e}", answer=frame[f"nature{e}"].astype(str))
        for e in (0, 1)
    ]
    parts += [frame[about].assign(question=f, target="pair", answer=frame[f].astype(str)) for f in FEATURES]
    return pd.concat(parts, ignore_index=True)


def _pairs(first: pd.DataFrame, second: pd.DataFrame, question: str) -> pd.DataFrame:
    """One row a pair of answers to the same question about the same target of the same item."""
    on = ["item_id", "conversation_id", "question", "target"]
    return first[first["question"] == question].merge(second[second["question"] == question], on=on)


class _Draw:
    """Shares that agree, with intervals by one bootstrap of conversations for all questions."""

    def __init__(self, place: dict[str, int], weights: np.ndarray) -> None:
        self.place, self.weights = place, weights

    def share(self, pairs: pd.DataFrame, name: str, interval: str) -> dict:
        if pairs.empty:
            return {name: np.nan, interval: (np.nan, np.nan)}
        same = (pairs["answer_x"] == pairs["answer_y"]).to_numpy(dtype=float)
        # Each answer of the first counts once, however many there are to set it against.
        size = pairs.groupby(["annotation_id_x", "target"])["answer_x"].transform("size").to_numpy()
        home = pairs["conversation_id"].map(self.place).to_numpy()
        count = len(self.place)
        hits, of = np.bincount(home, same / size, count), np.bincount(home, 1 / size, count)
        drawn, total = self.weights @ hits, self.weights @ of
        samples = np.divide(drawn, total, out=np.full(len(drawn), np.nan), where=total > 0)
        return {name: float(hits.sum() / of.sum()), interval: percentile_interval(samples)}

    def alpha(self, pairs: pd.DataFrame) -> dict:
        """Krippendorff's nominal alpha of the pairs, each a unit with two answers; NaN where all answers are one."""
        count = len(self.place)
        home = pairs["conversation_id"].map(self.place).to_numpy(dtype=int)
        same = np.bincount(home, (pairs["answer_x"] == pairs["answer_y"]).to_numpy(dtype=float), count)
        answer = pd.factorize(pd.concat([pairs["answer_x"], pairs["answer_y"]]))[0]
        given = np.zeros((count, int(answer.max(initial=0)) + 1))
        np.add.at(given, (np.tile(home, 2), answer), 1)
        value, samples = (_alpha(w @ same, w @ given) for w in (np.ones((1, count)), self.weights))
        return {"alpha": float(value[0]), "alpha_ci": percentile_interval(samples)}


def _alpha(same: np.ndarray, given: np.ndarray) -> np.ndarray:
    """Alpha (replicates,) from how many pairs agree (replicates,) and how often each label was given (…, labels)."""
    n = given.sum(axis=1)
    chance = n * (n - 1) - (given * (given - 1)).sum(axis=1)
    observed = 1 - np.divide(2 * same, n, out=np.full(len(n), np.nan), where=n > 0)
    expected = np.divide(chance, n * (n - 1), out=np.zeros(len(n)), where=n > 1)
    return 1 - np.divide(observed, expected, out=np.full(len(n), np.nan), where=expected > 0)
