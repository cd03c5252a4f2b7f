"""Stability of the ranking (section 5.2): how many conversations per pair until a repeated study says the same?"""

from parlai_spotbot.analysis.stability.experiment import first_stable, stability
from parlai_spotbot.analysis.stability.matches import conversation_matches, pair_counts

__all__ = ["conversation_matches", "first_stable", "pair_counts", "stability"]
