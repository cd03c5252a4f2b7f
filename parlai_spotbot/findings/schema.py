"""Schemas of a finding's tables: typed columns, from which CSV, page, LaTeX, terminal and notebook are derived.

A table is the frame of its name. An interval is the columns NAME_low and NAME_high beside NAME, places are NAME_first
and NAME_last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pandas as pd

from parlai_spotbot.findings.frames import Frames, ends
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys import called
from parlai_spotbot.wording import NONE, between, number, p_value, percent, points, question_subject, span

ENDS = ("low", "high")
TENS = 10
"""From here on a number whose digits nobody chose has one, with its interval."""

PLACES = ("first", "last")

FORMATS = {
    "share": lambda value, digits: percent(value, digits or 0),
    "points": lambda value, digits: points(value, digits or 0),
    "number": lambda value, digits: number(value, 2 if digits is None else digits),
    "p": lambda value, _: p_value(value),
    "count": lambda value, _: f"{value:,.0f}",
    "name": lambda value, _: "people" if value == HUMAN else str(value),
    "text": lambda value, _: str(value),
    "term": lambda value, _: question_subject(value),
    "method": lambda value, _: called(value),
    "annotator": lambda value, _: str(value),
    "flag": lambda value, _: "yes" if value else "no",
}
"""Text of a known value of each kind of column.

"points" is a difference of shares; "term" an identifier, shown as words; "method" a survey; "places" has two values; a
page numbers annotators.
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
    words : mapping of str
        What some values are called.
    """

    kind: str
    title: str = ""
    ci: bool = False
    digits: int | None = None
    words: Mapping[str, str] = field(default_factory=dict)

    def show(self, value: Any, ends: Sequence = ()) -> str:
        """Return a value with its interval as a cell has them: "54% [48%, 61%]"; "–" where it is unknown."""
        if not all_known(value) or value == "":
            return NONE
        if self.kind == "places":
            return span(list(map(int, value))) if all_known(*value) else NONE
        shown = self._text
        if self.kind == "number" and self.digits is None and max(map(abs, filter(all_known, (value, *ends)))) >= TENS:
            shown = partial(number, digits=1)
        text = shown(value)
        if all_known(*ends):
            text += between(list(ends), shown)
        return text

    def names(self, name: str) -> list[str]:
        """Return the columns of a frame in which the values of `name` are, but for intervals."""
        if self.kind == "places":
            return [f"{name}_{end}" for end in PLACES]
        return [name]

    def _text(self, value: Any) -> str:
        return FORMATS[self.kind](self.words.get(value, value), self.digits)


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
        columns = self.frame_columns
        rows = []
        for row in frames.rows(self.name):
            rows.append([_joined(row.get(name)) for name in columns])
        return pd.DataFrame(rows, columns=columns, dtype=object)

    @property
    def frame_columns(self) -> list[str]:
        """Names of the frame's columns: an interval is three columns, places are two."""
        names = []
        for name, column in self.columns.items():
            names += column.names(name)
            if column.ci:
                names += [f"{name}_{end}" for end in ENDS]
        return names

    def cells(self, frame: pd.DataFrame) -> list[list[str]]:
        """Return the columns of `shown` as text: what page, LaTeX, terminal and notebook show."""
        lines = []
        shown = self.shown(frame).items()
        for row in frame.to_dict("records"):
            lines.append(
                [column.show(value_of(row, name, column), ends_of(row, name, column)) for name, column in shown]
            )
        return lines

    def shown(self, frame: pd.DataFrame) -> dict[str, Column]:
        """Return the columns that have a title and at least one known value."""
        shown = {}
        for name, column in self.columns.items():
            if column.title and any(value != "" and all_known(value) for value in frame[column.names(name)[0]]):
                shown[name] = column
        return shown


@dataclass(frozen=True)
class Chart:
    """A chart of one table's columns.

    Attributes
    ----------
    kind : str
        "forest" (names `y`, values `x`), "dots" (the same, those of a `group` in one line), "curve" (`y` over `x`),
        "grid" (values `value` at rows `y` and columns `x`) or "matches" (wins, ties and losses of pairs).
    table : str
        Which of the finding's tables.
    group : str
        Column of what a curve or a point is of, or of a forest's headings.
    better : str
        Column that says of a group of dots whether "less" or "more" is better.
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
    better: str = ""
    steps: bool = False
    reference: float | None = None


def _joined(value: Any) -> Any:
    """Return what a cell holds, a list as one text."""
    if isinstance(value, list):
        return " ".join(map(str, value))
    return value


def all_known(*values: Any) -> bool:
    """Return True if no value is None or NaN."""
    return all(value is not None and value == value for value in values)


def clear(row: Mapping) -> bool:
    """Return True if the adjusted test of a row is significant at 5 %."""
    return row["p_adjusted"] is not None and row["p_adjusted"] < 0.05


def value_of(row: Mapping, name: str, column: Column) -> Any:
    if column.kind == "places":
        return [row[key] for key in column.names(name)]
    return row[name]


def ends_of(row: Mapping, name: str, column: Column) -> list:
    if not column.ci:
        return []
    return ends(row, name)
