"""What an hour buys: the chance of a significant result by hours, for every pair and the first question."""

from __future__ import annotations

import numpy as np

from parlai_spotbot.analysis.choices import pair_grid
from parlai_spotbot.analysis.planning.cost_curve import ChoiceCounts, cost_curve, hour_grid
from parlai_spotbot.findings import costs
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.choices.needs import little
from parlai_spotbot.findings.finding import Finding


def compute(own: Answers) -> dict:
    """A curve of power by hours for every pair that met."""
    seconds, main = costs.mean_seconds(own), own.questions[0]
    if not np.isfinite(seconds):
        return {"question": main, "curves": [], "why": "no annotation has a time"}
    if own.crossed and little(own):
        return {"question": main, "curves": [], "why": "too little is known to plan from"}
    rows = own.to(main)
    rows = rows[rows["a"] != rows["b"]]
    grid = pair_grid(rows, own.names, **own.hang)
    hours = hour_grid(seconds * max((row["n"] for row in grid), default=1) / 3600)
    curves = []
    for row in grid:
        decided = row["wins_a"] + row["wins_b"]
        # Where choices hang together, each independent one takes so many annotations.
        deff = decided / row["effective"] if row["effective"] else 1.0
        sample = ChoiceCounts(row["wins_a"], row["wins_b"], row["ties"])
        curve = cost_curve(sample, seconds * deff, hours, rng=own.rng("cost"), interval=row["ci"])
        curves.append({"a": row["a"], "b": row["b"], "n": row["n"], "design_effect": deff, **curve.to_dict()})
    return {"question": main, "seconds": seconds, "curves": curves}


FINDING = Finding("cost", FORM, compute, costs.tell_cost, costs.cost_rows, place=80)
