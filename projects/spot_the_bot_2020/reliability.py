"""Figures 3a and 3b: how many conversations a pair make the ranking stable (section 5.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import pandas as pd

from parlai_spotbot.analysis.stability import conversation_matches, stability
from parlai_spotbot.projects.cells import PaperTable, Value

DEFINITION = (
    "complete HITs; one match a conversation; conversations drawn without replacement from the 45 of each pair, "
    "ranges as in Table 1 with 5,000 draws, overlapping ranges make a cluster; share of the most frequent ranking"
)
LEAVE_ONE_OUT = "convai2"
"""The domain of Figure 3b."""


def makers(
    paper: dict, annotations: pd.DataFrame, bots: Sequence[str], repetitions: int, seed: int
) -> dict[str, Callable[[], PaperTable]]:
    """Describe how to make Figure 3a of a domain and, for PersonaChat, Figure 3b."""
    domain = annotations.attrs["domain"]
    matches = conversation_matches(annotations)

    @cache
    def found() -> dict:
        return stability(matches, list(bots), repetitions=repetitions, leave_one_out=domain == LEAVE_ONE_OUT, seed=seed)

    def figure3a() -> PaperTable:
        table = PaperTable("figure3a", f"Figure 3a: stability of the ranking, {domain}")
        _curve(table, "whole pool", found()["whole"], paper["figure3"]["whole"][domain])
        table.notes.append(
            "drawn without replacement from 45 the curve must reach 1 at 45, whatever the data and but for the "
            "bootstrap's chance: so that says nothing"
        )
        return table

    def figure3b() -> PaperTable:
        table = PaperTable("figure3b", f"Figure 3b: stability, one bot left out, {domain}")
        for bot, curve in found()["leave_one_out"].items():
            _curve(table, f"without {bot}", curve, paper["figure3"]["without"][bot])
        return table

    return {"figure3a": figure3a} | ({"figure3b": figure3b} if domain == LEAVE_ONE_OUT else {})


def _curve(table: PaperTable, row: str, curve: dict, printed: Value) -> None:
    first = curve["first"]
    computed: Value = first
    if isinstance(printed, str):
        least = int("".join(c for c in printed if c.isdigit())) + printed.startswith("over")
        computed = printed if first is None or first >= least else str(first)
    column = "least conversations a pair for 95 %"
    table.add(row, column, printed, computed, DEFINITION + "; from there on", digits=0)
    table.own(row, DEFINITION + "; from there on", {column + ", our number": first})
    rates = zip(curve["sizes"], curve["share"], strict=True)
    table.own(row, DEFINITION, {f"rate at {size}": share for size, share in rates})
