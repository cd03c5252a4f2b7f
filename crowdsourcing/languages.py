"""The languages of a launch: the page's, whose texts must be complete, and that of the conversations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import yaml

from parlai_spotbot.crowdsourcing.translated import untranslated, untranslated_page
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Conversation
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.surveys import as_asked, survey_names, whole_survey
from parlai_spotbot.surveys.spoken_language import ENGLISH, UNDETERMINED, spoken_language
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.terminal import Say

if TYPE_CHECKING:
    from parlai_spotbot.crowdsourcing.launch_request import LaunchRequest
    from parlai_spotbot.crowdsourcing.settings import LaunchSettings


def language_spoken(talks: Iterable[Conversation], settings: LaunchSettings) -> str:
    """Return the language of the conversations; "" where nothing says that it isn't the page's."""
    language = settings.conversations or spoken_language(talks)
    if language == UNDETERMINED and settings.language != ENGLISH:
        return ""
    return language


def check_language(request: LaunchRequest, data: SurveyFiles, say: Say) -> None:
    """Say which exercises are left out; raise `UserError` where texts of the page or the survey aren't translated.

    The missing texts are said then, as a file that is to be filled in.
    """
    from parlai_spotbot.crowdsourcing.page_texts import load_texts

    settings = request.settings
    english = whole_survey(data)
    spoken = language_spoken(data.conversations, settings)
    texts, survey = load_texts(settings.language, english, settings.texts, spoken=spoken)
    if survey.tasks and request.part:
        survey = survey.task(request.part)
        english = english.task(request.part)
    language = texts["language"]
    if language.partition("-")[0] != ENGLISH:
        _check_translated(texts, survey, [question.name for question in as_asked(data, english).questions], say)
    theirs = f"theirs ({spoken or language})"
    if spoken == UNDETERMINED:
        theirs = "theirs, which is not known (`conversations` of the settings)"
    if english.training and not survey.training:
        say(
            f"note: the training of --task {request.part}, which decides who may work, is left out, as its dialogues "
            f"aren't both explained in the page's language ({language}) and of conversations in {theirs}; a file of "
            "texts may hold some (`tasks`, `dialogues`)"
        )
    fewer = list(map(len, survey.onboarding)) != list(map(len, english.onboarding))
    if fewer or (english.example and not survey.example):
        say(
            "note: exercises of the practice and the example are left out where they aren't both explained in the "
            f"page's language ({language}) and of conversations in {theirs}; a file of texts may hold some "
            "(`onboarding`, `example`, `conversations`)"
        )


def _check_translated(texts: Mapping[str, str], survey: Survey, asked: Collection[str], say: Say) -> None:
    """Say which texts are in English only, and raise `UserError` where any is; of questions those `asked`."""
    language = texts["language"]
    missing: dict[str, Any] = {"page": untranslated_page(texts)}
    if survey.name in survey_names():
        missing["survey"] = untranslated(survey, asked)
    if any(missing.values()):
        say(yaml.safe_dump({"language": language, **missing}, allow_unicode=True, sort_keys=False, width=100))
        raise UserError(
            f"language {language}: texts of the page or of --survey {survey.name} are in English only, listed above.",
            "Save that list as a file, translate it, and name the file: --language FILE.",
        )
