"""The statistics of Interactive: partners rated from 1 to 5 by the person who chatted with them, then two compared.

Ratings give the ranking (ranking.json, as Dialogue Likert's), choices stand beside it (choices.json, as Comparative's).
Nobody rates a chat of somebody else, so there is no agreement between annotators to tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from parlai_spotbot.analysis.methods import (
    choice_parts,
    choice_sections,
    core_tables,
    driver,
    rating_parts,
    rating_sections,
    shared_parts,
    shared_sections,
)
from parlai_spotbot.analysis.sections import Section
from parlai_spotbot.records import Conversation, Judgement
from parlai_spotbot.surveys.interactive import CHOICE

__all__ = ["OPTIONS", "PARTS", "WANTS", "analyze", "sections", "summary", "tables"]

OPTIONS = driver.OPTIONS
WANTS = driver.WANTS
MAIN = rating_parts.OVERALL + CHOICE
"""The choice that sums up all others."""


def choices_part(source: driver.Source) -> dict:
    """choices.json: the overall choice at the top, all under `criteria`."""
    found = choice_parts.ranking_part(source)
    main = MAIN if MAIN in found["criteria"] else found["question"]
    return {**found, **found["criteria"][main], "question": main}


OF_RATINGS = {
    "ranking": rating_parts.ranking_part,
    "leniency": rating_parts.leniency_part,
    "annotators": rating_parts.annotators_part,
    "time": shared_parts.time_part,
    "cost": rating_parts.cost_part,
}
OF_CHOICES = {"choices": choices_part}
PARTS = {**OF_RATINGS, **OF_CHOICES}

RATINGS = driver.Method(rating_parts.frame, rating_parts.names, OF_RATINGS)
CHOICES = driver.Method(choice_parts.frame(tie=True), choice_parts.names, OF_CHOICES)


def analyze(judgements: Sequence[Judgement], conversations: Sequence[Conversation], **options: Any) -> dict[str, dict]:
    """Everything of the survey: what `driver.run` gives of the ratings, and of the choices where there are any.

    Raises `ValueError` as `driver.run` does.
    """
    chosen = [row for row in judgements if row.question.endswith(CHOICE)]
    rated = [row for row in judgements if not row.question.endswith(CHOICE)]
    result = driver.run(RATINGS, rated, conversations, **options)
    return result | (driver.run(CHOICES, chosen, conversations, **options) if chosen else {})


def _choices(result: dict[str, dict]) -> dict[str, dict]:
    """The choices alone, as the parts that know choices take them."""
    return {"ranking": result["choices"]} if "choices" in result else {}


def tables(result: dict[str, dict]) -> dict[str, pd.DataFrame]:
    """One frame a table; those of the choices are called choices_…."""
    found = core_tables.tables({stem: part for stem, part in result.items() if stem != "choices"})
    return found | {f"choices_{name}": table for name, table in core_tables.tables(_choices(result)).items()}


def summary(result: dict[str, dict]) -> str:
    """Ratings, then choices, in a few lines for the terminal."""
    found = _choices(result)
    said = [core_tables.summary(result)] + ([core_tables.summary(found)] if found else [])
    return "\n\n".join(said)


def _sections(analysis: dict[str, dict], source: str) -> list[Section]:
    found = _choices(analysis)
    return rating_sections.sections(analysis, source) + (choice_sections.sections(found, source) if found else [])


sections = shared_sections.citing(_sections, "finch2020", "finch2023")
