"""The statistics of Dialogue Likert: speakers of whole conversations, rated from 1 to 5 in several dimensions."""

from __future__ import annotations

from functools import partial

from parlai_spotbot.analysis.methods import driver, rating_parts, rating_sections, shared_parts, shared_sections
from parlai_spotbot.analysis.methods.core_tables import summary, tables

__all__ = ["OPTIONS", "PARTS", "WANTS", "analyze", "sections", "summary", "tables"]

OPTIONS = driver.OPTIONS
WANTS = driver.WANTS

PARTS = {
    "ranking": rating_parts.ranking_part,
    "agreement": rating_parts.agreement_part,
    "leniency": rating_parts.leniency_part,
    "annotators": rating_parts.annotators_part,
    "time": shared_parts.time_part,
    "cost": rating_parts.cost_part,
    "trust": rating_parts.trust_part,
}

analyze = partial(driver.run, driver.Method(rating_parts.frame, rating_parts.names, PARTS))
sections = shared_sections.citing(rating_sections.sections, "finch2020", "finch2023")
