"""The relative measure (section 3.2 of the paper): the headline by contrasts of Davidson's model; wins, win rates,
TrueSkill and its rank ranges."""

from parlai_spotbot.analysis.ranking.clusters import RankClusters, paper_ranges, rank_clusters, rank_ranges
from parlai_spotbot.analysis.ranking.contrasts import Contrasts, contrasts, leave_one_out
from parlai_spotbot.analysis.ranking.rate_intervals import win_rate_intervals, win_rate_table
from parlai_spotbot.analysis.ranking.trueskill import PAPER, TrueSkill, trueskill_replicates, trueskill_scores
from parlai_spotbot.analysis.ranking.wins import WinMatrix, paper_chi2, win_matrix, win_rates

__all__ = [
    "PAPER",
    "Contrasts",
    "RankClusters",
    "TrueSkill",
    "WinMatrix",
    "contrasts",
    "leave_one_out",
    "paper_chi2",
    "paper_ranges",
    "rank_clusters",
    "rank_ranges",
    "trueskill_replicates",
    "trueskill_scores",
    "win_matrix",
    "win_rate_intervals",
    "win_rate_table",
    "win_rates",
]
