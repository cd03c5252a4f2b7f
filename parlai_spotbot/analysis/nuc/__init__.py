"""Recall@k of Next-Utterance Classification (Lowe et al., 2016) from scores of candidates.

Arrays in, arrays and results out: ranks that are exact where scores tie, recall against the number of candidates,
intervals and paired tests clustered by conversation.
"""

from parlai_spotbot.analysis.nuc.curve import curve, recall_at
from parlai_spotbot.analysis.nuc.estimates import compare, share
from parlai_spotbot.analysis.nuc.ranks import Ranks, chance, ranks_of

__all__ = ["Ranks", "chance", "compare", "curve", "ranks_of", "recall_at", "share"]
