"""Ratings of contestants: means, distributions and differences by each dimension."""

from __future__ import annotations

import pandas as pd

from parlai_spotbot.analysis.ratings import SCALE, rate
from parlai_spotbot.findings import criteria
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.ratings import FORM
from parlai_spotbot.findings.schema import Chart, declared
from parlai_spotbot.wording import plainly

CRITERION = "mean rating from 1 to 5"
TEST = (
    "difference of means over its standard error clustered by conversations and by annotators, Holm-adjusted over the "
    "pairs of a dimension"
)
OVERALL = "quality"
"""The dimension that sums up all others: the ranking is by it where it was asked."""

TABLES = {"ranking": declared("ratings.ranking"), "pairs": declared("ratings.ranking.pairs")}


def compute(answers: Answers) -> dict:
    return answers.once("ranking", _ranking_of)


def _ranking_of(answers: Answers) -> dict:
    """The overall dimension's ranking at the top, all under `criteria`."""
    ranked_by_question = {question: ranked(answers, answers.to(question)) for question in answers.questions}
    main = main_dimension(answers)
    return {**ranked_by_question[main], "question": main, "criteria": ranked_by_question}


def main_dimension(answers: Answers) -> str:
    return OVERALL if OVERALL in answers.questions else answers.questions[0]


def ranked(answers: Answers, rows: pd.DataFrame) -> dict:
    """Means, distributions and tests of the ratings of one dimension."""
    result = rate(rows, answers.names, **answers.hang)
    return {**result, "criterion": CRITERION, "scale": list(SCALE), "test": TEST, "bootstrap": answers.bootstrap()}


def summarise(result: Result) -> list[str]:
    """Return who has the best mean, and how many pairs are clear."""
    data = result.data
    main = data["criteria"][data["question"]]
    first, *others = criteria.headline(main)
    if not main["order"]:
        return [first] if main.get("why") else []
    question = plainly(data["question"]) if len(data["criteria"]) > 1 else ""
    return [first, *others, f"{criteria.clearly(main, question)}."]


FINDING = Finding(
    "ranking",
    FORM,
    compute,
    tables=TABLES,
    summarise=summarise,
    heading="How are they rated?",
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
