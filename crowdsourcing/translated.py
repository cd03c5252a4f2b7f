"""Parts of a survey and its page that a file of texts translates, and those that are still in English."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from parlai_spotbot.records import ADDITIONAL
from parlai_spotbot.surveys.survey import CANDIDATE, TARGET, FeatureTexts, Option, Question, Survey
from parlai_spotbot.surveys.tasks import LabelExample

ENGLISH = "en"
PLACEHOLDER = re.compile(r"{[^{}]*}")
LETTER = re.compile(r"[^\W\d_]")

SHOWN = ("title", "instructions", "thanks", "entities", "other", "speakers", "consent", "features", "questions")
"""The fields of a survey that its annotators read, with `questionnaire`, and `conversations` in some layouts."""

DEFINITION = ("heading", "short", "counts", "counts_not", "examples")
"""The fields of a label's definition that annotators read."""

BESIDE = ("side_by_side", "chat")
"""Layouts in which conversations have names."""


class Translated(str):
    """A text that a file of texts holds."""

    __slots__ = ()


def untranslated_page(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of the page that no file holds."""
    return {key: text for key, text in texts.items() if key != "language" and not isinstance(text, Translated)}


def untranslated(survey: Survey, asked: Collection[str]) -> dict[str, Any]:
    """Return the texts of a survey that no file holds, in the shape of `survey:` of such a file.

    Of its questions those that are `asked`. Exercises aren't among them: those in another language are left out
    (`exercises`).
    """
    names = [*SHOWN, "questionnaire"]
    if survey.layout in BESIDE:
        names.append("conversations")
        names.remove("entities")
    if survey.training or len(survey.tasks) == 1:  # narrowed to a task, which has these
        names = [name for name in names if name not in ("title", "instructions")]
    missing = _of_parts(survey, names)
    missing["tasks"] = _nonempty((task.name, _of_task(survey.task(task.name))) for task in survey.tasks)
    for name in missing.get("questions", {}).keys() - set(asked):
        del missing["questions"][name]
    return _nonempty(missing.items())


def _of_task(survey: Survey) -> dict[str, Any]:
    """Return the texts of a survey that is narrowed to a task that no file holds, in the shape of `tasks:` there."""
    definitions = [(one.label, _of_parts(one, DEFINITION)) for task in survey.tasks for one in task.definitions]
    return _nonempty([*_of_parts(survey, ("title", "instructions")).items(), ("definitions", _nonempty(definitions))])


def _of_parts(value: Any, names: Iterable[str]) -> dict[str, Any]:
    return _nonempty((name, _without_files(getattr(value, name))) for name in names)


def _nonempty(parts: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    return {name: part for name, part in parts if part}


def _without_files(value: Any) -> Any:
    """Return what of a value no file holds: a text, a mapping, a list with all its entries; "" or {} for nothing."""
    if isinstance(value, FeatureTexts):
        return _of_parts(value, ("compare", "consent"))
    if isinstance(value, LabelExample):
        return _of_parts(value, ("context", "turn", "why"))
    if isinstance(value, str):
        if isinstance(value, Translated) or not LETTER.search(PLACEHOLDER.sub("", value)):
            return ""
        return value
    if any(isinstance(part, Question) for part in value):
        questions = [one for one in value if not one.name.startswith(ADDITIONAL)]
        return _nonempty((one.name, _of_parts(one, ("heading", "wording", "help", "options"))) for one in questions)
    if any(isinstance(part, Option) for part in value):
        shown = [one for one in value if not _under_a_name(one)]
        return _nonempty((one.value, _of_parts(one, ("label", "definition"))) for one in shown)
    if any(isinstance(part, LabelExample) for part in value):
        return [_without_files(part) for part in value if _without_files(part)]
    if any(map(_without_files, value)):
        return [str(part) for part in value]
    return []


def _under_a_name(option: Option) -> bool:
    """Return True if an option is shown under the name of what it stands for, not under its label."""
    stands_for = TARGET.match(option.value) or CANDIDATE.match(option.value)
    return bool(stands_for) and "{name}" not in option.label
