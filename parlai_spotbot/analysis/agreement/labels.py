"""Agreement on labels: how often a partner gave the same (section 5.1, Table 3 of the paper), and whether the two
entities of a conversation are labelled alike (footnote 3).

Where annotators disagree about a bot, it fooled some of them: low agreement is a property of the bot, not of the
annotators alone (section 5.1).
"""

from collections.abc import Sequence

import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import frame_clusters
from parlai_spotbot.analysis.uncertainty.estimates import mean_of
from parlai_spotbot.records import HUMAN

LABELS = ("bot", "human", "unsure")
CHANCES = {"pair and length": ("a", "b", "k"), "annotator and length": ("worker_id", "k")}


def both_given_one(entities: pd.DataFrame) -> pd.DataFrame:
    """Return, per name and label, the share of annotations with the label whose partner gave it too (Table 3).

    As in the paper, of segments with exactly two annotations; two that agree count twice. Columns: name, label, share
    (NaN where nobody gave the label), n.
    """
    key = ["conversation_id", "k", "entity"]
    rows = entities[entities.groupby(key)["annotation_id"].transform("size") == 2]
    same = rows.groupby(key)["nature"].transform("nunique") == 1
    given = same.groupby([rows["name"], rows["nature"]]).agg(share="mean", n="size")
    every = pd.MultiIndex.from_product([sorted(set(entities["name"])), LABELS], names=["name", "label"])
    return given.reindex(every).fillna({"n": 0}).astype({"n": int}).reset_index()


def labelled_alike(annotations: pd.DataFrame, within: Sequence[str], crossed: bool = True) -> dict:
    """Test whether the two entities of a conversation get the same label more often than by chance (footnote 3).

    The chance is that of shuffled labels of entity 1 among the annotations with the same values of the columns
    `within`: for those of the same bots in the same order at the same length neither how human a bot looks nor its
    place makes two labels alike. ``("worker_id",)`` allows for the habit of one annotator, who always answers "bot".
    `crossed`: annotators are a sample, too.

    Returns
    -------
    dict
        `n`; `observed` and `expected` shares alike; `excess`, their difference, with `excess_low`, `excess_high` and
        `p`, which take annotations of one conversation and by one annotator as dependent.
    """
    stratum = [annotations[name] for name in within]
    excess = pd.Series(0.0, index=annotations.index)
    for label in LABELS:
        given = [(annotations[f"nature{entity}"] == label).astype(float) for entity in (0, 1)]
        # Summed over a stratum the products are the number alike less the expected one: a covariance of labels.
        first, second = (series - series.groupby(stratum).transform("mean") for series in given)
        excess += first * second
    mean = mean_of(excess.to_numpy(), frame_clusters(annotations, crossed), bounds=(-1.0, 1.0))
    observed = float((annotations["nature0"] == annotations["nature1"]).mean())
    return {
        "n": len(annotations),
        "observed": observed,
        "expected": observed - mean["estimate"],
        "excess": mean["estimate"],
        "excess_low": mean["ci"][0],
        "excess_high": mean["ci"][1],
        "p": mean["p"],
    }


def alike_table(annotations: pd.DataFrame, crossed: bool = True) -> pd.DataFrame:
    """Return `labelled_alike` for bots' and for people's conversations ("bots", "people"), by both `CHANCES`."""
    people = annotations["a"] == HUMAN
    rows = [
        {"conversations": kind, "within": name, **labelled_alike(annotations[kept], within, crossed)}
        for kind, kept in (("bots", ~people), ("people", people))
        for name, within in CHANCES.items()
        if kept.any()
    ]
    return pd.DataFrame(rows)
