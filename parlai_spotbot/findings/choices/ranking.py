"""Ranking by choices: order and win grid for each question."""

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.choices import pair_grid
from parlai_spotbot.analysis.ranking.contrasts import contrasts
from parlai_spotbot.findings import criteria, study_probes
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM, names
from parlai_spotbot.findings.finding import Finding
from parlai_spotbot.findings.methods import CLUSTERED, COMPARED, OF_STRENGTHS
from parlai_spotbot.findings.schema import Chart, Column, Table

CRITERION = "share of points (neither is half) by Davidson's model, had all contestants met equally often"
TEST = (
    "likelihood ratio of equal strengths in Davidson's model of all choices, over the design effect of choices "
    "clustered by conversations and by annotators, Holm-adjusted over the pairs of a question; p_pair is of the pair's "
    "own decided choices alone"
)
RANKING = Table(
    "criteria/{question}/{column}/{bot}",
    {
        "question": Column("term", "Question"),
        "bot": Column("name", "Contestant"),
        "group": Column("count", "Group"),
        "cluster": criteria.PLACES,
        "score": Column("share", "Points", ci="score_ci"),
        "strength": Column("number", key="strength.strength", ci="strength.ci"),
    },
    "Order by question",
    "Points are the share won by Davidson's model of all choices (neither is half), had all met equally often. Places "
    f"run from one more than are clearly better to as many as are not clearly worse; all hold together at 95 %. "
    f"{COMPARED} {CLUSTERED}",
    ("bradley1952", *OF_STRENGTHS),
)
PAIRS = Table(
    "criteria/{question}/pairs",
    {
        "question": Column("term", "Question"),
        **criteria.WHO_BEATS_WHOM,
        "own": Column("share", "Share of wins"),
        "estimate": Column("share", "By all choices", ci="ci"),
        "verdict": Column("text", "The contestant is"),
        "reason": Column("term"),
        "rests_on": Column("text"),
        "difference": Column("number", "Difference in strength", ci="difference_ci"),
        "p": Column("p"),
        "p_adjusted": Column("p", "p, Holm"),
        "p_pair": Column("p"),
    },
    "Every pair",
    "The share is of the pair's own decided choices, without interval; by all choices is the chance of being chosen by "
    "Davidson's model. p is of the difference of strengths; p, Holm, is missing where the verdict isn't known.",
    ("clopper1934", *OF_STRENGTHS),
)
TABLES = {"ranking": RANKING, "pairs": PAIRS}
CHART = Chart(
    "forest",
    "ranking",
    x="score",
    y="bot",
    group="question",
    caption="Share of points by question, with 95 % intervals; at the line a contestant wins as often as it loses.",
    reference=0.5,
)


def compute(answers: Answers) -> dict:
    return answers.once("ranking", lambda answers: answers.by_question(ranked, answers.questions[0]))


def ranked(answers: Answers, rows: pd.DataFrame) -> dict:
    """Order and win grid of the choices of one question."""
    rows = rows[rows["a"] != rows["b"]]
    seen = names(rows)
    met = [name for name in answers.names if name in seen]
    sided = sides(rows)
    order = None if sided is not None else False
    rows = rows if sided is None else sided
    fitted = contrasts(rows, met, order=order, **answers.hang)
    grid = pair_grid(rows, met, **answers.hang)
    probes = study_probes.of_answers(answers, rows)
    times = study_probes.times_of(answers, rows)
    pool, verdict = criteria.pool_of(fitted, rows, grid, probes, times, answers.facts.margin)
    result = {
        **pool,
        "criterion": CRITERION,
        "pairs": criteria.with_verdicts(grid, fitted, verdict),
        "unmet": criteria.unmet_pairs(verdict),
        "test": TEST,
        "n": len(rows),
        "ties": float((rows["outcome"] == 0).mean()) if len(rows) else np.nan,
        "bootstrap": answers.bootstrap(),
    }
    return result | ({"why": fitted.why} if fitted.why else {})


def sides(rows: pd.DataFrame) -> pd.DataFrame | None:
    """Return the choices with the conversation on the left first; None where the sides aren't all known."""
    if "turned" not in rows or rows["turned"].isna().any() or rows.empty:
        return None
    turned = rows["turned"].to_numpy(dtype=bool)
    a, b, outcome = (rows[name].to_numpy() for name in ("a", "b", "outcome"))
    sided = rows.assign(a=np.where(turned, b, a), b=np.where(turned, a, b), outcome=np.where(turned, -outcome, outcome))
    for name in ("conversation_ids", "cluster_ids"):
        if name in sided:
            sided[name] = [ids[::-1] if turn else ids for ids, turn in zip(sided[name], turned, strict=True)]
    return sided


FINDING = Finding(
    "ranking",
    FORM,
    compute,
    tables=TABLES,
    summarise=criteria.summarise,
    heading="Who is preferred?",
    options=("margin",),
    chart=CHART,
    bars=("score",),
    place=10,
)
