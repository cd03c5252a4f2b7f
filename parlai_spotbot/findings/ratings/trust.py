"""Trust in a judge that rates."""

import pandas as pd

from parlai_spotbot.analysis.ratings import SCALE
from parlai_spotbot.findings import trust
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.ratings import FORM


def compute(answers: Answers) -> dict:
    """A judge beside people on the same items; {} for people, and where there are none."""
    scales = {question: [str(value) for value in SCALE] for question in answers.questions}
    return trust.beside_people(answers, ratings=ratings_of, scales=scales)


def ratings_of(both: pd.DataFrame) -> trust.Frame:
    """For trust.json: the scores that answers give."""
    key = ["item_id", "target"]
    name = both.drop_duplicates(key).set_index(key)["name"]

    def of(answers: pd.DataFrame) -> pd.DataFrame:
        index = answers.set_index(key).index
        rows = answers[["annotation_id", "worker_id", "item_id", "conversation_id"]].copy()
        rows["criterion"] = answers["question"]
        rows["contestant"] = name.reindex(index).to_numpy()
        rows["place"] = [int(target[-1]) % 2 if target[-1].isdigit() else 0 for target in answers["target"]]
        rows["score"] = answers["answer"].astype(float)
        about = ["criterion", "annotation_id", "worker_id", "item_id", "conversation_id", "place", "contestant"]
        return rows.groupby(about, as_index=False, sort=False)["score"].mean()

    return of


FINDING = trust.finding(FORM, compute)
