"""The languages of a launch: the page's, whose texts must be complete, and that of the conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import yaml

from parlai_spotbot.crowdsourcing.translated import ENGLISH, untranslated, untranslated_page
from parlai_spotbot.errors import UserError
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import as_asked, survey_names, whole_survey
from parlai_spotbot.surveys.controls.segments import is_english
from parlai_spotbot.terminal import Say

if TYPE_CHECKING:
    from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
    from parlai_spotbot.crowdsourcing.settings import LaunchSettings

TURNS = 2000
"""So many turns tell the language."""

UNDETERMINED = "und"
"""The code of a language that is not known."""


def spoken_language(study: Study, settings: LaunchSettings) -> str:
    """Return the language of the conversations; "" where nothing says that it isn't the page's."""
    turns: list[str] = []
    for conversation in study.conversations():
        turns.extend(turn.text.lower() for turn in conversation.turns)
        if settings.conversations or len(turns) >= TURNS:
            break
    if settings.conversations:
        return settings.conversations
    if is_english(turns):
        return ENGLISH
    if settings.language == ENGLISH and _other_script(turns):
        return UNDETERMINED
    return ""


def _other_script(turns: Sequence[str]) -> bool:
    """Return True if most letters are beyond Latin ones."""
    letters = [letter for turn in turns for letter in turn if letter.isalpha()]
    return sum(letter > "\u024f" for letter in letters) > len(letters) / 2


def check_language(request: LaunchRequest, study: Study, say: Say) -> None:
    """Say which exercises are left out; raise `UserError` where texts of the page or the survey aren't translated.

    The missing texts are said first, as a file that is to be filled in.
    """
    from parlai_spotbot.crowdsourcing.page_texts import load_texts

    settings = request.settings
    english = whole_survey(study, request.survey)
    spoken = spoken_language(study, settings)
    texts, survey = load_texts(settings.language, english, settings.texts, spoken=spoken)
    language = texts["language"]
    left_out = sum(map(len, english.onboarding)) - sum(map(len, survey.onboarding))
    if left_out or bool(english.example) > bool(survey.example):
        say(
            f"note: {left_out} exercises of the practice and the example are left out where they aren't both explained "
            f"in the page's language ({language}) and of conversations in theirs ({spoken or language}); a file of "
            "texts may hold some (`onboarding`, `example`, `conversations`)"
        )
    if language.partition("-")[0] == ENGLISH:
        return
    if survey.tasks:
        raise UserError(
            f"--survey {survey.name}: its definitions and its training are in English only.",
            f"Launch it with the page in English (now: {language}).",
        )
    missing: dict[str, Any] = {"page": untranslated_page(texts)}
    if survey.name in survey_names():
        asked = [question.name for question in as_asked(study, english).questions]
        missing["surveys"] = {survey.name: untranslated(survey, asked)}
    count = _count(missing)
    if count:
        say(yaml.safe_dump({"language": language, **missing}, allow_unicode=True, sort_keys=False, width=100))
        raise UserError(
            f"language {language}: {count} texts of --survey {survey.name} are in English only; they are listed above.",
            "Save that list as a file, translate it, and name the file: --language FILE.",
        )


def _count(value: Any) -> int:
    """Return how many texts are in a tree of them."""
    if isinstance(value, str):
        return 1
    parts = value
    if isinstance(value, dict):
        parts = value.values()
    return sum(map(_count, parts))
