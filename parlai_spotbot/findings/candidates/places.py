"""Is it the place? Whether annotators choose the first, or the last, of the replies whatever stands there."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from parlai_spotbot.analysis.nuc.places import place_bias
from parlai_spotbot.findings.answers import presentation
from parlai_spotbot.findings.candidates import FORM, CandidateAnswers
from parlai_spotbot.findings.finding import Finding, Result, Rows, flat
from parlai_spotbot.findings.sections import Chart, Section, Table
from parlai_spotbot.wording import INTERVAL, interval, listed, p_value, percent, points, to

LEVEL = 0.05


def compute(own: CandidateAnswers) -> dict | None:
    """By place how often it was chosen first, and how often the real turn stood there; None where the order in which
    replies were shown isn't known. Questions of another number of replies than most are left out."""
    orders = {name: str(shown.get("candidates", "")).split() for name, shown in presentation(own.judgements).items()}
    rows = own.rows
    shown = [orders.get(name, []) for name in rows["annotation_id"]]
    known = np.array([len(order) == n for order, n in zip(shown, rows["n"], strict=True)], dtype=bool)
    if not known.any():
        return None
    sizes, counts = np.unique(rows["n"].to_numpy()[known], return_counts=True)
    size = int(sizes[counts.argmax()])
    kept = known & (rows["n"] == size).to_numpy()
    rows, shown = rows[kept].reset_index(drop=True), [order for order, own in zip(shown, kept, strict=True) if own]
    chosen, true = (
        [order.index(f"candidate:{place}") for order, place in zip(shown, rows[column], strict=True)]
        for column in ("first", "true")
    )
    places = place_bias(chosen, true, size, own.clusters(rows))
    return {"candidates": size, "answers": len(rows), "left_out": int((~kept).sum()), "places": places}


# -- told --------------------------------------------------------------------------------------------------------------
def tell(result: Result) -> list[Section]:
    """How often each place is chosen beside how often it is right."""
    own = result.data
    rows = [
        (
            str(row["place"]),
            percent(row["chosen"], 1),
            percent(row["true"], 1),
            points(row["difference"]),
            interval([None if end is None else 100 * end for end in row["ci"]], 1, share=False),
            p_value(row["p_adjusted"]),
        )
        for row in own["places"]
    ]
    how = (
        "Replies are shown in an order that is drawn for every annotator, so a place that is chosen first more often "
        "than the real turn stands there is favoured as a place. The difference is in points of a hundred; p is Holm's "
        "over the places."
    )
    head = ("place, from the top", "chosen first", "real turn there", "difference", "95 % interval", "p")
    table = Table("Replies by the place where they stood", how, head, rows)
    return [Section("places", "Is it the place?", [sentence(own)], [_chart(own)], [table])]


def sentence(own: Mapping) -> str:
    """Which places are favoured, or that none is."""
    clear = [row for row in own["places"] if row["p_adjusted"] is not None and row["p_adjusted"] < LEVEL]
    if not clear:
        most = max(own["places"], key=lambda row: abs(row["difference"]))
        return (
            f"No place among the {own['candidates']} replies is chosen by more than chance more or less often than the "
            f"real turn stands there; farthest off is place {most['place']}, {points(most['difference'])} points"
            f"{to(most['ci'], points, INTERVAL)}."
        )
    said = [
        f"place {row['place']} ({points(row['difference'])} points{to(row['ci'], points, INTERVAL)})" for row in clear
    ]
    return (
        f"Whatever stands there, chosen more or less often than it is right: {listed(said)}. As every annotator gets "
        "an order of their own this favours no reply, but it makes people find fewer real turns than they could."
    )


def _chart(own: Mapping) -> Chart:
    rows = [
        {"label": f"place {row['place']}", "estimate": row["difference"], "low": row["ci"][0], "high": row["ci"][1]}
        for row in own["places"]
    ]
    caption = "Share of first choices at a place less the share of real turns there, with 95 % intervals; at 0 neither."
    data = {"rows": rows, "reference": 0.0, "x": "chosen less right"}
    return Chart("candidate_places", "forest", "Places among the replies", caption, data, sentence(own))


def rows(data: Mapping) -> Rows:
    """Rows of the table places."""
    for row in data["places"]:
        yield "places", flat(row)


FINDING = Finding("places", FORM, compute, tell, rows, place=35)
