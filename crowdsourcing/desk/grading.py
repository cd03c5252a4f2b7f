"""Grading of answers to exercises of the onboarding and to controls inside units."""

from collections.abc import Mapping
from typing import Any

from parlai_spotbot.records import Item
from parlai_spotbot.surveys.controls import missed_by
from parlai_spotbot.surveys.survey import Exercise, Question, Survey


def exercises_of(survey: Survey, attempt: int) -> tuple[Exercise, ...]:
    """Return the exercises of an attempt, from 0; the last ones again where there are fewer sets than attempts."""
    return survey.onboarding[min(attempt, len(survey.onboarding) - 1)]


def right(question: Question, answer: Any, accepted: tuple[str, ...]) -> bool:
    """Return whether an answer is right: one of the accepted; check boxes exactly these, a ranking in this order."""
    if question.kind == "checkboxes":
        return set(answer or ()) == set(accepted)
    if question.kind == "ranking":
        return tuple(answer or ()) == accepted
    return answer in accepted


def grade_controls(items: list[Item], clean: list[dict], survey: Survey) -> dict[int, bool]:
    """Return whether each control among a unit's items was missed, by its place."""
    return {
        number: missed_by(item.control, answers_of(answered), survey)
        for number, (item, answered) in enumerate(zip(items, clean, strict=True))
        if item.control
    }


def answers_of(clean: Mapping[str, Any]) -> dict[tuple[str, str], Any]:
    """Return a clean item's answers by question and target."""
    return {(answer["question"], answer["target"]): answer["answer"] for answer in clean["answers"]}
