"""What an hour buys: the chance of a significant difference by hours, for every pair and the main dimension."""

from __future__ import annotations

import numpy as np

from parlai_spotbot.analysis.planning.cost_curve import ConversationMeans, cost_curve, hour_grid
from parlai_spotbot.findings import costs
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.finding import Finding
from parlai_spotbot.findings.ratings import FORM
from parlai_spotbot.findings.ratings.needs import little
from parlai_spotbot.findings.ratings.ranking import main_dimension, ranked

DRAWS = 400


def compute(own: Answers) -> dict:
    """A curve of power by hours for every pair of contestants."""
    seconds, main = costs.mean_seconds(own), main_dimension(own)
    if not np.isfinite(seconds):
        return {"question": main, "curves": [], "why": "no annotation has a time"}
    if own.crossed and little(own):
        return {"question": main, "curves": [], "why": "too little is known to plan from"}
    rows = own.to(main)
    talks = rows.groupby(["name", "conversation_id"])["value"].mean()
    per = rows["annotation_id"].nunique() / len(talks)
    pairs = ranked(own, rows)["pairs"]
    most = max((len(talks[p["a"]]) + len(talks[p["b"]]) for p in pairs), default=1)
    hours = hour_grid(seconds * per * most / 3600)
    curves = []
    for pair in pairs:
        first, second = (talks[pair[end]].to_numpy() for end in ("a", "b"))
        if min(len(first), len(second)) < 2:
            continue
        curve = cost_curve(
            ConversationMeans(first, second, per),
            seconds,
            hours,
            rng=own.rng("cost"),
            replicates=DRAWS,
            interval=pair["ci"],
        )
        curves.append({"a": pair["a"], "b": pair["b"], "n": pair["n"], **curve.to_dict()})
    return {"question": main, "seconds": seconds, "annotations_per_conversation": per, "curves": curves}


FINDING = Finding("cost", FORM, compute, costs.tell_cost, costs.cost_rows, place=80)
