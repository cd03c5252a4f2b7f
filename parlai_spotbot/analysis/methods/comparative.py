"""The statistics of Comparative: which of two dialogues is better in each of several dimensions, or neither.

As ACUTE-Eval's, with ties: shares of wins, ties and losses, ordinal agreement, and tests of the decided choices.
"""

from __future__ import annotations

from functools import partial

from parlai_spotbot.analysis.methods import choice_parts, choice_sections, driver, shared_parts, shared_sections
from parlai_spotbot.analysis.methods.core_tables import summary, tables

__all__ = ["OPTIONS", "PARTS", "WANTS", "analyze", "sections", "summary", "tables"]

OPTIONS = driver.OPTIONS
WANTS = (*driver.WANTS, "training")

PARTS = {
    "ranking": choice_parts.ranking_part,
    "agreement": choice_parts.agreement_part,
    "same": choice_parts.same_part,
    "chats": choice_parts.chats_part,
    "annotators": choice_parts.annotators_part,
    "time": shared_parts.time_part,
    "cost": choice_parts.cost_part,
    "trust": choice_parts.trust_part,
}

analyze = partial(driver.run, driver.Method(choice_parts.frame(tie=True), choice_parts.names, PARTS))
sections = shared_sections.citing(choice_sections.sections, "finch2023")
