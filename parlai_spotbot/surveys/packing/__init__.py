"""Packing of conversations into units, one kind in each file."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from parlai_spotbot.surveys.packing.packing import Packing
    from parlai_spotbot.surveys.survey import Survey

MODULES = {"questions": "candidates", "contestants": "partners"}
"""Modules of kinds of packing that are not named after the kind."""


def packing_of(survey: Survey) -> Packing:
    """Return the kind of packing that a survey asks for."""
    return importlib.import_module(f"{__name__}.{MODULES.get(survey.packing, survey.packing)}").PACKING
