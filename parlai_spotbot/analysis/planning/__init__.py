"""Planning: how much data a study needs for a wished power, before it and after a pilot, and what that costs."""

from parlai_spotbot.analysis.planning.costs import pairwise_rates, plan, total
from parlai_spotbot.analysis.planning.design import Design
from parlai_spotbot.analysis.planning.efficiency import PAPER, time_efficiency
from parlai_spotbot.analysis.planning.pilot import match_correlations, pilot_needs
from parlai_spotbot.analysis.planning.pool import conversations_needed, pair_power
from parlai_spotbot.analysis.planning.simulation import ROUNDS, calibrated, simulated_power, worst_pair

__all__ = [
    "PAPER",
    "ROUNDS",
    "Design",
    "calibrated",
    "conversations_needed",
    "match_correlations",
    "pair_power",
    "pairwise_rates",
    "pilot_needs",
    "plan",
    "simulated_power",
    "time_efficiency",
    "total",
    "worst_pair",
]
