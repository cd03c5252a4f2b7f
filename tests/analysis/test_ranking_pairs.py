"""Rank clusters by every score and way to draw."""

import numpy as np
import pytest

from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.analysis.ranking import rank_clusters

ORDER = ["GPT", "BR", "S2", "DR"]


def test_clusters_by_every_score_and_the_papers_variant(released):
    matches = matches_frame(released("dailydialog"))

    def clusters(**options):
        return rank_clusters(matches, ORDER, rng=np.random.default_rng(0), replicates=500, **options)

    found = clusters(score="win_rate")
    assert found.clusters == {"GPT": [1, 2], "BR": [1, 2], "S2": [3, 3], "DR": [4, 4]}
    assert found.scores.shape == (500, 4)
    # A skill that drifts, as in the package's default environment, depends on the last matches: all ranges touch.
    assert set(map(tuple, clusters(score="trueskill").clusters.values())) == {(1, 4)}
    paper = clusters(resample="paper")
    assert paper.clusters == {"GPT": [1, 1], "BR": [2, 2], "S2": [3, 3], "DR": [4, 4]}
    narrow, wide = (clusters(score="win_rate", level=level).ranges for level in (0.5, 0.999))
    assert all(wide[b][0] <= narrow[b][0] <= narrow[b][1] <= wide[b][1] for b in ORDER)
    assert narrow != wide
    for option, said in (
        ({"resample": "units"}, "annotations, paper"),
        ({"score": "elo"}, "trueskill, win_rate"),
        ({"level": 95}, "level is 95"),
    ):
        with pytest.raises(ValueError, match=said):
            clusters(**option)


def test_columns_that_are_drawn_must_be_there(matches_of):
    matches = matches_of("ab+ ab- ba=").drop(columns="worker_id")
    options = {"rng": np.random.default_rng(0), "replicates": 10, "score": "win_rate"}
    with pytest.raises(ValueError, match="no column 'worker_id', expected one for resample='conversations_workers'"):
        rank_clusters(matches, ["a", "b"], **options)
    assert rank_clusters(matches, ["a", "b"], resample="conversations", **options).scores.shape == (10, 2)
