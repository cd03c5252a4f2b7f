"""Does it help to show more? Win rates and labels per segment length (appendix F, Table 8 of the paper)."""

from collections.abc import Sequence

import pandas as pd

from parlai_spotbot.analysis.ranking.contrasts import contrasts
from parlai_spotbot.analysis.ranking.rate_intervals import win_rate_table
from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.shares import share_interval
from parlai_spotbot.records import HUMAN


def by_length(matches: pd.DataFrame, entities: pd.DataFrame, bots: Sequence[str], crossed: bool = True) -> pd.DataFrame:
    """Return a row for each segment length (`exchanges`) and annotated entity of that length (`bot`, `human` for
    people, who come last): win_rate and human_share with the ends of their 95 % intervals, unsure_share, `n` labels.

    The win rate of people is NaN: they play no matches. `crossed`: annotators are a sample, too.
    """
    rows = []
    for k, labelled in entities.groupby("k", sort=True):
        rates = win_rate_table(contrasts(matches[(matches["k"] == k).to_numpy()], bots, crossed=crossed))
        rates = rates.set_index("bot").reindex(sorted(set(labelled["name"])))
        of_name = dict([*labelled.groupby("name")])
        for name in [name for name in (*bots, HUMAN) if name in of_name]:
            bot_rows = of_name[name]
            human = bot_rows["nature"] == "human"
            row = {"exchanges": k, "bot": name, **rates.loc[name], "human_share": human.mean()}
            row["human_share_low"], row["human_share_high"] = share_interval(human, frame_clusters(bot_rows, crossed))
            rows.append(row | {"unsure_share": (bot_rows["nature"] == "unsure").mean(), "n": len(bot_rows)})
    return pd.DataFrame(rows)


def ties_by_length(matches: pd.DataFrame, crossed: bool = True) -> pd.DataFrame:
    """Return a row for each segment length (`exchanges`) of matches: share of `ties` with the ends of its 95 %
    interval, `matches`. `crossed`: annotators are a sample, too."""
    rows = []
    for k, match in matches.groupby("k", sort=True):
        tied = match["outcome"] == 0
        low, high = share_interval(tied, frame_clusters(match, crossed))
        row = {"exchanges": k, "ties": tied.mean(), "matches": len(match)}
        rows.append({**row, "ties_low": low, "ties_high": high})
    return pd.DataFrame(rows)
