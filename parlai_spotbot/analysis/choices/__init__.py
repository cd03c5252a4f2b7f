"""Comparisons of two conversations: win grids, orderings, cycles, wordings and tests of a bot against itself."""

from parlai_spotbot.analysis.choices.cycles import cycle_test, fit_test, one_scale
from parlai_spotbot.analysis.choices.grid import choice_frame, pair_grid
from parlai_spotbot.analysis.choices.self_comparison import rejection_rate, same_test
from parlai_spotbot.analysis.choices.strengths import bradley_terry
from parlai_spotbot.analysis.choices.wordings import compare_wordings, known_pairs
from parlai_spotbot.analysis.uncertainty.shares import share_test

__all__ = [
    "bradley_terry",
    "choice_frame",
    "compare_wordings",
    "cycle_test",
    "fit_test",
    "known_pairs",
    "one_scale",
    "pair_grid",
    "rejection_rate",
    "same_test",
    "share_test",
]
