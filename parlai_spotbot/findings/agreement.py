"""Agreement between annotators by question, in every survey but Spot The Bot."""

from collections.abc import Mapping
from functools import partial

import numpy as np

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.values import best_first
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.finding import Result, declared
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


def alpha_in_words(data: Mapping) -> dict:
    """Return what `krippendorff_alpha` tells, its note in words."""
    kept = {key: value for key, value in data.items() if key not in ("note", "effective")}
    return kept | ({"note": NOTES[data["note"]].format(**data)} if "note" in data else {})


def agreement(answers: Answers, value: str = "value", unit: str = "rated", metric: str = "ordinal") -> dict:
    """Krippendorff's alpha per question, over what was judged twice or more; `value` is the column of numbers, `unit`
    that of what each is about."""
    result = {}
    for question in answers.questions:
        rows = answers.to(question)
        alpha = krippendorff_alpha(rows[unit].tolist(), rows[value], answers.clusters(rows), metric)
        result[question] = alpha_in_words(alpha)
    return {"krippendorff_alpha": result, "metric": metric}


def summarise(result: Result) -> list[str]:
    """Return the best and the worst alpha."""
    data, people = result.data, result.people
    alphas = {question: alpha["alpha"] for question, alpha in data["krippendorff_alpha"].items()}
    alpha_by_question = {question: alpha for question, alpha in alphas.items() if alpha is not None}
    label = "Agreement" if people else "Consistency of the judge with itself"
    if not alpha_by_question:
        why = "; ".join(dict.fromkeys(alpha["why"] for alpha in data["krippendorff_alpha"].values() if "why" in alpha))
        return [Fact.of(label, f"Agreement is not known: {why or 'nothing was answered'}.")]
    whose = "Krippendorff's alpha" if people else "Krippendorff's alpha between variants of the judge"
    questions, values = list(alpha_by_question), np.array(list(alpha_by_question.values()))
    ends = dict.fromkeys((best_first(questions, values)[0], best_first(questions, -values)[0]))
    values = listed([f"{number(alpha_by_question[question])} for {plainly(question)}" for question in ends])
    return [Fact.of(label, f"{whose} is {values}; 1 is perfect, 0 is chance."), "" if people else VARIANTS]


finding = partial(declared, __file__, summarise=summarise)
"""The finding of a form of answers, from the form and what computes it."""
