"""The relative measure (section 3.2 of the paper): wins, win rates, TrueSkill, rank clusters, Davidson's model."""

from parlai_spotbot.analysis.ranking.clusters import RankClusters, paper_ranges, rank_clusters
from parlai_spotbot.analysis.ranking.davidson import DavidsonFit, davidson
from parlai_spotbot.analysis.ranking.trueskill import trueskill_replicates, trueskill_scores
from parlai_spotbot.analysis.ranking.wins import WinMatrix, pair_table, win_matrix, win_rates

__all__ = [
    "DavidsonFit",
    "RankClusters",
    "WinMatrix",
    "davidson",
    "pair_table",
    "paper_ranges",
    "rank_clusters",
    "trueskill_replicates",
    "trueskill_scores",
    "win_matrix",
    "win_rates",
]
