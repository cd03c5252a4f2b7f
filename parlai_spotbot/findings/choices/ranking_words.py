"""Sentences on cycles of choices and on the fit of a single scale."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.analysis.choices.cycles import ALPHA
from parlai_spotbot.wording import p_said


def cycles_sentence(test: Mapping) -> str:
    """Return which contestants go round in a circle, by `cycle_test`."""
    triples, rows, cycles = test["triples"], test["cycles"], test["found"]
    if not triples:
        return "No three contestants all met each other, so nothing is known of circles."
    if cycles:
        circles = "; ".join(_circle(row) for row in cycles)
        return f"These go round in a circle: {circles}. One order can't do them justice."
    if rows:
        return (
            f"No circle is clear among the {triples} sets of three that met ({len(rows)} by the shares alone, "
            f"the clearest {_circle(rows[0])})."
        )
    return f"None of the {triples} sets of three that met goes round in a circle."


def _circle(row: Mapping) -> str:
    a, b, c = row["of"]
    x, y, z = row["shares"]
    return (
        f"{a} over {b} ({x:.0%}), {b} over {c} ({y:.0%}), {c} over {a} ({z:.0%}; adjusted {p_said(row['p_adjusted'])})"
    )


def fit_sentence(test: Mapping) -> str:
    """Return whether one scale fits, by `fit_test`."""
    if test["p"] is None:
        return f"Fit of one scale: {test['why']}."
    fits = "does not fit all pairs" if test["p"] < ALPHA else "fits all pairs"
    return (
        f"One scale of strengths {fits} (likelihood ratio {test['ratio']:.1f} on {test['df']} degrees of freedom, "
        f"{p_said(test['p'])})."
    )
