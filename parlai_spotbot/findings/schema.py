"""Schemas of a finding's tables: typed columns, from which JSON, CSV, page, LaTeX and terminal are derived.

A table is a frame. In ``analysis/NAME.json`` its rows lie at a `path`, whose segments are keys; ``{question}`` stands
for every key there, which becomes the column ``question``, and ``{column}`` for one mapping per column:

- ``pairs``: a list of records;
- ``criteria/{question}/pairs``: a list of records for each question;
- ``human_difference/{bot}``: a mapping from a bot to its record;
- ``{column}/{bot}``: for each column a mapping from a bot to its value;
- ``curves/{bot}/[]``: for each bot a mapping from a column to the list of its values;
- an empty path: one record, the finding's data themselves.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import pandas as pd

from parlai_spotbot.findings.frames import Frames
from parlai_spotbot.records import HUMAN
from parlai_spotbot.surveys import called
from parlai_spotbot.wording import NONE, between, number, p_value, percent, plainly, span

COLUMN, LISTS = "column", "[]"
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
    ci : str, or two
        Where the JSON keeps its interval, a list of two numbers, or the keys of both ends; in the frame it is NAME_low
        and NAME_high.
    key : str
        Where the JSON keeps its value, with dots between keys; by default the column's name.
    digits : int, optional
        After the decimal point.
    """

    kind: str
    title: str = ""
    ci: bool | str | tuple[str, str] = False
    key: str = ""
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
    """A table of a finding: `columns` by name, in order; `method` says how its figures were computed, `cite` by whom.

    `path` is explained above. `csv` is the stem of its file (by default FINDING_TABLE, or FINDING for the first table);
    a table without `title` is only in JSON and CSV.
    """

    path: str = ""
    columns: Mapping[str, Column] = field(default_factory=dict)
    title: str = ""
    method: str = ""
    cite: tuple[str, ...] = ()
    csv: str = ""
    name: str = ""

    def read(self, data: Mapping) -> pd.DataFrame:
        """Return the frame that a finding's data hold at the table's path; missing values are None."""
        if isinstance(data, Frames):
            records = [{name: _joined(row.get(name)) for name in self.frame_columns} for row in data.rows(self.name)]
            return pd.DataFrame(records, columns=self.frame_columns, dtype=object)
        records = [self._record(levels, node) for levels, node in _walk(data, self.path, self.columns)]
        return pd.DataFrame(records, columns=self.frame_columns, dtype=object)

    @property
    def frame_columns(self) -> list[str]:
        """Names of the frame's columns: an interval is three columns, places are two."""
        names = []
        for name, column in self.columns.items():
            names += [f"{name}_{end}" for end in PLACES] if column.kind == "places" else [name]
            names += [f"{name}_{end}" for end in ENDS] if column.ci else []
        return names

    def _record(self, levels: Mapping[str, str], node: Any) -> dict:
        record = {}
        for name, column in self.columns.items():
            value = levels[name] if name in levels else _dig(node, column.key or name)
            if column.kind == "places":
                record |= _ended(name, PLACES, value)
                continue
            if column.kind == "count" and isinstance(value, str):
                value = int(value)
            if isinstance(value, list):
                value = " ".join(map(str, value))
            record[name] = value
            if isinstance(column.ci, tuple):
                record |= _ended(name, ENDS, [_dig(node, key) for key in column.ci])
            elif isinstance(column.ci, str):
                record |= _ended(name, ENDS, _dig(node, column.ci))
        return record

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


def _ended(name: str, ends: Sequence[str], values: Sequence | None) -> dict:
    """Return two values under the names of a frame's columns; None where they are unknown."""
    return dict(zip((f"{name}_{end}" for end in ends), values or (None, None), strict=True))


def value_of(row: Mapping, name: str, column: Column) -> Any:
    return [row[f"{name}_{end}"] for end in PLACES] if column.kind == "places" else row[name]


def ends_of(row: Mapping, name: str, column: Column) -> list:
    return [row[f"{name}_{end}"] for end in ENDS] if column.ci else []


def _walk(data: Any, path: str, columns: Mapping[str, Column]) -> Iterator[tuple[dict[str, str], Any]]:
    """Yield each record at a path, with what stood for the names in braces."""
    head, _, rest = path.partition("/")
    if isinstance(data, list):
        for inner in data:
            yield from _walk(inner, path, columns)
    elif not path:
        if data:
            yield {}, data
    elif not isinstance(data, Mapping):
        return
    elif head == f"{{{COLUMN}}}":
        yield from _walk(_by_name(data, columns), rest, columns)
    elif head == LISTS:
        lists = {key: values for key, values in data.items() if isinstance(values, list)}
        yield from (({}, dict(zip(lists, row, strict=True))) for row in zip_longest(*lists.values()))
    elif head.startswith("{"):
        for name, inner in data.items():
            yield from (({head.strip("{}"): name, **levels}, node) for levels, node in _walk(inner, rest, columns))
    else:
        yield from _walk(data.get(head), rest, columns)


def _by_name(data: Mapping, columns: Mapping[str, Column]) -> dict[str, dict]:
    """Return what mappings from names to values, one a column, hold of each name."""
    records: dict[str, dict] = {}
    for name, column in columns.items():
        for key in ((column.key or name).split(".")[0], str(column.ci)):
            values = data.get(key)
            if isinstance(values, Mapping):
                for whose, value in values.items():
                    records.setdefault(whose, {})[key] = value
    return records


def _dig(node: Any, key: str) -> Any:
    for part in key.split("."):
        if isinstance(node, list):
            node = node[int(part)] if int(part) < len(node) else None
        else:
            node = node.get(part) if isinstance(node, Mapping) else None
    return node
