"""Effect of position: whether the entity that speaks first is called human more often.

Every two bots should have met as often in either order; then the advantage of a place falls on both alike. Otherwise
the ranking is without it by Davidson's order effect.
"""

import pandas as pd

from parlai_spotbot.analysis.frames import check_ids
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust_known
from parlai_spotbot.analysis.uncertainty.estimates import mean_of
from parlai_spotbot.records import HUMAN

COLUMNS = ("group", "n", "human_0", "human_1", "difference", "difference_low", "difference_high", "p", "p_adjusted")


def position_effects(annotations: pd.DataFrame, crossed: bool = True) -> pd.DataFrame:
    """Compare how often entity 0 and entity 1 are called human, in bots' and in people's conversations.

    Parameters
    ----------
    crossed : bool
        Whether annotators are a sample, as conversations are: people are, the variants of a judge aren't.

    Returns
    -------
    frame
        One row per group ("bots", "people"): group, n (annotations), human_0, human_1 (shares), difference,
        difference_low, difference_high, p, p_adjusted (Holm). Annotations of one conversation, or by one annotator,
        count as dependent.
    """
    check_ids(annotations, "annotations")
    people = annotations["a"] == HUMAN
    rows = []
    for group, part in (("bots", annotations[~people]), ("people", annotations[people])):
        if len(part):
            first, second = ((part[f"nature{entity}"] == HUMAN).to_numpy(dtype=float) for entity in (0, 1))
            mean = mean_of(first - second, frame_clusters(part, crossed), bounds=(-1.0, 1.0))
            rows.append((group, len(part), first.mean(), second.mean(), mean["estimate"], *mean["ci"], mean["p"]))
    table = pd.DataFrame(rows, columns=list(COLUMNS[:-1]))
    return table.assign(p_adjusted=adjust_known(table["p"].to_numpy(dtype=float)))
