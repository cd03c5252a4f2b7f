"""Ratings of contestants: means, distributions and differences by each dimension."""

import pandas as pd

from parlai_spotbot.analysis.ratings import SCALE, rate
from parlai_spotbot.findings import criteria, study_probes
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.finding import Finding
from parlai_spotbot.findings.methods import CLUSTERED
from parlai_spotbot.findings.ratings import FORM
from parlai_spotbot.findings.schema import Chart, Column, Table

CRITERION = "mean rating from 1 to 5"
TEST = (
    "difference of means over its standard error clustered by conversations and by annotators, Holm-adjusted over the "
    "pairs of a dimension"
)
OVERALL = "quality"
"""The dimension that sums up all others: the ranking is by it where it was asked."""

BY_BOT = {"question": Column("term", "Dimension"), "bot": Column("name", "Contestant")}
TABLES = {
    "ranking": Table(
        "criteria/{question}/{column}/{bot}",
        {**BY_BOT, "cluster": criteria.PLACES, "score": Column("number", "Mean", ci="score_ci")},
        "Order by dimension",
        "Means of ratings from 1 to 5. Places run from one more than are clearly better to as many as are not clearly "
        f"worse; all hold together at 95 %. {CLUSTERED}",
        ("cameron2011", "pustejovsky2018", "holm1979"),
    ),
    "pairs": Table(
        "criteria/{question}/pairs",
        {
            "question": Column("term", "Dimension"),
            "a": Column("name", "Contestant"),
            "b": Column("name", "Less"),
            "estimate": Column("number", "Difference of means", ci="ci"),
            "verdict": Column("text", "The contestant is"),
            "reason": Column("term"),
            "n": Column("count", "n"),
            "p": Column("p"),
            "p_adjusted": Column("p", "p, Holm"),
        },
        "Every pair",
        "Difference of means over its standard error, Holm-adjusted over the pairs of a dimension.",
        ("cameron2011", "holm1979"),
    ),
}


def compute(answers: Answers) -> dict:
    return answers.once("ranking", lambda answers: answers.by_question(ranked, main_dimension(answers)))


def main_dimension(answers: Answers) -> str:
    return OVERALL if OVERALL in answers.questions else answers.questions[0]


def ranked(answers: Answers, rows: pd.DataFrame) -> dict:
    """Means, distributions and tests of the ratings of one dimension."""
    means = rate(rows, answers.names, **answers.hang)
    probes = study_probes.of_means(answers, rows, means, SCALE)
    result = criteria.means_of(means, probes, margin=answers.facts.margin)
    return {**result, "criterion": CRITERION, "scale": list(SCALE), "test": TEST, "bootstrap": answers.bootstrap()}


FINDING = Finding(
    "ranking",
    FORM,
    compute,
    tables=TABLES,
    summarise=criteria.summarise,
    heading="How are they rated?",
    options=("margin",),
    chart=Chart(
        "forest",
        "ranking",
        x="score",
        y="bot",
        group="question",
        caption="Mean rating of each contestant by dimension, with 95 % intervals.",
    ),
    bars=("score",),
    place=10,
)
