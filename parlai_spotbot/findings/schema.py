"""Schemas of a finding's tables: typed columns, from which CSV, page, LaTeX, terminal and notebook are derived.

A table is the frame of its name. An interval is the columns NAME_low and NAME_high beside NAME, places are NAME_first
and NAME_last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys import called
from parlai_spotbot.wording import NONE, between, number, p_value, percent, plainly, span

ENDS = ("low", "high")
PLACES = ("first", "last")

FORMATS = {
    "share": lambda value, digits: percent(value, digits or 0),
    "number": lambda value, digits: number(value, 2 if digits is None else digits),
    "p": lambda value, _: p_value(value),
    "count": lambda value, _: f"{value:,.0f}",
    "name": lambda value, _: "people" if value == HUMAN else str(value),
    "text": lambda value, _: str(value),
    "term": lambda value, _: plainly(value),
    "method": lambda value, _: called(value),
    "annotator": lambda value, _: str(value),
    "flag": lambda value, _: "yes" if value else "no",
}
"""Text of a known value of each kind of column.

"term" is an identifier, shown as words; "method" a survey; "places" has two values; a page numbers annotators.
"""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    kind : str
        A key of `FORMATS`, or "places": a first and a last place.
    title : str
        Heading on the page; a column without one is only in JSON and CSV.
    ci : bool
        Whether it has an interval.
    digits : int, optional
        After the decimal point.
    """

    kind: str
    title: str = ""
    ci: bool = False
    digits: int | None = None

    def show(self, value: Any, ends: Sequence = ()) -> str:
        """Return a value with its interval as a cell has them: "54% [48%, 61%]"; "–" where it is unknown."""
        if self.kind == "places":
            return span([int(place) for place in value]) if known(*value) else NONE
        if not known(value) or value == "":
            return NONE
        return self._text(value) + between(list(ends) if known(*ends) else None, self._text)

    def _text(self, value: Any) -> str:
        return FORMATS[self.kind](value, self.digits)


@dataclass(frozen=True)
class Table:
    """A table of a finding, the frame `name`: `columns` in order, how its figures were computed (`method`) and by whom.

    `csv` is the stem of its file (by default FINDING_NAME, or FINDING for the first table); a table without `title` is
    only in JSON and CSV.
    """

    name: str
    columns: Mapping[str, Column]
    title: str = ""
    method: str = ""
    cite: tuple[str, ...] = ()
    csv: str = ""

    def read(self, frames: Frames) -> pd.DataFrame:
        """Return its columns; a value that is missing is None, a list is one text."""
        records = [{name: _joined(row.get(name)) for name in self.frame_columns} for row in frames.rows(self.name)]
        return pd.DataFrame(records, columns=self.frame_columns, dtype=object)

    @property
    def frame_columns(self) -> list[str]:
        """Names of the frame's columns: an interval is three columns, places are two."""
        names = []
        for name, column in self.columns.items():
            names += [f"{name}_{end}" for end in PLACES] if column.kind == "places" else [name]
            names += [f"{name}_{end}" for end in ENDS] if column.ci else []
        return names

    def cells(self, frame: pd.DataFrame) -> list[list[str]]:
        """Return the columns of `shown` as text: what page, LaTeX, terminal and notebook show."""
        columns = self.shown(frame)
        return [
            [column.show(value_of(row, name, column), ends_of(row, name, column)) for name, column in columns.items()]
            for row in frame.to_dict("records")
        ]

    def shown(self, frame: pd.DataFrame) -> dict[str, Column]:
        """Return the columns that have a title and at least one known value."""
        titled = {name: column for name, column in self.columns.items() if column.title}
        first = {name: f"{name}_{PLACES[0]}" if column.kind == "places" else name for name, column in titled.items()}
        return {name: titled[name] for name, key in first.items() if any(map(known, frame[key]))}


@dataclass(frozen=True)
class Chart:
    """A chart of one table's columns.

    Attributes
    ----------
    kind : str
        "forest" (names `y`, values `x`), "curve" (`y` over `x`) or "grid" (values `value` at rows `y` and columns
        `x`).
    table : str
        Which of the finding's tables.
    group : str
        Column of what a curve or a point is of, or of a forest's headings.
    steps, reference :
        Whether a curve has steps; where a line of reference stands.
    """

    kind: str
    table: str
    x: str
    y: str
    caption: str
    value: str = ""
    group: str = ""
    steps: bool = False
    reference: float | None = None


def _joined(value: Any) -> Any:
    """Return what a cell holds, a list as one text."""
    return " ".join(map(str, value)) if isinstance(value, list) else value


def known(*values: Any) -> bool:
    """Return True if no value is None or NaN."""
    return all(value is not None and value == value for value in values)


def clear(row: Mapping) -> bool:
    """Return True if the adjusted test of a row is significant at 5 %."""
    return row["p_adjusted"] is not None and row["p_adjusted"] < 0.05


def value_of(row: Mapping, name: str, column: Column) -> Any:
    return [row[f"{name}_{end}"] for end in PLACES] if column.kind == "places" else row[name]


def ends_of(row: Mapping, name: str, column: Column) -> list:
    return [row[f"{name}_{end}"] for end in ENDS] if column.ci else []
