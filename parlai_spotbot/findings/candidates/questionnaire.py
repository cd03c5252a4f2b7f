"""Who were the annotators? What they say of themselves; answers of few are pooled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parlai_spotbot.analysis.nuc.people import UNTOLD, pooled
from parlai_spotbot.analysis.uncertainty.shares import wilson
from parlai_spotbot.findings.candidates import FORM, CandidateAnswers
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.schema import Column, Table


def compute(own: CandidateAnswers) -> dict:
    """What annotators whose answers count say of themselves; answers of few are pooled.

    Without a survey that has a questionnaire, and for judges, there is nothing.
    """
    asked = own.facts.survey.questionnaire if own.facts.survey and own.crossed else ()
    workers = sorted(set(own.rows["worker_id"]))
    return {
        "annotators": len(workers),
        "questions": [_question(question, workers, own.about) for question in asked] if workers else [],
    }


def _question(question: object, workers: Sequence[str], about: Mapping) -> dict:
    told = [about.get(worker, {}).get(question.name, UNTOLD) for worker in workers]
    labels = {option.value: option.label for option in question.options}
    counts = {value: sum(own == value for own in told) for value in labels}
    cells = []
    for values, count in pooled(counts):
        low, high = wilson(count, len(workers))
        cells.append(
            {
                "question": question.heading,
                "values": list(values),
                "label": " / ".join(labels[value] for value in values),
                "n": count,
                "share": count / len(workers),
                "ci": [low, high],
            }
        )
    return {"name": question.name, "heading": question.heading, "wording": question.wording, "answers": cells}


def summarise(result: Result) -> list[str]:
    """Return how many annotators were asked; [] where nobody was."""
    own = result.data
    return [f"{own['annotators']} annotators were asked; each question was voluntary."] if own.get("questions") else []


TABLE = Table(
    "questions/answers",
    {
        "question": Column("term", "About"),
        "label": Column("term", "Answer"),
        "n": Column("count", "n"),
        "share": Column("share", "Share", "ci", digits=1),
    },
    "What annotators say of themselves",
    "Shares of all annotators whose answers count; no answer is counted with those who would rather not say. Answers "
    "that fewer than five people gave are taken together.",
)

FINDING = Finding(
    "questionnaire",
    FORM,
    compute,
    tables={"questionnaire": TABLE},
    summarise=summarise,
    heading="Who were the annotators?",
    place=30,
)
