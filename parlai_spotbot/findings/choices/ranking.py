"""Ranking by choices: order and win grid for each question."""

import pandas as pd

from parlai_spotbot.findings import criteria, study_probes
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.finding import declared
from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.findings.rankings import Ranking

CRITERION = "share of points (neither is half) by Davidson's model, as if all contestants had met equally often"
TEST = (
    "likelihood ratio of equal strengths in Davidson's model of all choices, over the design effect of choices "
    "clustered by conversations and by annotators, Holm-adjusted over the pairs of a question; p_pair is of the pair's "
    "own decided choices alone"
)


def compute(answers: Answers) -> Frames:
    return answers.once("ranking", lambda answers: answers.by_question(ranked, answers.questions[0]))


def compared(answers: Answers) -> pd.DataFrame:
    """Return the choices between two contestants by the first question."""
    rows = answers.to(answers.questions[0])
    return rows[rows["a"] != rows["b"]].reset_index(drop=True)


def ranked(answers: Answers, rows: pd.DataFrame) -> Ranking:
    """Order and win grid of the choices of one question."""
    rows = rows[rows["a"] != rows["b"]]
    seen = {*rows["a"], *rows["b"]}
    met = [name for name in answers.names if name in seen]
    sided = sides(rows)
    order = False
    if sided is not None:
        rows = sided
        order = None
    probes = study_probes.of_answers(answers, rows)
    pool = criteria.pool_of(answers, rows, met, probes, study_probes.times_of(answers, rows), order)
    counts = {"n": len(rows), "ties": (rows["outcome"] == 0).mean(), "why": pool.fit.why}
    return pool.ranking(pool.pairs, criterion=CRITERION, test=TEST, **counts, **answers.rests)


def sides(rows: pd.DataFrame) -> pd.DataFrame | None:
    """Return the choices with the conversation on the left first; None where the sides aren't all known."""
    if "turned" not in rows or rows["turned"].isna().any() or rows.empty:
        return None
    turned = rows["turned"].astype(bool)
    sided = rows.copy()
    sided["a"] = rows["b"].where(turned, rows["a"])
    sided["b"] = rows["a"].where(turned, rows["b"])
    sided["outcome"] = rows["outcome"].mask(turned, -rows["outcome"])
    for name in sided.columns.intersection(["conversation_ids", "cluster_ids"]):
        sided[name] = rows[name].mask(turned, rows[name].str[::-1])
    return sided


FINDING = declared(__file__, FORM, compute, criteria.summarise)
