"""Does it help to show more? Win rates and labels per segment length (appendix F, Table 8 of the paper)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.ranking.contrasts import contrasts
from parlai_spotbot.analysis.ranking.rate_intervals import win_rate_intervals
from parlai_spotbot.analysis.ranking.wins import win_matrix, win_rates
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.shares import share_interval


def by_length(
    matches: pd.DataFrame, entities: pd.DataFrame, bots: Sequence[str], crossed: bool | None = None
) -> dict[str, dict]:
    """Per segment length k, as text: `n` matches, the share of `ties`, and `systems` {name: {win_rate, human_share,
    unsure_share, n}}.

    Shares are of the annotated entities of that name, people included (`human`), whose win rate is NaN: they play no
    matches. `n` of a system is how often it was labelled. With `crossed`, whether annotators are a sample, there are
    95 % intervals, win_rate_ci and human_share_ci.
    """
    result = {}
    for k, labelled in entities.groupby("k", sort=True):
        match = matches[(matches["k"] == k).to_numpy()]
        known = {"win_rate": win_rates(win_matrix(match, bots)).tolist()}
        if crossed is not None:
            known["win_rate_ci"] = win_rate_intervals(contrasts(match, bots, crossed=crossed)).tolist()
        systems = {}
        for name, rows in labelled.groupby("name", sort=True):
            systems[name] = {
                "win_rate": np.nan,
                "human_share": float((rows["nature"] == "human").mean()),
                "unsure_share": float((rows["nature"] == "unsure").mean()),
                "n": len(rows),
            }
            if crossed is not None:
                ci = share_interval(rows["nature"] == "human", frame_clusters(rows, crossed))
                systems[name] |= {"human_share_ci": list(ci), "win_rate_ci": [np.nan, np.nan]}
            if name in bots:
                systems[name] |= {key: values[list(bots).index(name)] for key, values in known.items()}
        ties = float((match["outcome"] == 0).mean()) if len(match) else np.nan
        result[str(k)] = {"n": len(match), "ties": ties, "systems": systems}
    return result
