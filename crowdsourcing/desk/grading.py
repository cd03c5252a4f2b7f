"""Marking on the server what has a known answer: the exercises of the onboarding, and controls inside units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from parlai_spotbot.crowdsourcing.desk.presentation import Excerpt, present
from parlai_spotbot.records import Item, Utterance
from parlai_spotbot.surveys.controls import missed_by
from parlai_spotbot.surveys.survey import Exercise, Question, Survey


def exercises_of(survey: Survey, attempt: int) -> tuple[Exercise, ...]:
    """The exercises of an attempt, from 0; the last ones again where there are fewer sets than attempts."""
    return survey.onboarding[min(attempt, len(survey.onboarding) - 1)]


def exercise_item(exercise: Exercise) -> Item:
    """The exercise as an item; it has no conversation."""
    transcripts = tuple(tuple(Utterance(*turn) for turn in turns) for turns in exercise.transcripts)
    longest = max(map(len, transcripts))
    return Item("", (), (longest + 1) // 2, transcripts, judged=exercise.judged, candidates=exercise.candidates)


def present_exercises(survey: Survey, attempt: int, chance: str) -> tuple[list[dict], list[dict]]:
    """The page items of an attempt, and what was drawn for each; only the questions that have a key are put.

    A dialogue that annotators open themselves is shown whole in an exercise, so its page items are plain dialogues.
    """
    pages, records = [], []
    for number, exercise in enumerate(exercises_of(survey, attempt)):
        put = {question for question, _, _ in exercise.key}
        page, record = present(survey, exercise_item(exercise), number, chance, Excerpt(questions=put))
        if page.pop("opening", None):
            page["layout"] = "dialogue"
        pages.append(page)
        records.append(record)
    return pages, records


def grade_exercises(survey: Survey, attempt: int, items: list[dict], records: list[dict]) -> dict:
    """The result of an attempt with these (clean) answers.

    Returns ``{"passed", "right": n, "of": m, "items": [{"item", "right", "explanation"}]}``: an exercise is right if
    every answer that its key names is. {entity:0} in an explanation becomes the name which the entity bore.
    """
    marked = []
    for number, exercise in enumerate(exercises_of(survey, attempt)):
        given = {(a["question"], a["target"]): a["answer"] for a in items[number]["answers"]}
        good = all(
            right(survey.question(question), given.get((question, target)), accepted)
            for question, target, accepted in exercise.key
        )
        explanation = exercise.explanation
        for named in ("entity:0", "entity:1", "conversation:0", "conversation:1", "speaker:0", "speaker:1"):
            explanation = explanation.replace("{" + named + "}", records[number].get(named, ""))
        marked.append({"item": number, "right": good, "explanation": explanation})
    correct = sum(row["right"] for row in marked)
    passed = len(marked) - correct <= survey.limits.onboarding_mistakes
    return {"passed": passed, "right": correct, "of": len(marked), "items": marked}


def right(question: Question, answer: Any, accepted: tuple[str, ...]) -> bool:
    """Return whether an answer is right: one of the accepted; check boxes exactly these, a ranking in this order."""
    if question.kind == "checkboxes":
        return set(answer or ()) == set(accepted)
    if question.kind == "ranking":
        return tuple(answer or ()) == accepted
    return answer in accepted


def grade_controls(items: list[Item], clean: list[dict]) -> dict[int, bool]:
    """Return whether each control among a unit's items was missed, by its place."""
    return {
        number: missed_by(item.control, answers_of(answered))
        for number, (item, answered) in enumerate(zip(items, clean, strict=True))
        if item.control
    }


def answers_of(clean: Mapping[str, Any]) -> dict[tuple[str, str], Any]:
    """A clean item's answers by question and target."""
    return {(answer["question"], answer["target"]): answer["answer"] for answer in clean["answers"]}
