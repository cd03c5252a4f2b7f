"""Each evaluation method as data (what is asked), and packing of conversations into units.

A survey is one module here, found by its name, that exports `SURVEY`; its `about` names what is computed from its
answers.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from parlai_spotbot import plugin
from parlai_spotbot.surveys.about import About, Planning
from parlai_spotbot.surveys.survey import Limits, Option, Question, Survey

if TYPE_CHECKING:
    from parlai_spotbot.study import Study

__all__ = [
    "About",
    "Option",
    "Question",
    "Survey",
    "about_of",
    "get_survey",
    "launched_survey",
    "planned",
    "survey_names",
    "survey_of",
]


def survey_names() -> list[str]:
    """The names of all surveys: the modules here that export `SURVEY`."""
    return plugin.names(__name__, "SURVEY")


def get_survey(name: str) -> Survey:
    """The survey of this name; an unknown one is a `UserError` that suggests the nearest."""
    return plugin.find(__name__, "SURVEY", name, "--survey")


def about_of(name: str) -> About:
    """What is known of the survey of this name; of one that isn't known here, what its name says."""
    return get_survey(name).about if name in survey_names() else About().named(name)


def planned() -> dict[str, Planning]:
    """The surveys that can be planned, with what is taken where nobody says otherwise."""
    found = {name: get_survey(name).about.planning for name in survey_names()}
    return {name: planning for name, planning in found.items() if planning}


def survey_of(study: Study, name: str) -> Survey:
    """The survey of this name as this study asks it: with the questions of its own that were added to it."""
    from parlai_spotbot.surveys.own_questions import questions_of_study, with_questions
    from parlai_spotbot.surveys.packing import packing_of

    survey, added = get_survey(name), questions_of_study(study, name)
    return packing_of(survey).as_packed(study, with_questions(survey, added) if added else survey)


def launched_survey(study: Study, name: str) -> Survey:
    """`survey_of` with the limits of its latest launch, as provenance.json keeps them; the survey's own without one."""
    survey = survey_of(study, name)
    told = study.provenance().get("crowdsourcing", {}).get(name, {}).get("limits", {})
    known = {limit.name: told[limit.name] for limit in fields(Limits) if limit.name in told}
    return replace(survey, limits=replace(survey.limits, **known))
