"""Trust in a judge that chooses between conversations."""

import pandas as pd

from parlai_spotbot.findings import trust
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.records import OUTCOMES


def compute(answers: Answers) -> dict:
    """A judge beside people on the same items; {} for people, and where there are none."""
    return trust.beside_people(answers, contests=_contests)


def _contests(both: pd.DataFrame) -> trust.Frame:
    """Return a function from answers to the matches that they decide."""
    contestants = both.drop_duplicates("item_id").set_index("item_id")[["a", "b"]]

    def of(answers: pd.DataFrame) -> pd.DataFrame:
        rows = answers[["annotation_id", "worker_id", "item_id", "conversation_id"]].copy()
        rows["criterion"] = answers["question"]
        for column in ("a", "b"):
            rows[column] = answers["item_id"].map(contestants[column])
        rows["outcome"] = answers["answer"].map(OUTCOMES)
        return rows[rows["a"] != rows["b"]]

    return of


FINDING = trust.finding(FORM, compute)
