"""Annotators' answers about themselves; answers of few are pooled."""

from collections.abc import Mapping, Sequence

from parlai_spotbot.analysis.nuc.people import UNTOLD, pooled
from parlai_spotbot.analysis.uncertainty.shares import wilson
from parlai_spotbot.findings.candidates import FORM, CandidateAnswers
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.surveys.survey import Question


def compute(answers: CandidateAnswers) -> dict:
    """Return what annotators whose answers count say of themselves; answers of few are pooled.

    Without a survey that has a questionnaire, and for judges, there is nothing.
    """
    questionnaire = answers.facts.survey.questionnaire if answers.facts.survey and answers.crossed else ()
    workers = sorted(set(answers.rows["worker_id"]))
    return {
        "annotators": len(workers),
        "questions": [_question(question, workers, answers.about) for question in questionnaire],
    }


def _question(question: Question, workers: Sequence[str], about: Mapping) -> dict:
    replies = [about.get(worker, {}).get(question.name, UNTOLD) for worker in workers]
    labels = {option.value: option.label for option in question.options}
    counts = {value: sum(reply == value for reply in replies) for value in labels}
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
    data = result.data
    return (
        [f"{data['annotators']} annotators were asked; each question was voluntary."] if data.get("questions") else []
    )


FINDING = declared(__file__, FORM, compute, summarise)
