"""Agreement between annotators by question, in every survey but Spot The Bot: alpha, and models of annotators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pandas as pd

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.annotators.models import annotator_models
from parlai_spotbot.findings.alpha_words import alpha_in_words
from parlai_spotbot.findings.answers import Answers, Form
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.render import Fact
from parlai_spotbot.findings.schema import Chart, Column, Table
from parlai_spotbot.wording import listed, number, plainly

Units = Callable[[pd.DataFrame], Sequence[str]]
"""What each of some rows is about."""

VARIANTS = "Variants of one judge are no annotators: this says nothing of how far people agree."
"""What a reader must know where the answers compared are those of one judge."""

CONSENSUS = ("dawid1979", "whitehill2009", "ustalov2024")


def agreement(answers: Answers, value: str, unit: Units, metric: str) -> dict:
    """Krippendorff's alpha per question, over what was judged twice or more; `value` is the column of numbers."""
    result = {}
    for question in answers.questions:
        rows = answers.to(question)
        alpha = krippendorff_alpha(unit(rows), rows[value], answers.clusters(rows), metric)
        result[question] = alpha_in_words(alpha)
    return {"krippendorff_alpha": result, "metric": metric}


def annotators_by_models(answers: Answers, unit: Units, answer: Callable[[pd.DataFrame], pd.Series], what: str) -> dict:
    """`annotator_models` by question, see `Consensus.to_dict`; {} for a judge, whose variants are no annotators.

    `answer` makes the labels of rows; `what` they are, see `analysis.annotators.models.annotator_models`.
    """
    if not answers.crossed:
        return {}
    of = {question: answers.to(question) for question in answers.questions}
    models = {q: annotator_models(unit(rows), rows["worker_id"], answer(rows), what) for q, rows in of.items()}
    return {"annotator_models": {question: model.to_dict() for question, model in models.items()}}


def summarise(result: Result) -> list[str]:
    """Return the best and the worst alpha, and how many units models of annotators label otherwise."""
    data, people = result.data, result.people
    alphas = {question: alpha["alpha"] for question, alpha in data["krippendorff_alpha"].items()}
    alpha_by_question = {question: alpha for question, alpha in alphas.items() if alpha is not None}
    label = "Agreement" if people else "Consistency of the judge with itself"
    if not alpha_by_question:
        why = "; ".join(dict.fromkeys(alpha["why"] for alpha in data["krippendorff_alpha"].values() if "why" in alpha))
        return [Fact.of(label, f"Agreement is not known: {why or 'nothing was answered'}.")]
    whose = "Krippendorff's alpha" if people else "Krippendorff's alpha between variants of the judge"
    ends = dict.fromkeys(
        (max(alpha_by_question, key=alpha_by_question.get), min(alpha_by_question, key=alpha_by_question.get))
    )
    values = listed([f"{number(alpha_by_question[question])} for {plainly(question)}" for question in ends])
    text = [Fact.of(label, f"{whose} is {values}; 1 is perfect, 0 is chance."), "" if people else VARIANTS]
    models = [consensus["models"]["dawid_skene"] for consensus in data.get("annotator_models", {}).values()]
    if fitted := [model for model in models if "why" not in model]:
        differ, total = (sum(model[key] for model in fitted) for key in ("differ", "of"))
        text.append(f"Dawid and Skene's model labels {differ} of {total} units otherwise than the majority does.")
    return text


ALPHA = Table(
    "krippendorff_alpha/{question}",
    {
        "question": Column("term", "Question"),
        "alpha": Column("number", "Alpha", ci="ci"),
        "alike": Column("share", "Answers alike"),
        "units": Column("count", "Judged twice or more"),
        "note": Column("text", "Note"),
        "why": Column("text", "Not known because"),
    },
    "Agreement by question",
    "Krippendorff's alpha over what two or more judged; intervals over conversations and annotators.",
    ("hayes2007",),
)
MODELS = Table(
    "annotator_models/{question}/models/{model}",
    {
        "question": Column("term", "Question"),
        "model": Column("text", "Model"),
        "differ": Column("count", "Labelled otherwise than by the majority"),
        "of": Column("count", "Of"),
        "why": Column("text", "Not fitted because"),
    },
    "Labels by models of annotators",
    "Dawid and Skene's model gives annotators a confusion matrix, GLAD an ability, and units a difficulty. Other "
    "figures of this page do not use them.",
    CONSENSUS,
)
ABILITIES = Table(
    "annotator_models/{question}/annotators/{worker_id}",
    {
        "question": Column("term", "Question"),
        "worker_id": Column("annotator", "Annotator"),
        "answers": Column("count", "Answers"),
        "majority": Column("share", "As the majority"),
        "accuracy": Column("share", "Likely right"),
        "ability": Column("number", "Ability"),
    },
    "Annotators by these models",
    "Likely right by Dawid and Skene's model; ability by GLAD, where 0 is right half of the time.",
    CONSENSUS,
)
TABLES = {"agreement": ALPHA, "models": replace(MODELS, csv="annotator_models"), "abilities": ABILITIES}


def finding(form: Form, compute: Callable[[Answers], dict]) -> Finding:
    """Return the finding of a form of answers."""
    caption = "Krippendorff's alpha by question, with 95 % intervals; 0 is what chance gives."
    return Finding(
        "agreement",
        form,
        compute,
        tables=TABLES,
        summarise=summarise,
        heading="Agreement",
        chart=Chart("forest", "agreement", x="alpha", y="question", caption=caption, reference=0.0),
        place=60,
    )
