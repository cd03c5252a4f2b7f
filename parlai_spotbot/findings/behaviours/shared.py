"""Findings that labels of turns share with other answers: agreement, annotators, what could be wrong, time, trust."""

from functools import partial

from parlai_spotbot.analysis.behaviours import SCALE
from parlai_spotbot.findings import agreement, alarms, annotators, costs, trust
from parlai_spotbot.findings.behaviours import FORM, ranking
from parlai_spotbot.findings.ratings.shared import ratings_of

FINDINGS = (
    agreement.finding(FORM, partial(agreement.agreement, metric="nominal")),
    annotators.finding(FORM, partial(annotators.annotators, ranked=ranking.ranked)),
    alarms.finding(FORM, ranking.compute),
    costs.finding(FORM),
    trust.finding(FORM, partial(trust.beside_people, ratings=ratings_of, scale_of=lambda facts, question: SCALE)),
)
