"""Annotators' answers about themselves; answers of few are pooled."""

from collections.abc import Iterator, Mapping, Sequence

from parlai_spotbot.analysis.nuc.people import UNTOLD, pooled
from parlai_spotbot.analysis.uncertainty.shares import wilson
from parlai_spotbot.analysis.values import with_ends
from parlai_spotbot.findings.candidates import FORM, CandidateAnswers
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.surveys.survey import Question
from parlai_spotbot.wording import counted


def compute(answers: CandidateAnswers) -> Found | None:
    """Return what annotators whose answers count say of themselves; answers of few are pooled.

    Of judges there is nothing.
    """
    if not answers.crossed:
        return None
    workers = sorted(set(answers.rows["worker_id"]))
    rows = [
        row for question in answers.facts.survey.questionnaire for row in _answers_to(question, workers, answers.about)
    ]
    left_out = answers.everyone["worker_id"].nunique() - len(workers)
    return {"questionnaire": rows, "whole": {"annotators": len(workers), "left_out": left_out}}


def _answers_to(question: Question, workers: Sequence[str], about: Mapping) -> Iterator[dict]:
    replies = [about.get(worker, {}).get(question.name, UNTOLD) for worker in workers]
    labels = {option.value: option.label for option in question.options}
    for values, count in pooled({value: replies.count(value) for value in labels}):
        row = {
            "name": question.name,
            "question": question.heading,
            "wording": question.wording,
            "values": list(values),
            "label": " / ".join(labels[value] for value in values),
            "n": count,
            "share": count / len(workers),
            "ci": wilson(count, len(workers)),
        }
        yield with_ends(row, "share")


def summarise(result: Result) -> list[str]:
    """Return how many annotators are counted, and who is not; [] where nobody is."""
    if "questionnaire" not in result.frames:
        return []
    whole = result.one("whole")
    text = f"{counted(whole['annotators'], 'annotator is', 'annotators are')} counted here"
    left_out = whole.get("left_out")
    if left_out:
        text += f", without {left_out:,} who missed more control items than allowed"
    return [f"{text}; each question was voluntary."]


FINDING = declared(__file__, FORM, compute, summarise)
