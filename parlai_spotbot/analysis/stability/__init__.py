"""Stability of the ranking (section 5.2): how many conversations per pair until a repeated study says the same?"""

from parlai_spotbot.analysis.stability.experiment import VARIANTS, default_sizes, first_stable, pair_chances, stability
from parlai_spotbot.analysis.stability.matches import conversation_matches, pair_counts

__all__ = [
    "VARIANTS",
    "conversation_matches",
    "default_sizes",
    "first_stable",
    "pair_chances",
    "pair_counts",
    "stability",
]
