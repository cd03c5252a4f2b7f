"""Figures 3a and 3b: how many conversations a pair make the ranking stable (section 5.2)."""

from functools import cache

import pandas as pd

from parlai_spotbot.analysis.stability import conversation_matches, first_stable, stability
from parlai_spotbot.projects.cells import PaperTable, Value
from parlai_spotbot.projects.spot_the_bot_2020.definitions import DomainData

DEFINITION = (
    "complete HITs; one match a conversation; conversations drawn without replacement from the 45 of each pair, "
    "ranges as in Table 1 with 5,000 draws, overlapping ranges make a cluster; share of the most frequent ranking"
)
LEAVE_ONE_OUT = "convai2"
"""The domain of Figure 3b."""


@cache
def _agreement_table(data: DomainData) -> pd.DataFrame:
    matches = conversation_matches(data.annotations)
    settings = data.settings
    left_out = data.domain == LEAVE_ONE_OUT
    repetitions = settings.repetitions
    seed = settings.seed
    return stability(matches, list(data.bots), repetitions=repetitions, leave_one_out=left_out, seed=seed)


def figure3a(data: DomainData) -> PaperTable:
    """Figure 3a of a domain."""
    table = PaperTable("figure3a", f"Figure 3a: stability of the ranking, {data.domain}")
    curves = _agreement_table(data)
    _curve(table, "whole pool", curves[curves["removed"] == ""], data.paper["figure3"]["whole"][data.domain])
    table.notes.append(
        "drawn without replacement from 45 the curve must reach 1 at 45, whatever the data and but for the "
        "bootstrap's chance: so that says nothing"
    )
    return table


def figure3b(data: DomainData) -> PaperTable:
    """Figure 3b, of PersonaChat alone."""
    table = PaperTable("figure3b", f"Figure 3b: stability, one bot left out, {data.domain}")
    for bot, curve in _agreement_table(data).groupby("removed", sort=False):
        if bot:
            _curve(table, f"without {bot}", curve, data.paper["figure3"]["without"][bot])
    return table


def _curve(table: PaperTable, row: str, curve: pd.DataFrame, printed: Value) -> None:
    first = first_stable(curve)
    computed: Value = first
    if isinstance(printed, str):
        least = int("".join(c for c in printed if c.isdigit())) + printed.startswith("over")
        computed = printed if first is None or first >= least else str(first)
    column = "least conversations a pair for 95 %"
    table.add(row, column, printed, computed, DEFINITION + "; from there on", digits=0)
    table.own(row, DEFINITION + "; from there on", {column + ", our number": first})
    rates = zip(curve["sizes"], curve["share"], strict=True)
    table.own(row, DEFINITION, {f"rate at {size}": share for size, share in rates})
