"""Whether a judge's rows answer what the survey asks: other ones could never be analysed."""

from dataclasses import dataclass

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Item, Judgement, Unit
from parlai_spotbot.surveys.asking import targets_of
from parlai_spotbot.surveys.survey import Question, Survey


@dataclass(frozen=True)
class RowCheck:
    """The rows of the judge `name` that answer `survey`."""

    survey: Survey
    name: str

    def rows(self, unit: Unit, rows: list[Judgement]) -> None:
        """Raise `UserError` for a row of `unit` with a question, target or answer that the survey doesn't have."""
        items = {item.item_id: item for item in unit.items}
        questions = {question.name: question for question in self.survey.questions}
        for row in rows:
            if problem := self._problem(row, questions.get(row.question), items.get(row.item_id)):
                raise UserError(
                    f"judge {self.name}: unit {unit.unit_id}: {problem}.",
                    "Nothing of that unit is kept: correct the judge, or take another.",
                )

    def _problem(self, row: Judgement, question: Question | None, item: Item | None) -> str:
        """Return what is wrong with an answer to a question about an item; "" where nothing is."""
        name = self.survey.name
        if item is None:
            return f"answers item '{row.item_id}', which the unit doesn't show"
        if question is None or row.target not in _targets(question, item):
            return f"answers question '{row.question}' about '{row.target}', which survey {name} doesn't ask"
        if not _is_option(question, row.answer):
            allowed = ", ".join(option.value for option in question.options)
            return f"answers {row.answer!r} to question '{row.question}', expected one of {allowed}"
        return ""


def _targets(question: Question, item: Item) -> set[str]:
    """Return the targets of a question in any of an item's transcripts."""
    return {
        target
        for transcript in item.transcripts
        for target in targets_of(question, [turn.entity for turn in transcript])
    }


def _is_option(question: Question, answer: object) -> bool:
    """Return whether an answer is one, or are several, of a question's options; of a free text whether it is a text."""
    if question.kind == "free_text":
        return isinstance(answer, str)
    values = {option.value for option in question.options}
    answers = [answer]
    if isinstance(answer, (list, tuple)):
        answers = list(answer)
    return all(isinstance(value, str) and value in values for value in answers)
