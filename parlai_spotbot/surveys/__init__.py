"""Each evaluation method as data (what is asked), and packing of conversations into units.

A survey is one module here, found by its name, that exports `SURVEY`; its `about` names what is computed from its
answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from parlai_spotbot import plugin
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.surveys import own_surveys
from parlai_spotbot.surveys.about import About, Planning
from parlai_spotbot.surveys.survey import Limits, Option, Question, Survey

if TYPE_CHECKING:
    from parlai_spotbot.study import Study, SurveyFiles

__all__ = [
    "About",
    "Option",
    "Question",
    "Survey",
    "as_asked",
    "called",
    "get_survey",
    "known_survey",
    "launched_survey",
    "planned",
    "study_survey",
    "survey_at",
    "survey_names",
    "survey_of",
    "whole_survey",
]


def survey_names(study: Study | None = None) -> list[str]:
    """Return the names of all surveys: those of the package, and those that a study has from a user."""
    names = plugin.names(__name__, "SURVEY")
    if study is not None:
        names = sorted({*names, *own_surveys.names(study.path)})
    return names


def get_survey(name: str, others: Iterable[str] = ()) -> Survey:
    """Return the survey of the package that has this name.

    An unknown name is a `UserError` that suggests the nearest, of `others` too.
    """
    if own_surveys.is_file(name):
        raise own_surveys.needs_packing(name)
    names = survey_names()
    if name not in names:
        raise UserError(f"--survey {name}: {plugin.KINDS['SURVEY']}.", nearest(name, sorted({*names, *others})))
    return plugin.find(__name__, "SURVEY", name, "--survey")


def study_survey(data: SurveyFiles) -> Survey:
    """Return the survey that a study knows by the name: a user's, or else the package's."""
    return own_surveys.kept(data) or get_survey(data.survey, own_surveys.names(data.study.path))


def known_survey(data: SurveyFiles) -> Survey:
    """Return the survey of a folder of the study; one without questions where nobody knows it."""
    if data.survey in survey_names(data.study):
        return study_survey(data)
    return Survey(data.survey, data.survey, "", ())


def called(name: str) -> str:
    """Return what tables call a survey of the package, and a user's own by the words of its name."""
    if name in survey_names():
        return get_survey(name).about.short
    return About().named(name).short


def survey_at(given: str, study: Study | None = None) -> Survey:
    """Return the survey that --survey names: that of a file, or by its name."""
    if own_surveys.is_file(given):
        return own_surveys.read_survey(given)
    if study is None:
        return get_survey(given)
    return study_survey(study.load(given))


def planned(study: Study | None = None) -> dict[str, Planning]:
    """Return the surveys that can be planned, with the defaults of their plans."""
    planning_by_name = {name: survey_at(name, study).about.planning for name in survey_names(study)}
    return {name: planning for name, planning in planning_by_name.items() if planning}


def survey_of(data: SurveyFiles) -> Survey:
    """Return the survey as a study asks it: with the questions that were added, without those that were not chosen."""
    return as_asked(data, whole_survey(data))


def as_asked(data: SurveyFiles, survey: Survey) -> Survey:
    """Return a study's survey, in whatever language, without what the study doesn't ask."""
    from parlai_spotbot.surveys.packing import packing_of
    from parlai_spotbot.surveys.packing.units_file import packed_with

    imported = {"ask": data.study.provenance().get("asked", {}).get(data.survey)}
    return packing_of(survey).as_asked(survey, packed_with(data) or imported)


def whole_survey(data: SurveyFiles) -> Survey:
    """Return a survey with the questions that a study doesn't ask, too.

    Texts in another language cover all of them.
    """
    from parlai_spotbot.surveys.packing import packing_of
    from parlai_spotbot.surveys.packing.units_file import packed_with

    survey = study_survey(data)
    return packing_of(survey).as_packed(survey, packed_with(data) or {})


def launched_survey(data: SurveyFiles) -> Survey:
    """`survey_of` with the limits of its latest launch, as provenance.json keeps them; the survey's own without one."""
    survey = survey_of(data)
    limits = data.recorded("crowdsourcing").get("limits", {})
    limit_by_name = {limit.name: limits[limit.name] for limit in fields(Limits) if limit.name in limits}
    return replace(survey, limits=replace(survey.limits, **limit_by_name))
