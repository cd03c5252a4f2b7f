"""Ratings of contestants: means, distributions and differences by each dimension."""

import pandas as pd

from parlai_spotbot.analysis.ratings import SCALE, rate
from parlai_spotbot.findings import criteria, study_probes
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.finding import declared
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.rankings import Ranking
from parlai_spotbot.findings.ratings import FORM

CRITERION = "mean rating from 1 to 5"
TEST = (
    "difference of means over its standard error clustered by conversations and by annotators, Holm-adjusted over the "
    "pairs of a dimension"
)
OVERALL = "quality"
"""The dimension that sums up all others: the ranking is by it where it was asked."""


def compute(answers: Answers) -> Frames:
    return answers.once("ranking", lambda answers: answers.by_question(ranked, main_dimension(answers)))


def main_dimension(answers: Answers) -> str:
    if OVERALL in answers.questions:
        return OVERALL
    return answers.questions[0]


def compared(answers: Answers) -> pd.DataFrame:
    """Return the ratings by the main dimension."""
    return answers.to(main_dimension(answers)).reset_index(drop=True)


def ranked(answers: Answers, rows: pd.DataFrame) -> Ranking:
    """Means, distributions and tests of the ratings of one dimension."""
    means = rate(rows, answers.names, crossed=answers.crossed)
    probes = study_probes.of_means(answers, rows, means, SCALE)
    told = {"criterion": CRITERION, "scale": list(SCALE), "test": TEST}
    return criteria.means_of(means, probes, margin=answers.facts.margin, **told, **answers.rests)


FINDING = declared(__file__, FORM, compute, criteria.summarise)
