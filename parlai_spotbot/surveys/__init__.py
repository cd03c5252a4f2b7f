"""Each evaluation method as data (what is asked), and packing of segments into units.

A survey is one module here, found by its name, that exports `SURVEY`; what is computed from its answers stands in the
module of the same name under analysis/methods.
"""

from __future__ import annotations

import importlib
import pkgutil

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.surveys.survey import Option, Question, Survey

__all__ = ["Option", "Question", "Survey", "get_survey", "survey_names"]


def survey_names() -> list[str]:
    """The names of all surveys: the modules here that export `SURVEY`."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [name for name in names if hasattr(importlib.import_module(f"{__name__}.{name}"), "SURVEY")]


def get_survey(name: str) -> Survey:
    """The survey of this name; an unknown one is a `UserError` that suggests the nearest."""
    names = survey_names()
    if name not in names:
        raise UserError(f"--survey {name}: unknown survey.", nearest(name, names))
    return importlib.import_module(f"{__name__}.{name}").SURVEY
