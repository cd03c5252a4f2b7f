"""Findings that ratings share with others: agreement, annotators, what could be wrong, what is needed, time, trust."""

from functools import partial

import pandas as pd

from parlai_spotbot.findings import agreement, alarms, annotators, costs, needs, settled, trust
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.findings.ratings import FORM, ranking, scale_of
from parlai_spotbot.findings.scarce import RATINGS


def by_annotator(answers: Answers) -> Found:
    """Return who rated, and results without some of them."""
    return annotators.annotators(answers, ranking.ranked, ranking.main_dimension(answers))


def ratings_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the scores that ratings give, of a contestant in one place the mean."""
    rated = rows.rename(columns={"question": "criterion", "name": "contestant", "value": "score"})
    rated["place"] = [int(target[-1]) % 2 if target[-1].isdigit() else 0 for target in rows["target"]]
    about = ["criterion", "annotation_id", "worker_id", "item_id", "conversation_id", "place", "contestant"]
    return rated.astype({"score": float}).groupby(about, as_index=False, sort=False)["score"].mean()


FINDINGS = (
    agreement.finding(FORM, agreement.agreement),
    annotators.finding(FORM, by_annotator),
    alarms.finding(FORM, ranking.compute),
    needs.finding(FORM, ranking.compute, ranking.compared, RATINGS),
    settled.finding(FORM, "ratings"),
    costs.finding(FORM),
    trust.finding(FORM, partial(trust.beside_people, ratings=ratings_of, scale_of=scale_of)),
)
