"""Is it the place? Whether annotators choose the first, or the last, of the replies whatever stands there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from parlai_spotbot.analysis.nuc.places import place_bias
from parlai_spotbot.findings.answers import presentation
from parlai_spotbot.findings.candidates import FORM, CandidateAnswers
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.schema import Chart, Column, Table
from parlai_spotbot.wording import listed, points

LEVEL = 0.05


def compute(answers: CandidateAnswers) -> dict | None:
    """By place how often it was chosen first, and how often the real turn stood there; None where the order in which
    replies were shown isn't known. Questions of another number of replies than most are left out."""
    orders = {
        name: str(shown.get("candidates", "")).split() for name, shown in presentation(answers.judgements).items()
    }
    rows = answers.rows
    shown = [orders.get(name, []) for name in rows["annotation_id"]]
    array = np.array([len(order) == n for order, n in zip(shown, rows["n"], strict=True)], dtype=bool)
    if not array.any():
        return None
    sizes, counts = np.unique(rows["n"].to_numpy()[array], return_counts=True)
    size = int(sizes[counts.argmax()])
    kept = array & (rows["n"] == size).to_numpy()
    rows, shown = (
        rows[kept].reset_index(drop=True),
        [order for order, is_kept in zip(shown, kept, strict=True) if is_kept],
    )
    chosen, true = (
        [order.index(f"candidate:{place}") for order, place in zip(shown, rows[column], strict=True)]
        for column in ("first", "true")
    )
    places = place_bias(chosen, true, size, answers.clusters(rows))
    return {"candidates": size, "answers": len(rows), "left_out": int((~kept).sum()), "places": places}


def summarise(result: Result) -> list[str]:
    """Return which places are favoured, or that none is."""
    data = result.data
    clear = [row for row in data["places"] if row["p_adjusted"] is not None and row["p_adjusted"] < LEVEL]
    if not clear:
        most = max(data["places"], key=lambda row: abs(row["difference"]))
        return [
            f"No place among the {data['candidates']} replies is chosen by more than chance more or less often than "
            f"the real turn stands there; the greatest difference is {_points(most)}."
        ]
    return [
        f"Chosen more or less often than the real turn stands there: {listed([_points(row) for row in clear])}. As "
        "every annotator gets an order of their own this favours no reply, but annotators find fewer real turns."
    ]


def _points(row: Mapping) -> str:
    low, high = (points(end) for end in row["ci"])
    return f"place {row['place']} ({points(row['difference'])} points, 95 % interval {low} to {high})"


TABLE = Table(
    "places",
    {
        "place": Column("text", "Place, from the top"),
        "chosen": Column("share", "Chosen first", digits=1),
        "true": Column("share", "Real turn there", digits=1),
        "difference": Column("share", "Difference", "ci", digits=1),
        "p": Column("p"),
        "p_adjusted": Column("p", "p"),
    },
    "Replies by the place where they stood",
    "Replies are shown in an order that is drawn for every annotator, so a place that is chosen first more often than "
    "the real turn stands there is favoured as a place. p is Holm's over the places.",
)
CAPTION = "Share of first choices at a place less the share of real turns there, with 95 % intervals; at 0 neither."

FINDING = Finding(
    "places",
    FORM,
    compute,
    tables={"places": TABLE},
    summarise=summarise,
    heading="Is it the place?",
    chart=Chart("forest", "places", x="difference", y="place", caption=CAPTION, reference=0.0),
    place=35,
)
