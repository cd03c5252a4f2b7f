"""Findings that choices share with others: agreement, annotators, what could be wrong, what is needed, time, trust."""

from functools import partial

import pandas as pd

from parlai_spotbot.findings import agreement, alarms, annotators, costs, needs, settled, trust
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM, ranking
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.findings.scarce import CHOICES


def agreed(answers: Answers) -> Found:
    """Alpha of each question; choices count by the ids of the two conversations, whichever of the two was first."""
    ids = answers.rows["conversation_ids"]
    outcome = answers.rows["outcome"]
    chosen = outcome.mask(ids.str[0] > ids.str[1], -outcome)
    rows = answers.rows.assign(chosen=chosen, pair=ids.map(sorted).str.join(" "))
    metric = "ordinal" if (outcome == 0).any() else "nominal"
    return agreement.agreement(answers.with_rows(rows), "chosen", "pair", metric)


def _contests(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the matches that choices decide."""
    return rows[rows["a"] != rows["b"]].rename(columns={"question": "criterion"})


FINDINGS = (
    agreement.finding(FORM, agreed),
    annotators.finding(FORM, partial(annotators.annotators, ranked=ranking.ranked)),
    alarms.finding(FORM, ranking.compute),
    needs.finding(FORM, ranking.compute, ranking.compared, CHOICES),
    settled.finding(FORM),
    costs.finding(FORM),
    trust.finding(FORM, partial(trust.beside_people, contests=_contests)),
)
