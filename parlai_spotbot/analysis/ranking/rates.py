"""Win rates and what is known of them: a bot's is the unweighted mean of its pairwise rates (section 3.1 of the paper).

Each match's share of the error of both bots' rates gives the two-way variance by who shares what (`Clusters`).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from parlai_spotbot.analysis.ranking.wins import TIE, WIN, match_codes, win_matrix, win_rates
from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.estimates import Estimates


def win_rate_estimates(matches: pd.DataFrame, names: Sequence[str], clusters: Clusters) -> Estimates:
    """The win rates of the bots `names` from `matches` (columns a, b, outcome), which hang together as `clusters` says.

    NaN for a bot of which no match was decided.
    """
    matrix = win_matrix(matches, names)
    first, second, outcome = match_codes(matches, names)
    rates = matrix.rates
    decided = matrix.wins + matrix.wins.T
    opponents = np.maximum(np.isfinite(rates).sum(axis=1), 1)
    kept = np.flatnonzero(outcome != TIE)
    me, other = np.concatenate([first[kept], second[kept]]), np.concatenate([second[kept], first[kept]])
    won = np.concatenate([outcome[kept] == WIN, outcome[kept] != WIN])
    part = 1 / (decided[me, other] * opponents[me])
    places, shape = (np.tile(kept, 2), me), (len(matches), len(names))
    scores = csr_array(((won - rates[me, other]) * part, places), shape=shape)
    return Estimates(win_rates(matrix), clusters.spread(scores, csr_array((part**2, places), shape=shape)), (0.0, 1.0))
