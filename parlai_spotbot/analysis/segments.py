"""Does it help to show more? Win rates and labels per segment length (appendix F, Table 8 of the paper)."""

from collections.abc import Sequence

import pandas as pd

from parlai_spotbot.analysis.ranking.contrasts import contrasts
from parlai_spotbot.analysis.ranking.rate_intervals import win_rate_intervals
from parlai_spotbot.analysis.ranking.wins import win_matrix, win_rates
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.shares import share_interval


def by_length(
    matches: pd.DataFrame, entities: pd.DataFrame, bots: Sequence[str], crossed: bool | None = None
) -> pd.DataFrame:
    """Return a row for each segment length (`exchanges`) and annotated entity of that length (`bot`, `human` for
    people): win_rate, human_share, unsure_share, `n` labels.

    The win rate of people is NaN: they play no matches. With `crossed`, whether annotators are a sample, there are the
    ends of 95 % intervals, win_rate_low, win_rate_high, human_share_low and human_share_high.
    """
    rows = []
    for k, labelled in entities.groupby("k", sort=True):
        match = matches[(matches["k"] == k).to_numpy()]
        rates = pd.DataFrame({"win_rate": win_rates(win_matrix(match, bots))}, index=list(bots))
        if crossed is not None:
            ends = win_rate_intervals(contrasts(match, bots, crossed=crossed))
            rates[["win_rate_low", "win_rate_high"]] = ends
        rates = rates.reindex(sorted(set(labelled["name"])))
        for name, own in labelled.groupby("name", sort=True):
            human = own["nature"] == "human"
            row = {"exchanges": k, "bot": name, **rates.loc[name], "human_share": human.mean()}
            if crossed is not None:
                row["human_share_low"], row["human_share_high"] = share_interval(human, frame_clusters(own, crossed))
            rows.append(row | {"unsure_share": (own["nature"] == "unsure").mean(), "n": len(own)})
    return pd.DataFrame(rows)


def ties_by_length(matches: pd.DataFrame, crossed: bool | None = None) -> pd.DataFrame:
    """Return a row for each segment length (`exchanges`) of matches: share of `ties`, `matches`.

    With `crossed` there are the ends of 95 % intervals, ties_low and ties_high.
    """
    rows = []
    for k, match in matches.groupby("k", sort=True):
        tied = match["outcome"] == 0
        row = {"exchanges": k, "ties": tied.mean(), "matches": len(match)}
        if crossed is not None:
            row["ties_low"], row["ties_high"] = share_interval(tied, frame_clusters(match, crossed))
        rows.append(row)
    return pd.DataFrame(rows)
