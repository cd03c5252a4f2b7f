"""How far a judge that rates can be trusted, beside people."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from parlai_spotbot.analysis.ratings import SCALE
from parlai_spotbot.findings import trust
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.ratings import FORM


def compute(own: Answers) -> dict:
    """A judge beside people on the same items; {} for people, and where there are none."""
    if own.people is None:
        return {}
    scales = {question: [str(value) for value in SCALE] for question in own.questions}
    return trust.beside_people(own, ratings=ratings_of(own), scales=scales)


def ratings_of(own: Answers) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """For trust.json: the scores that answers give."""
    both = [own.rows] if own.people is None else [own.rows, own.people.rows]
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


FINDING = trust.finding(FORM, compute)
