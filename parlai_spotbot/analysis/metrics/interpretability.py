"""Interpretability of metrics: Krippendorff's alpha of each between people who know its definition.

ABC-Eval 2022, section 7.1, Figure 12, where every alpha is ordinal. For a label that is there or not that is the
nominal one; "neither" lies between the two sides of a choice.
"""

from collections.abc import Sequence

from parlai_spotbot.analysis.agreement import krippendorff_alpha
from parlai_spotbot.analysis.metrics.frame import CHOICE, Metric
from parlai_spotbot.analysis.uncertainty.clusters import Clusters


def interpretability(metrics: Sequence[Metric], crossed: bool = True) -> list[dict]:
    """Return one entry per metric.

    Returns
    -------
    list of dict
        method, name, kind, scale, alpha, ci, n (units judged twice), conversations, alike (the share of pairs of
        answers that are the same), and `why` where there is no alpha. `crossed`: annotators are a sample, too.
    """
    return [_interpretability(metric, crossed) for metric in metrics]


def _interpretability(metric: Metric, crossed: bool) -> dict:
    rows = metric.rows
    units = rows["unit"]
    values = rows["value"].astype(float)
    homes = metric.conversations
    if metric.kind == CHOICE:  # the same two conversations may be in either order
        values = values.where(homes[0] <= homes[1], -values)
    clusters = Clusters.from_conversations(list(zip(*homes, strict=True)), rows["worker_id"] if crossed else None)
    alpha = krippendorff_alpha(units.tolist(), values, clusters, metric.scale)
    talks = units if metric.kind == CHOICE else homes[0]
    entry = {
        **metric.about,
        "scale": metric.scale,
        "alpha": alpha["alpha"],
        "ci": alpha["ci"],
        "n": alpha["units"],
        "conversations": talks[units.duplicated(keep=False)].nunique(),
        "alike": alpha["alike"],
    }
    return entry | ({"why": alpha["why"]} if "why" in alpha else {})
