"""Planning: how much data a study needs for a wished power, before it and after a pilot."""

from parlai_spotbot.analysis.planning.design import Design
from parlai_spotbot.analysis.planning.pilot import match_correlations, pilot_design, pilot_needs, rating_needs
from parlai_spotbot.analysis.planning.power import conversations_needed, pair_power, plan, rating_power, ratings_needed
from parlai_spotbot.analysis.planning.simulation import calibrated

__all__ = [
    "Design",
    "calibrated",
    "conversations_needed",
    "match_correlations",
    "pair_power",
    "pilot_design",
    "pilot_needs",
    "plan",
    "rating_needs",
    "rating_power",
    "ratings_needed",
]
