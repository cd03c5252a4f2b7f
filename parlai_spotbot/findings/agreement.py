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


def agreement(own: Answers, value: str, unit: Units, metric: str) -> dict:
    """Krippendorff's alpha per question, over what was judged twice or more; `value` is the column of numbers."""
    found = {}
    for question in own.questions:
        rows = own.to(question)
        alpha = krippendorff_alpha(unit(rows), rows[value], own.clusters(rows), metric)
        found[question] = alpha_in_words(alpha)
    return {"krippendorff_alpha": found, "metric": metric}


def annotators_by_models(own: Answers, unit: Units, answer: Callable[[pd.DataFrame], pd.Series], what: str) -> dict:
    """`annotator_models` by question, see `Consensus.to_dict`; {} for a judge, whose variants are no annotators.

    `answer` makes the labels of rows; `what` they are, see `analysis.annotators.models.annotator_models`.
    """
    if not own.crossed:
        return {}
    of = {question: own.to(question) for question in own.questions}
    models = {q: annotator_models(unit(rows), rows["worker_id"], answer(rows), what) for q, rows in of.items()}
    return {"annotator_models": {question: found.to_dict() for question, found in models.items()}}


def summarise(result: Result) -> list[str]:
    """Return the best and the worst alpha, and how many units models of annotators label otherwise."""
    own, people = result.data, result.people
    alphas = {question: found["alpha"] for question, found in own["krippendorff_alpha"].items()}
    known = {question: alpha for question, alpha in alphas.items() if alpha is not None}
    label = "Agreement" if people else "Consistency of the judge with itself"
    if not known:
        why = "; ".join(dict.fromkeys(found["why"] for found in own["krippendorff_alpha"].values() if "why" in found))
        return [Fact.of(label, f"Agreement is not known: {why or 'nothing was answered'}.")]
    whose = "Krippendorff's alpha" if people else "Krippendorff's alpha between variants of the judge"
    ends = dict.fromkeys((max(known, key=known.get), min(known, key=known.get)))
    said = listed([f"{number(known[question])} for {plainly(question)}" for question in ends])
    text = [Fact.of(label, f"{whose} is {said}; 1 is perfect, 0 is chance."), "" if people else VARIANTS]
    models = [found["models"]["dawid_skene"] for found in own.get("annotator_models", {}).values()]
    if fitted := [model for model in models if "why" not in model]:
        differ, of = (sum(model[key] for model in fitted) for key in ("differ", "of"))
        text.append(f"Dawid and Skene's model labels {differ} of {of} units otherwise than the majority does.")
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
