"""Does it help to show more? Win rates and labels per segment length (appendix F, Table 8 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.ranking.wins import win_matrix, win_rates


def by_length(matches: pd.DataFrame, entities: pd.DataFrame, bots: Sequence[str]) -> dict[str, dict]:
    """Per segment length k, as text: `n` matches, the share of `ties`, and `systems` {name: {win_rate, human_share,
    unsure_share, n}}.

    Shares are of the annotated entities of that name, people included (`human`), whose win rate is NaN: they play no
    matches. `n` of a system is how often it was labelled.
    """
    result = {}
    for k in sorted(set(entities["k"])):
        own = matches[matches["k"] == k]
        rates = dict(zip(bots, win_rates(win_matrix(own, bots)).tolist(), strict=True))
        systems = {}
        for name, rows in entities[entities["k"] == k].groupby("name", sort=True):
            systems[name] = {
                "win_rate": rates.get(name, np.nan),
                "human_share": float((rows["nature"] == "human").mean()),
                "unsure_share": float((rows["nature"] == "unsure").mean()),
                "n": len(rows),
            }
        ties = float((own["outcome"] == 0).mean()) if len(own) else np.nan
        result[str(k)] = {"n": len(own), "ties": ties, "systems": systems}
    return result
