"""The statistics of ABC-Eval: how often turns show each of sixteen behaviours (Finch, Finch & Choi 2022)."""

from __future__ import annotations

from functools import partial

from parlai_spotbot.analysis.methods import (
    behaviour_parts,
    behaviour_sections,
    behaviour_tables,
    driver,
    shared_sections,
)

__all__ = ["OPTIONS", "PARTS", "WANTS", "analyze", "sections", "summary", "tables"]

OPTIONS = driver.OPTIONS
WANTS = (*driver.WANTS, "screening")

PARTS = {
    "ranking": behaviour_parts.ranking_part,
    "dialogues": behaviour_parts.dialogues_part,
    "agreement": behaviour_parts.agreement_part,
    "annotators": behaviour_parts.annotators_part,
    "screening": behaviour_parts.screening_part,
    "time": behaviour_parts.time_part,
    "trust": behaviour_parts.trust_part,
}

analyze = partial(driver.run, driver.Method(behaviour_parts.frame, behaviour_parts.names, PARTS))
sections = shared_sections.citing(behaviour_sections.sections, "finch2023")
summary, tables = behaviour_tables.summary, behaviour_tables.tables
