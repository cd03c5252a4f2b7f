"""Win matrix of every two contestants, for the first screen where no single order fits."""

from __future__ import annotations

from collections.abc import Mapping

from parlai_spotbot.findings.sections import Card, Name, Table
from parlai_spotbot.wording import NONE, number

FIRST = 8
"""Contestants in a matrix on the first screen."""

LEVEL = 0.05


def matrix_card(ranking: Mapping) -> Card:
    """Return the shares of decided comparisons that each contestant wins over each other, by their own pairs alone."""
    share, cells, order = "rate_a" if "rate_a" in ranking["pairs"][0] else "estimate", {}, ranking["order"][:FIRST]
    for pair in ranking["pairs"]:
        if (rate := pair[share]) is not None:
            clear = "*" if pair["p_adjusted"] is not None and pair["p_adjusted"] < LEVEL else ""
            cells[pair["a"], pair["b"]] = number(rate) + clear
            cells[pair["b"], pair["a"]] = number(1 - rate) + clear
    rows = [(Name(name), *(cells.get((name, other), NONE) for other in order)) for name in order]
    how = "Share of decided comparisons that the row wins; * where the two differ clearly (p < .05, Holm)."
    if len(ranking["order"]) > FIRST:
        how += f" The first {FIRST} of {len(ranking['order']):,} by points."
    return Card(table=Table("Who beats whom?", how, ("", *order), rows))
