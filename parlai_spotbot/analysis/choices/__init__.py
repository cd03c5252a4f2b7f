"""Comparisons of two conversations: win grids, circles, wordings and tests of a bot against itself."""

from parlai_spotbot.analysis.choices.grid import choice_frame, clear_circle, pair_grid
from parlai_spotbot.analysis.choices.self_comparison import same_test
from parlai_spotbot.analysis.choices.wordings import compare_wordings, known_pairs
from parlai_spotbot.analysis.uncertainty.shares import share_test

__all__ = ["choice_frame", "clear_circle", "compare_wordings", "known_pairs", "pair_grid", "same_test", "share_test"]
