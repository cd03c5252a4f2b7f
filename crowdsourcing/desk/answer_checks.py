"""Rules for a complete and well-formed answer to an item: the same by which the page decides what to ask next.

A question is put when all required answers to the questions under its `after` are given, and to those targets for which
its conditions hold (surveys.survey). Whatever a browser sends is taken apart here and put together again, so that
nothing unforeseen reaches the ledger; answers to questions that are not put are left out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.surveys.asking import Pair, asked, targets_of
from parlai_spotbot.surveys.survey import Question, Survey

MOST_SECONDS = 1e7
MOST_CHANGES = 10**6


def malformed(text: str) -> Refusal:
    """A body that no page of ours sends."""
    return Refusal(400, "malformed", text)


def incomplete(text: str) -> Refusal:
    """A body that lacks answers."""
    return Refusal(422, "incomplete", text)


# -- what was answered -------------------------------------------------------------------------------------------------
def check_items(survey: Survey, page_items: Sequence[dict], body_items: Any) -> list[dict]:
    """The answers to all items of a unit, clean and in the order of the page.

    Parameters
    ----------
    page_items : list of dict
        As `presentation.present` made them.
    body_items : list of dict
        ``{"item", "answers": [{"question", "target", "answer", "seconds", "changes"}], "seconds", "comment"}``; times
        in seconds, times, changes and comments are optional.

    Returns
    -------
    list of dict
        The same keys, all present (None where no time was sent), answers in the survey's order.

    Raises
    ------
    Refusal
        400 "malformed" for what no page sends, 422 "incomplete" where a required answer is missing.
    """
    if not isinstance(body_items, list) or not all(isinstance(row, dict) for row in body_items):
        raise malformed("The answers are not a list of items.")
    by_number: dict[int, dict] = {}
    for row in body_items:
        number = row.get("item")
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(page_items):
            raise malformed("An answer is to an item that is not in this unit.")
        if number in by_number:
            raise malformed(f"Item {number + 1} is answered twice.")
        by_number[number] = row
    clean = {number: check_item(survey, page_items[number], row) for number, row in by_number.items()}
    for number in range(len(page_items)):
        if number not in clean:
            raise incomplete(f"Item {number + 1} is not answered yet.")
    return [clean[number] for number in range(len(page_items))]


def check_item(survey: Survey, page_item: dict, row: dict) -> dict:
    """The answers to one item; see `check_items`."""
    place = f"Item {page_item['item'] + 1}"
    speakers, judged = speakers_of(page_item), judged_of(page_item)
    given = _given(survey, page_item, row.get("answers"), place)
    answers = {pair: part["answer"] for pair, part in given.items()}
    pairs = asked(survey, speakers, answers, page_item["questions"], judged)
    for name, target in pairs:
        if (name, target) not in given and survey.question(name).required:
            raise incomplete(f"{place}: '{name}' is not answered yet.")
        other = survey.question(name).other_than
        if other and (name, target) in answers and answers[name, target] == answers.get((other, target)):
            raise malformed(f"{place}: '{name}' has the same answer as '{other}'.")
    return {
        "item": page_item["item"],
        "answers": [given[pair] for pair in pairs if pair in given],
        "seconds": seconds(row.get("seconds"), place),
        "comment": text(row.get("comment", ""), survey.limits.comment_length, f"{place}: the comment"),
    }


def speakers_of(page_item: dict) -> list[int]:
    """Return who says each turn of the item, or of the first of its conversations."""
    return [turn["entity"] for turn in page_item["transcripts"][0]["turns"]]


def judged_of(page_item: dict) -> tuple[int, ...]:
    """The entities of a single conversation that are judged; () for both, and where conversations are compared."""
    if len(page_item["transcripts"]) > 1:
        return ()
    return tuple(i for i, entity in enumerate(page_item["transcripts"][0]["entities"]) if entity.get("judged"))


def _given(survey: Survey, page_item: dict, rows: Any, place: str) -> dict[Pair, dict]:
    """The answers by question and target; those left empty are left out."""
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise malformed(f"{place}: the answers are not a list.")
    question_by_name = {question.name: question for question in survey.questions}
    speakers, judged = speakers_of(page_item), judged_of(page_item)
    shown = [one["value"] for one in page_item.get("candidates", ())]
    given: dict[Pair, dict] = {}
    for row in rows:
        name, target = row.get("question"), row.get("target")
        if (
            not isinstance(name, str)
            or name not in question_by_name
            or target not in targets_of(question_by_name[name], speakers, judged)
        ):
            raise malformed(f"{place}: an answer is to a question that is not asked.")
        if (name, target) in given:
            raise malformed(f"{place}: '{name}' is answered twice.")
        answer = clean_answer(question_by_name[name], row.get("answer"), survey.limits.text_length, place)
        if question_by_name[name].of_candidates and answer is not None and answer not in shown:
            raise malformed(f"{place}: the answer to '{name}' is none of the replies shown.")
        if answer is not None:
            given[name, target] = {
                "question": name,
                "target": target,
                "answer": answer,
                "seconds": seconds(row.get("seconds"), place),
                "changes": _changes(row.get("changes", 0), place),
            }
    return given


def clean_answer(question: Question, answer: Any, text_length: int, place: str = "Item") -> Any:
    """The answer in its stored form; None where nothing was answered. Raises `Refusal` 400.

    choice and scale: an option's value. checkboxes: the values ticked, in the order of the options, None where there is
    none. ranking: all values. free_text: the text, None where it is blank.
    """
    if answer is None or answer == []:
        return None
    values = [option.value for option in question.options]
    if question.kind == "free_text":
        written = text(answer, text_length, f"{place}: '{question.name}'")
        return written if written.strip() else None
    if question.kind in ("choice", "scale"):
        if not isinstance(answer, str) or answer not in values:
            raise malformed(f"{place}: the answer to '{question.name}' is none of its options.")
        return answer
    if not isinstance(answer, list) or not all(isinstance(part, str) and part in values for part in answer):
        raise malformed(f"{place}: the answer to '{question.name}' is no list of its options.")
    if len(set(answer)) != len(answer) or (question.kind == "ranking" and len(answer) != len(values)):
        raise malformed(f"{place}: the answer to '{question.name}' does not name each option once.")
    return sorted(answer, key=values.index) if question.kind == "checkboxes" else list(answer)


def text(value: Any, most: int, what: str) -> str:
    """A text of at most `most` characters; halves of a character (a phone cuts an emoji in two) become U+FFFD."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise malformed(f"{what} is no text.")
    if len(value) > most:
        raise malformed(f"{what} is longer than {most} characters.")
    return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def seconds(value: Any, what: str) -> float | None:
    """A time in seconds, None where none was sent."""
    if value is None:
        return None
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 <= value <= MOST_SECONDS or not math.isfinite(value):
        raise malformed(f"{what}: a time is no number of seconds.")
    return float(value)


def _changes(value: Any, place: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MOST_CHANGES:
        raise malformed(f"{place}: the number of changes is no number.")
    return value
