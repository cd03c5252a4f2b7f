"""What of a survey and its page is in the language of a file of texts, and what is still in English."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from parlai_spotbot.records import ADDITIONAL
from parlai_spotbot.surveys.survey import CANDIDATE, TARGET, Option, Question, Survey

ENGLISH = "en"
PLACEHOLDER = re.compile(r"{[^{}]*}")
LETTER = re.compile(r"[^\W\d_]")

SHOWN = ("title", "instructions", "thanks", "entities", "other", "speakers", "consent", "features", "questions")
"""The fields of a survey that its annotators read, with `questionnaire`, and `conversations` in some layouts."""

PARTS = {Question: ("heading", "wording", "help", "options"), Option: ("label", "definition")}
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
    found = _of_parts(survey, names)
    questions = {name: part for name, part in found.pop("questions", {}).items() if name in asked}
    if questions:
        found["questions"] = questions
    return found


def _of_parts(value: Any, names: list[str] | tuple[str, ...]) -> dict[str, Any]:
    found = {name: _of(getattr(value, name)) for name in names}
    return {name: part for name, part in found.items() if part}


def _of(value: Any) -> Any:
    """Return what of a value no file holds: a text, a mapping, a list with all its entries; None for nothing."""
    if isinstance(value, str):
        is_words = LETTER.search(PLACEHOLDER.sub("", value))
        return value if is_words and not isinstance(value, Translated) else None
    if isinstance(value, tuple) and value and isinstance(value[0], Question):
        found = {one.name: _of_parts(one, PARTS[Question]) for one in value if not one.name.startswith(ADDITIONAL)}
    elif isinstance(value, tuple) and value and isinstance(value[0], Option):
        found = {one.value: _of_parts(one, PARTS[Option]) for one in value if not _under_a_name(one)}
    elif isinstance(value, tuple):
        if any(_of(part) for part in value):
            return [str(part) for part in value]
        return None
    elif is_dataclass(value):
        found = {one.name: _of(getattr(value, one.name)) for one in fields(value) if one.name in ("compare", "consent")}
    else:
        return None
    return {name: part for name, part in found.items() if part}


def _under_a_name(option: Option) -> bool:
    """Return True if an option is shown under the name of what it stands for, not under its label."""
    stands_for = TARGET.match(option.value) or CANDIDATE.match(option.value)
    return bool(stands_for) and "{name}" not in option.label
