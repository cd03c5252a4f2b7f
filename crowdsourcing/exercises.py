"""The example and the exercises of a survey in the language of the conversations that people will read."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from parlai_spotbot.crowdsourcing.translated import ENGLISH, Translated
from parlai_spotbot.surveys.shipped import data, numbered
from parlai_spotbot.surveys.survey import Exercise, Survey
from parlai_spotbot.surveys.tasks import Read, TaskMaterial

Dialogues = dict[str, list[str]]
"""Conversations of surveys/conversations.yaml by name, in another language."""


def exercises_in(survey: Survey, english: Survey, dialogues: Dialogues, language: str, spoken: str) -> Survey:
    """Return the survey with those of its exercises that are in the language that is `spoken`.

    Parameters
    ----------
    survey, english : Survey
        The survey in the page's `language`, and in English.
    dialogues : dict
        The conversations of the package in the page's language.

    Notes
    -----
    The package's own exercises are in English. In a page of another language they stay where a file has their
    explanation, with the conversations of `dialogues` where people will read conversations in that language. Those that
    a file replaced are taken to be in the right language.
    """
    if language == spoken == ENGLISH:
        return survey
    names = {numbered(turns): name for name, turns in data("conversations").items()}
    of_package = {exercise.turns for exercise in (english.example, *sum(english.onboarding, ())) if exercise}

    def in_language(exercise: Exercise) -> Exercise | None:
        if exercise.turns not in of_package:
            return exercise
        if language != ENGLISH and not isinstance(exercise.explanation, Translated):
            return None
        if spoken == ENGLISH:
            return exercise
        shown = [dialogues.get(names.get(turns, "")) for turns in exercise.transcripts]
        if spoken != language or not all(shown) or exercise.candidates:
            return None
        first, *second = map(numbered, shown)
        return replace(exercise, turns=first, second=(second or [()])[0])

    rounds = [tuple(filter(None, map(in_language, exercises))) for exercises in survey.onboarding]
    example = survey.example and in_language(survey.example)
    tasks = []
    for task, original in zip(survey.tasks, english.tasks, strict=True):
        if task.read and original.read:
            task = replace(task, read=partial(_material_in, task.read, original.read, language, spoken))
        tasks.append(task)
    return replace(survey, example=example, onboarding=tuple(filter(None, rounds)), tasks=tuple(tasks))


def _material_in(read_texts: Read, english: Read, language: str, spoken: str, name: str) -> TaskMaterial:
    """Return the material of a task with the gold dialogues in the language that is `spoken`, or without any.

    They stay where their explanations are in the page's `language`.
    """
    material = read_texts(name)
    turns = [turn for gold in material.dialogues for turn in gold.turns]
    explained = all(isinstance(turn.why, Translated) for turn in turns if turn.bot)
    if language == ENGLISH:
        return material
    if not explained or spoken not in (ENGLISH, language):
        return replace(material, dialogues=())
    if spoken == language:
        return material
    dialogues = []
    for gold, original in zip(material.dialogues, english(name).dialogues, strict=True):
        pairs = zip(gold.turns, original.turns, strict=True)
        shown = tuple(replace(turn, user=before.user, bot=before.bot) for turn, before in pairs)
        dialogues.append(replace(gold, turns=shown))
    return replace(material, dialogues=tuple(dialogues))
