"""Check that a judge's rows answer what the survey asks: other ones could never be analysed."""

from collections.abc import Iterator, Sequence

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Item, Judgement, Unit
from parlai_spotbot.surveys.asking import targets_of
from parlai_spotbot.surveys.survey import Question, Survey


def check_rows(survey: Survey, judge: str, unit: Unit, rows: Sequence[Judgement]) -> None:
    """Raise `UserError` for a row of a judge with an item, question, target or answer that the survey doesn't have."""
    question_by_key = {
        (item.item_id, *key): question for item in unit.items for key, question in _questions_asked(survey, item)
    }
    for row in rows:
        question = question_by_key.get((row.item_id, row.question, row.target))
        if question is None:
            about = f"item '{row.item_id}', question '{row.question}' about '{row.target}'"
            problem = f"answers {about}, which survey {survey.name} doesn't ask there"
        elif not _is_option(question, row.answer):
            allowed = ", ".join(option.value for option in question.options)
            problem = f"answers {row.answer!r} to question '{row.question}', expected one of {allowed}"
        else:
            continue
        raise UserError(
            f"judge {judge}: unit {unit.unit_id}: {problem}.",
            "Nothing of that unit is kept: correct the judge, or take another.",
        )


def _questions_asked(survey: Survey, item: Item) -> Iterator[tuple[tuple[str, str], Question]]:
    """Yield the questions of a survey under their names and targets, in any of an item's transcripts."""
    for question in survey.questions:
        for transcript in item.transcripts:
            for target in targets_of(question, [turn.entity for turn in transcript]):
                yield (question.name, target), question


def _is_option(question: Question, answer: object) -> bool:
    """Return whether an answer is one, or are several, of a question's options; of a free text whether it is a text."""
    if question.kind == "free_text":
        return isinstance(answer, str)
    values = {option.value for option in question.options}
    answers = [answer]
    if isinstance(answer, (list, tuple)):
        answers = list(answer)
    return all(isinstance(value, str) and value in values for value in answers)
