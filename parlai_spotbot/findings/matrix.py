"""Every contestant against every other in one table, as papers print it: to copy into one's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from parlai_spotbot.findings.sections import Card, Name, Table, places_said
from parlai_spotbot.wording import NONE, number

FIRST = 8
"""Contestants in a matrix on the first screen."""

WIDEST = 40
"""Contestants whose matrix can be read."""

LEVEL = 0.05
CLEAR = "*"
"""Marks a share whose two contestants are told apart."""

Column = tuple[str, Mapping[str, str]]
"""What stands behind the shares: its heading, and what it says of each contestant."""


def matrix_table(title: str, own: Mapping, share: str, columns: Sequence[Column], **more) -> Table | None:
    """A ranking's `order` and `pairs` (a, b, `share` of decided choices for a, p_adjusted) as one table; None for fewer
    than two, and for more than can be read. `more` is what the table says of itself."""
    order = own.get("order") or []
    if not 1 < len(order) <= WIDEST:
        return None
    cells = _cells(own.get("pairs", []), share)
    rows = [
        (
            Name(name),
            *(NONE if other == name else cells.get((name, other), NONE) for other in order),
            *(said.get(name, NONE) for _, said in columns),
        )
        for name in order
    ]
    return Table(title, rows=rows, head=("", *order, *(head for head, _ in columns)), **more)


def places(own: Mapping) -> Column:
    """The places that the data leave to each."""
    return "Places", places_said(own)


def _cells(pairs: Iterable[Mapping], share: str) -> dict[tuple[str, str], str]:
    found = {}
    for pair in pairs:
        rate, p = pair[share], pair.get("p_adjusted")
        if rate is not None:
            star = CLEAR if p is not None and p < LEVEL else ""
            found[pair["a"], pair["b"]] = number(rate) + star
            found[pair["b"], pair["a"]] = number(1 - rate) + star
    return found


def matrix_card(own: Mapping, share: str) -> Card:
    """Return who beats whom, by the `share` of each pair: what a ranking without a single order shows first."""
    how = "Share of decided comparisons that the row wins over the column; * where the two are told apart (p < .05, "
    how += "Holm)." if len(own["order"]) <= FIRST else f"Holm). The first {FIRST} of {len(own['order']):,} by points."
    table = matrix_table("Who beats whom?", {**own, "order": own["order"][:FIRST]}, share, (), how=how)
    return Card(table=table)
