"""Who were the annotators? What they say of themselves; answers of few are pooled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parlai_spotbot.analysis.nuc.people import UNTOLD, pooled
from parlai_spotbot.analysis.uncertainty.shares import wilson
from parlai_spotbot.findings.candidates import FORM, CandidateAnswers
from parlai_spotbot.findings.finding import Finding, Result, Rows
from parlai_spotbot.findings.sections import Section, Table
from parlai_spotbot.wording import interval, percent


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
                "values": list(values),
                "label": " / ".join(labels[value] for value in values),
                "n": count,
                "share": count / len(workers),
                "ci": [low, high],
            }
        )
    return {"name": question.name, "heading": question.heading, "wording": question.wording, "answers": cells}


def tell(result: Result) -> list[Section]:
    """What annotators say of themselves; nothing where nobody was asked."""
    own = result.data
    if not own.get("questions"):
        return []
    rows = [
        (question["heading"], cell["label"], percent(cell["share"], 1), interval(cell["ci"]))
        for question in own["questions"]
        for cell in question["answers"]
    ]
    table = Table(
        "What annotators say of themselves",
        "Shares of all annotators whose answers count; who gave no answer is with those who would rather not say. "
        "Answers that fewer than five people gave are taken together.",
        ("about", "answer", "share", "95 % interval"),
        rows,
    )
    text = f"{own['annotators']} annotators were asked; each question was voluntary."
    return [Section("questionnaire", "Who were the annotators?", [text], [], [table])]


def rows(data: Mapping) -> Rows:
    """Rows of the table questionnaire."""
    for question in data["questions"]:
        for cell in question["answers"]:
            (low, high), kept = cell["ci"], {key: cell[key] for key in ("n", "share")}
            yield (
                "questionnaire",
                {"question": question["name"], "answer": cell["label"], **kept, "low": low, "high": high},
            )


FINDING = Finding("questionnaire", FORM, compute, tell, rows, place=30)
