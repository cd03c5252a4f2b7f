"""The statistics of ACUTE-Eval (Li, Weston & Roller 2019): which of two conversations' speakers is preferred.

Win grids, orders and circles per question; a bot against itself; self-chats against conversations with people; wordings
on pairs of known order; annotators; what an hour buys. Every source (people, each judge) is analysed by itself.
"""

from __future__ import annotations

from functools import partial

from parlai_spotbot.analysis.methods import choice_parts, choice_sections, driver, shared_parts, shared_sections
from parlai_spotbot.analysis.methods.core_tables import summary, tables

__all__ = ["OPTIONS", "PARTS", "WANTS", "analyze", "sections", "summary", "tables"]

OPTIONS = (*driver.OPTIONS, "known_order")
WANTS = (*driver.WANTS, "training")

PARTS = {
    "ranking": choice_parts.ranking_part,
    "agreement": choice_parts.agreement_part,
    "same": choice_parts.same_part,
    "chats": choice_parts.chats_part,
    "wordings": choice_parts.wordings_part,
    "annotators": choice_parts.annotators_part,
    "time": shared_parts.time_part,
    "cost": choice_parts.cost_part,
    "trust": choice_parts.trust_part,
}

analyze = partial(driver.run, driver.Method(choice_parts.frame(tie=False), choice_parts.names, PARTS))
sections = shared_sections.citing(choice_sections.sections, "li2019")
