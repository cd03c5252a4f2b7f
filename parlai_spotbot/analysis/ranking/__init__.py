"""The relative measure (section 3.2 of the paper): wins, win rates, TrueSkill, rank clusters, Davidson's model."""

from parlai_spotbot.analysis.ranking.clusters import RankClusters, paper_ranges, rank_clusters
from parlai_spotbot.analysis.ranking.davidson import DavidsonFit, davidson
from parlai_spotbot.analysis.ranking.pairs import clustered_test, pair_table, paper_chi2, sign_test
from parlai_spotbot.analysis.ranking.replicates import (
    DavidsonReplicates,
    davidson_bootstrap,
    davidson_replicates,
    with_bootstrap,
)
from parlai_spotbot.analysis.ranking.trueskill import PAPER, TrueSkill, trueskill_replicates, trueskill_scores
from parlai_spotbot.analysis.ranking.units import unit_matches
from parlai_spotbot.analysis.ranking.wins import WinMatrix, pair_bootstrap, win_matrix, win_rates

__all__ = [
    "PAPER",
    "DavidsonFit",
    "DavidsonReplicates",
    "RankClusters",
    "TrueSkill",
    "WinMatrix",
    "clustered_test",
    "davidson",
    "davidson_bootstrap",
    "davidson_replicates",
    "pair_bootstrap",
    "pair_table",
    "paper_chi2",
    "paper_ranges",
    "rank_clusters",
    "sign_test",
    "trueskill_replicates",
    "trueskill_scores",
    "unit_matches",
    "win_matrix",
    "win_rates",
    "with_bootstrap",
]
