"""Does it help to show more? Win rates and labels per segment length (appendix F, Table 8 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.ranking.wins import win_matrix, win_rates
from parlai_spotbot.analysis.uncertainty.bootstrap import percentile_interval


def by_length(
    matches: pd.DataFrame,
    entities: pd.DataFrame,
    bots: Sequence[str],
    of_matches: np.ndarray | None = None,
    of_entities: np.ndarray | None = None,
) -> dict[str, dict]:
    """Per segment length k, as text: `n` matches, the share of `ties`, and `systems` {name: {win_rate, human_share,
    unsure_share, n}}.

    Shares are of the annotated entities of that name, people included (`human`), whose win rate is NaN: they play no
    matches. `n` of a system is how often it was labelled. With the bootstrap's weights of matches and of entities,
    (replicates, rows) each, win_rate_ci and human_share_ci are 95 % percentile intervals.
    """
    result = {}
    for k in sorted(set(entities["k"])):
        here = (matches["k"] == k).to_numpy()
        own = matches[here]
        rates = dict(zip(bots, win_rates(win_matrix(own, bots)).tolist(), strict=True))
        known: dict[str, list[float]] = {}
        if of_matches is not None:
            samples = win_rates(win_matrix(own, bots, of_matches[:, here]))
            known = dict(zip(bots, percentile_interval(samples).tolist(), strict=True))
        systems = {}
        labelled = entities[entities["k"] == k]
        for name, places in labelled.groupby("name", sort=True).indices.items():
            rows = labelled.iloc[places]
            systems[name] = {
                "win_rate": rates.get(name, np.nan),
                "human_share": float((rows["nature"] == "human").mean()),
                "unsure_share": float((rows["nature"] == "unsure").mean()),
                "n": len(rows),
            }
            if of_entities is not None:
                chosen = np.flatnonzero((entities["k"] == k).to_numpy())[places]
                systems[name]["human_share_ci"] = _share_ci(rows["nature"] == "human", of_entities[:, chosen])
                systems[name]["win_rate_ci"] = known.get(name, [np.nan, np.nan])
        ties = float((own["outcome"] == 0).mean()) if len(own) else np.nan
        result[str(k)] = {"n": len(own), "ties": ties, "systems": systems}
    return result


def _share_ci(hits: pd.Series, weights: np.ndarray) -> list[float]:
    """Percentile interval of a share over the replicates of `weights` (replicates, rows)."""
    total = weights.sum(axis=1)
    share = np.divide(weights @ hits.to_numpy(float), total, out=np.full(len(weights), np.nan), where=total > 0)
    return percentile_interval(share).tolist()
