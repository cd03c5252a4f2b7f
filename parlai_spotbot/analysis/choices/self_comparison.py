"""A contestant against itself (A/A): any effect found there is a false alarm.

By the labels, either side is as likely; annotators see a left and a right one, so the test is of whether these are
chosen alike. It finds a page that favours one side, or a wording that suggests one answer.
"""

import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.shares import share_test
from parlai_spotbot.analysis.values import with_ends


def same_test(choices: pd.DataFrame, *, crossed: bool = True) -> list[dict]:
    """Return one entry per contestant that was compared with itself, then one of all of them together ("all").

    Each: `name`, `share_test` (with estimate_low and estimate_high) of the left conversation (of the first one, where
    sides are not known: `of`).
    """
    rows = choices[(choices["a"] == choices["b"]) & (choices["outcome"] != 0)]
    groups = [(str(name), bot_rows) for name, bot_rows in rows.groupby("a", sort=True)]
    if len(groups) > 1:
        groups.append(("all", rows))
    tests = []
    for name, bot_rows in groups:
        sides_known = bot_rows["left"].notna().all()
        hits = (bot_rows["left" if sides_known else "outcome"] > 0).to_numpy()
        about = {"name": name, "of": "left" if sides_known else "first"}
        tests.append(about | with_ends(share_test(hits, frame_clusters(bot_rows, crossed)), "estimate"))
    return tests
