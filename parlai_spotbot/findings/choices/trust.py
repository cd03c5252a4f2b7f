"""Trust in a judge that chooses between conversations."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from parlai_spotbot.findings import trust
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM


def compute(answers: Answers) -> dict:
    """A judge beside people on the same items; {} for people, and where there are none."""
    return trust.beside_people(answers, contests=_contests(answers)) if answers.people is not None else {}


def _contests(source_answers: Answers) -> Callable[[pd.DataFrame], pd.DataFrame]:
    """Return a function from answers to the matches that they decide."""
    both = [source_answers.rows] if source_answers.people is None else [source_answers.rows, source_answers.people.rows]
    contestants = pd.concat(both).drop_duplicates("item_id").set_index("item_id")[["a", "b"]]
    outcomes = {"conversation:0": 1, "neither": 0, "conversation:1": -1}

    def of(answers: pd.DataFrame) -> pd.DataFrame:
        rows = answers[["annotation_id", "worker_id", "item_id", "conversation_id"]].copy()
        rows["criterion"] = answers["question"]
        for column in ("a", "b"):
            rows[column] = answers["item_id"].map(contestants[column])
        rows["outcome"] = answers["answer"].map(outcomes)
        return rows[rows["a"] != rows["b"]]

    return of


FINDING = trust.finding(FORM, compute)
