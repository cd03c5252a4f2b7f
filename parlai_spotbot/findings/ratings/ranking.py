"""Ratings of contestants: means, distributions and differences by each dimension."""

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.ratings import rate
from parlai_spotbot.findings import criteria, study_probes
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.rankings import Ranking
from parlai_spotbot.findings.ratings import FORM, less_is_better, scale_of
from parlai_spotbot.findings.render import Fact
from parlai_spotbot.wording import listed, plainly

TEST = (
    "difference of means over its standard error clustered by conversations and by annotators, Holm-adjusted over the "
    "pairs of a dimension"
)
OVERALL = "quality"
"""The dimension that sums up all others: the ranking is by it where it was asked."""


def compute(answers: Answers) -> Frames:
    return answers.once("ranking", _by_dimension)


def _by_dimension(answers: Answers) -> Frames:
    """Return the rankings by all dimensions; where less is better in one of them, each row says what is better."""
    frames = answers.by_question(ranked, main_dimension(answers))
    less = [row["question"] for row in frames.rows("whole") if row.get("direction") == "less"]
    if less and "ranking" in frames:
        frames["ranking"]["direction"] = np.where(frames["ranking"]["question"].isin(less), "less", "more")
    return frames


def main_dimension(answers: Answers) -> str:
    if OVERALL in answers.questions:
        return OVERALL
    return answers.questions[0]


def compared(answers: Answers) -> pd.DataFrame:
    """Return the ratings by the main dimension."""
    return answers.to(main_dimension(answers)).reset_index(drop=True)


def ranked(answers: Answers, rows: pd.DataFrame) -> Ranking:
    """Means, distributions and tests of the ratings of one dimension."""
    question = rows["question"].iloc[0]
    scale = scale_of(answers.facts, question)
    less = less_is_better(answers.facts, question)
    means = rate(rows, answers.names, crossed=answers.crossed, scale=scale, less_is_better=less)
    probes = study_probes.of_means(answers, rows, means, scale)
    criterion = f"mean rating from {scale[0]:g} to {scale[-1]:g}"
    whole: dict = {"scale": list(scale), "test": TEST}
    if less:
        criterion += ", where less is better"
        whole["direction"] = "less"
    return criteria.means_of(means, probes, less, answers.facts.margin, criterion=criterion, **whole, **answers.rests)


def summarise(result: Result) -> list[str]:
    """Return who is ahead on the main dimension, how many pairs are clear, and on which scales they were rated."""
    sentences = criteria.summarise(result)
    if not sentences:
        return []
    dimensions: dict[str, list[str]] = {}
    for row in result.rows("whole"):
        dimensions.setdefault(row["criterion"], []).append(plainly(row["question"]))
    dimension_names = [f"{listed(names)}: {criterion}" for criterion, names in dimensions.items()]
    if len(dimension_names) == 1:
        dimension_names = [*dimensions]
    text = f"{'; '.join(dimension_names)}."
    return [*sentences, Fact.from_text("Scale", f"{text[0].upper()}{text[1:]}")]


FINDING = declared(__file__, FORM, compute, summarise)
