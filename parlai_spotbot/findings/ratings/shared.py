"""What ratings have as other answers do: agreement, annotators, what could be wrong, what is needed, time, trust."""

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


def ratings_of(both: pd.DataFrame) -> trust.Frame:
    """Return a function from answers to the scores that they give."""
    key = ["item_id", "target"]
    contestant = both.drop_duplicates(key).set_index(key)["name"].rename("contestant")

    def of(answers: pd.DataFrame) -> pd.DataFrame:
        rows = answers.rename(columns={"question": "criterion"}).join(contestant, on=key)
        rows["place"] = [int(target[-1]) % 2 if target[-1].isdigit() else 0 for target in answers["target"]]
        rows["score"] = rows["answer"].astype(float)
        about = ["criterion", "annotation_id", "worker_id", "item_id", "conversation_id", "place", "contestant"]
        return rows.groupby(about, as_index=False, sort=False)["score"].mean()

    return of


FINDINGS = (
    agreement.finding(FORM, agreement.agreement),
    annotators.finding(FORM, by_annotator),
    alarms.finding(FORM, ranking.compute),
    needs.finding(FORM, ranking.compute, ranking.compared, RATINGS),
    settled.finding(FORM, "ratings"),
    costs.finding(FORM),
    trust.finding(FORM, partial(trust.beside_people, ratings=ratings_of, scale_of=scale_of)),
)
