"""Packing of conversations into units, one kind in each file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from parlai_spotbot import plugin

if TYPE_CHECKING:
    from parlai_spotbot.surveys.packing.packing import Packing
    from parlai_spotbot.surveys.survey import Survey

MODULES = {"questions": "candidates", "contestants": "partners"}
"""Modules of kinds of packing that are not named after the kind."""


def packing_of(survey: Survey) -> Packing:
    """Return the kind of packing that a survey asks for."""
    return plugin.find(__name__, "PACKING", MODULES.get(survey.packing, survey.packing), "packing")
