"""The languages of a launch: the page's, whose texts must be complete, and that of the conversations."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import yaml

from parlai_spotbot.crowdsourcing.translated import ENGLISH, untranslated, untranslated_page
from parlai_spotbot.errors import UserError
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import as_asked, survey_names, whole_survey
from parlai_spotbot.surveys.controls.segments import is_english
from parlai_spotbot.terminal import Say
from parlai_spotbot.texts.characters import mostly_not_latin

if TYPE_CHECKING:
    from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
    from parlai_spotbot.crowdsourcing.settings import LaunchSettings

TURNS = 2000
"""Number of turns that are enough to detect the language."""

UNDETERMINED = "und"
"""The code of a language that is not known."""


def spoken_language(study: Study, settings: LaunchSettings) -> str:
    """Return the language of the conversations; "" where nothing says that it isn't the page's."""
    if settings.conversations:
        return settings.conversations
    turns: list[str] = []
    if study.conversations_path.exists():
        texts = (turn.text.lower() for talk in study.conversations() for turn in talk.turns)
        turns.extend(islice(texts, TURNS))
    if is_english(turns):
        return ENGLISH
    if settings.language == ENGLISH and mostly_not_latin("".join(turns)):
        return UNDETERMINED
    return ""


def check_language(request: LaunchRequest, study: Study, say: Say) -> None:
    """Say which exercises are left out; raise `UserError` where texts of the page or the survey aren't translated.

    The missing texts are said first, as a file that is to be filled in.
    """
    from parlai_spotbot.crowdsourcing.page_texts import load_texts

    settings = request.settings
    english = whole_survey(study, request.survey)
    spoken = spoken_language(study, settings)
    texts, survey = load_texts(settings.language, english, settings.texts, spoken=spoken)
    if survey.tasks and request.part:
        survey = survey.task(request.part)
        english = english.task(request.part)
    language = texts["language"]
    if english.training and not survey.training:
        say(
            f"note: the training of --task {request.part}, which decides who may work, is left out, as its dialogues "
            f"aren't both explained in the page's language ({language}) and in that of the conversations "
            f"({spoken or language}); a file of texts may hold some (`tasks`, `dialogues`)"
        )
    fewer = list(map(len, survey.onboarding)) != list(map(len, english.onboarding))
    if fewer or (english.example and not survey.example):
        say(
            "note: exercises of the practice and the example are left out where they aren't both explained in the "
            f"page's language ({language}) and of conversations in theirs ({spoken or language}); a file of texts may "
            "hold some (`onboarding`, `example`, `conversations`)"
        )
    if language.partition("-")[0] == ENGLISH:
        return
    missing: dict[str, Any] = {"page": untranslated_page(texts)}
    if survey.name in survey_names():
        questions = [question.name for question in as_asked(study, english).questions]
        missing["survey"] = untranslated(survey, questions)
    if any(missing.values()):
        say(yaml.safe_dump({"language": language, **missing}, allow_unicode=True, sort_keys=False, width=100))
        raise UserError(
            f"language {language}: texts of the page or of --survey {survey.name} are in English only, listed above.",
            "Save that list as a file, translate it, and name the file: --language FILE.",
        )
