"""Rules for a complete and well-formed answer to an item: the same by which the page decides what to ask next.

A question is put when all required answers to the questions under its `after` are given, and to those targets for which
its conditions hold (surveys.survey). Answers are rebuilt here from the body, so that nothing else reaches the ledger;
answers to questions that are not put are left out.
"""

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any, Required

from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.outside import cleaned
from parlai_spotbot.surveys.asking import Pair, questions_asked, targets_of
from parlai_spotbot.surveys.survey import Question, Survey

Count = Annotated[int, Field(ge=0, le=10**6)]
Seconds = Annotated[float, Field(ge=0, le=1e7, allow_inf_nan=False)] | None


class AnswerBody(TypedDict, total=False):
    """An answer as the page sends it; times in seconds."""

    question: Required[str]
    target: str
    answer: Any
    seconds: Seconds
    changes: Count


class ItemBody(TypedDict, total=False):
    """The answers to an item."""

    item: Required[Count]
    answers: Required[list[AnswerBody]]
    seconds: Seconds
    comment: str | None


def malformed(text: str) -> Refusal:
    """Return the refusal of a body that no page of ours sends."""
    return Refusal(400, "malformed", text)


def incomplete(text: str) -> Refusal:
    """Return the refusal of a body that lacks answers."""
    return Refusal(422, "incomplete", text)


@cache
def _adapter(kind: Any) -> TypeAdapter:
    return TypeAdapter(kind)


def shaped(kind: Any, body: Any) -> Any:
    """Return the fields of `body` that a `kind` has; raise `Refusal` 400 where one has another type."""
    try:
        return _adapter(kind).validate_python(body, strict=True)
    except ValidationError:
        raise malformed("The request has not the form that the page gives it.") from None


def check_items(survey: Survey, page_items: Sequence[dict], body_items: Any) -> list[dict]:
    """Return the answers to all items of a unit, clean and in the order of the page.

    Parameters
    ----------
    page_items : list of dict
        As `presentation.present` made them.
    body_items : list of dict
        `ItemBody` of each item.

    Returns
    -------
    list of dict
        The same keys, all present (None where no time was sent), answers in the survey's order.

    Raises
    ------
    Refusal
        400 "malformed" for what no page sends, 422 "incomplete" where a required answer is missing.
    """
    rows = shaped(list[ItemBody], body_items)
    by_number = {row["item"]: row for row in rows}
    if len(by_number) < len(rows) or not by_number.keys() <= set(range(len(page_items))):
        raise malformed("An item is answered twice, or is not in this unit.")
    for number in range(len(page_items)):
        if number not in by_number:
            raise incomplete(f"Item {number + 1} is not answered yet.")
    return [check_item(survey, page, by_number[number]) for number, page in enumerate(page_items)]


def check_item(survey: Survey, page_item: dict, row: ItemBody) -> dict:
    """Return the clean answers to one item; see `check_items`."""
    place = f"Item {page_item['item'] + 1}"
    speakers = speakers_of(page_item)
    judged = judged_of(page_item)
    given = _given(survey, page_item, row["answers"], place)
    answers = {pair: part["answer"] for pair, part in given.items()}
    pairs = questions_asked(survey, speakers, answers, page_item["questions"], judged)
    for name, target in pairs:
        if (name, target) not in given and survey.question(name).required:
            raise incomplete(f"{place}: '{name}' is not answered yet.")
        other = survey.question(name).other_than
        if other and (name, target) in answers and answers[name, target] == answers.get((other, target)):
            raise malformed(f"{place}: '{name}' has the same answer as '{other}'.")
    return {
        "item": page_item["item"],
        "answers": [given[pair] for pair in pairs if pair in given],
        "seconds": row.get("seconds"),
        "comment": short(row.get("comment") or "", survey.limits.comment_length),
    }


def speakers_of(page_item: dict) -> list[int]:
    """Return who says each turn of the item, or of the first of its conversations."""
    return [turn["entity"] for turn in page_item["transcripts"][0]["turns"]]


def judged_of(page_item: dict) -> tuple[int, ...]:
    """Return the judged entities of a single conversation; () for both, and where conversations are compared."""
    if len(page_item["transcripts"]) > 1:
        return ()
    return tuple(i for i, entity in enumerate(page_item["transcripts"][0]["entities"]) if entity.get("judged"))


def _given(survey: Survey, page_item: dict, rows: Sequence[AnswerBody], place: str) -> dict[Pair, dict]:
    """Return the answers by question and target, without empty ones."""
    question_by_name = {question.name: question for question in survey.questions}
    speakers = speakers_of(page_item)
    judged = judged_of(page_item)
    shown = [one["value"] for one in page_item.get("candidates", ())]
    given: dict[Pair, dict] = {}
    for row in rows:
        name = row["question"]
        target = row.get("target", "")
        question = question_by_name.get(name)
        if question is None or target not in targets_of(question, speakers, judged) or (name, target) in given:
            raise malformed(f"{place}: an answer is to a question that is not asked, or answered twice.")
        answer = clean_answer(question, row.get("answer"), survey.limits.text_length)
        if question.of_candidates and answer is not None and answer not in shown:
            raise malformed(f"{place}: the answer to '{name}' is none of the replies shown.")
        if answer is not None:
            given[name, target] = {
                "question": name,
                "target": target,
                "answer": answer,
                "seconds": row.get("seconds"),
                "changes": row.get("changes", 0),
            }
    return given


def clean_answer(question: Question, answer: Any, text_length: int) -> Any:
    """Return the answer in its stored form; None where nothing was answered. Raise `Refusal` 400 for a wrong one.

    choice and scale: an option's value. checkboxes: the values ticked, in the order of the options, None where there is
    none. ranking: all values. free_text: the text, None where it is blank.
    """
    if answer is None or answer == []:
        return None
    if question.kind == "free_text":
        written = short(answer, text_length)
        return written if written.strip() else None
    values = [option.value for option in question.options]
    several = question.kind in ("checkboxes", "ranking")
    chosen = shaped(list[str], answer) if several else [shaped(str, answer)]
    complete = question.kind != "ranking" or len(chosen) == len(values)
    if not set(chosen) <= set(values) or len(set(chosen)) < len(chosen) or not complete:
        raise malformed(f"The answer to '{question.name}' is none of its options, or does not name each once.")
    if question.kind == "checkboxes":
        return sorted(chosen, key=values.index)
    return chosen if several else answer


def short(text: Any, most: int) -> str:
    """Return a clean text of at most `most` characters; raise `Refusal` 400 for anything else."""
    if len(shaped(str, text)) > most:
        raise malformed(f"A text is longer than {most} characters.")
    return cleaned(text, most)
