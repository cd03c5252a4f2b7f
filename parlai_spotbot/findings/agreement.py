"""Agreement between annotators by question, in every survey but Spot The Bot."""

from functools import partial
from typing import Any

import numpy as np

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.values import best_first, with_ends
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.findings.render import Fact
from parlai_spotbot.wording import listed, number, plainly

NOTES = {
    "few_annotators": "the interval is about these annotators alone: too few judged the same to say how far others "
    "would agree",
    "all_agree": "all answers agree: the lower end is an exact bound from {effective:.3g} independent clusters",
}
"""Notes on an alpha."""

VARIANTS = "Variants of one judge are no annotators: this says nothing of how far people agree."
"""What a reader must know where the answers compared are those of one judge."""


def alpha_row(question: str, units: Any, values: Any, clusters: Clusters, metric: str = "nominal") -> dict:
    """Return the row of a question: what `krippendorff_alpha` tells of its answers, the note in words."""
    alpha = krippendorff_alpha(units, values, clusters, metric)
    if "note" in alpha:
        alpha["note"] = NOTES[alpha["note"]].format(**alpha)
    return with_ends({"question": question, "metric": metric, **alpha}, "alpha")


def agreement(answers: Answers, value: str = "value", unit: str = "rated", metric: str = "ordinal") -> Found:
    """Krippendorff's alpha per question, over what was judged twice or more; `value` is the column of numbers, `unit`
    that of the item each is about."""
    alphas = []
    for question in answers.questions:
        rows = answers.to(question)
        alphas.append(alpha_row(question, rows[unit].tolist(), rows[value], answers.clusters(rows), metric))
    return {"alpha": alphas}


def fact(result: Result, text: str) -> Fact:
    """Return a sentence on agreement; of a judge it is about its consistency."""
    label = "Agreement"
    if not result.people:
        label = "Consistency of the judge with itself"
    return Fact.from_text(label, text)


def summarise(result: Result) -> list[str]:
    """Return the best and the worst alpha."""
    rows = result.rows("alpha")
    estimated = [row for row in rows if row["alpha"] is not None]
    if not estimated:
        reasons = "; ".join(dict.fromkeys(row["why"] for row in rows))
        return [fact(result, f"Agreement is not known: {reasons}.")]
    whose = variants = ""
    if not result.people:
        whose = " between variants of the judge"
        variants = VARIANTS
    alphas = np.array([row["alpha"] for row in estimated])
    values = [f"{number(row['alpha'])} for {plainly(row['question'])}" for row in estimated]
    best = best_first(values, alphas)[0]
    worst = best_first(values, -alphas)[0]
    text = f"is {listed(dict.fromkeys((best, worst)))}"
    if len(values) > 2:
        text = f"goes from {worst} to {best}, over {len(values)} questions"
    return [fact(result, f"Krippendorff's alpha{whose} {text}; 1 is perfect, 0 is chance."), variants]


finding = partial(declared, __file__, summarise=summarise)
"""The finding of a form of answers, from the form and what computes it."""
