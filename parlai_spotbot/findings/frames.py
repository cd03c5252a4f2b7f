"""Frames of a finding, as its file, its tables and its sentences take them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import pandas as pd

from parlai_spotbot.analysis.values import best_first, plain

Row = TypeVar("Row", bound=Mapping[str, Any])

Found = dict[str, Any]
"""What a finding computes of one source, by name: frames, lists of records, or the values of a single row."""

DIGITS = 9
ZERO = 1e-9
"""Results have so many significant digits, and are 0 below so much: the digits after them are a processor's, which adds
up in another order than the next, so that tables had other bytes on it."""


class Frames(dict[str, pd.DataFrame]):
    """Results of a finding for one source: frames by name, whose values JSON can hold; None where one is missing."""

    @classmethod
    def from_tables(cls, tables: Mapping[str, Any]) -> Frames:
        """Return what a finding computes as frames with NumPy's types as Python's, and None for NaN and infinity; what
        has no rows is left out."""
        if isinstance(tables, Frames):
            return tables
        frames = {name: frame_of(_rows_of(value)) for name, value in tables.items()}
        return cls({name: frame for name, frame in frames.items() if len(frame)})

    def rows(self, name: str) -> list[dict[str, Any]]:
        """Return the records of a frame; [] where there is none of this name."""
        if name not in self:
            return []
        frame = self[name]
        columns = [frame[column].tolist() for column in frame.columns]
        return [dict(zip(frame.columns, values, strict=True)) for values in zip(*columns, strict=True)]

    def one(self, name: str) -> dict[str, Any]:
        """Return the first record of a frame; {} where there is none."""
        return next(iter(self.rows(name)), {})


def _rows_of(value: Any) -> Sequence[Mapping]:
    """Return the records of a frame or of a list of them; a mapping as the only one, if it holds anything."""
    if not isinstance(value, Mapping):
        return pd.DataFrame(value).to_dict("records")
    return [value] if value else []


def frame_of(records: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return records as a frame of plain values, numbers to `DIGITS` digits; None where a record lacks one."""
    return _frame_of_plain(
        [{name: _to_digits(value, name) for name, value in plain(dict(record)).items()} for record in records]
    )


def _frame_of_plain(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return records of plain values as a frame; None where a record lacks one."""
    frame = pd.DataFrame(rows, dtype=object)
    return frame.where(frame.notna(), None)


def _to_digits(value: Any, column: str) -> Any:
    """Return a value with its numbers to `DIGITS` significant digits; below `ZERO` they are 0, but for p values."""
    if isinstance(value, list):
        return [_to_digits(part, column) for part in value]
    if isinstance(value, dict):
        return {name: _to_digits(part, name) for name, part in value.items()}
    if not isinstance(value, float):
        return value
    if abs(value) < ZERO and column != "p" and not column.startswith("p_"):
        return 0.0
    return float(f"{value:.{DIGITS}g}")


def ends(row: Mapping[str, Any], name: str) -> list[Any]:
    """Return the interval of a record's value; of None where it is unknown."""
    return [row.get(f"{name}_low"), row.get(f"{name}_high")]


def best_rows(rows: Sequence[Row], column: str) -> list[Row]:
    """Return records with the highest values of a column first, see `best_first`."""
    return best_first(rows, [row[column] for row in rows])


def stored_form(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result as its file has it."""
    return {"tables": records(value["by_source"]), "made_by": value["made_by"]}


def records(frames_by_source: Mapping[str, Frames]) -> dict[str, list[dict]]:
    """Return the frames of each source as records by name, each with its source if it has one."""
    tables: dict[str, list[dict]] = {}
    for source, frames in frames_by_source.items():
        about: dict = {}
        if source:
            about = {"source": source}
        for name in frames:
            tables.setdefault(name, []).extend(about | row for row in frames.rows(name))
    return tables


def by_source(tables: Mapping[str, Sequence[Mapping]]) -> dict[str, Frames]:
    """Return the frames of each source from what a file has of them, plain values with their digits."""
    frames_by_source: dict[str, Frames] = {}
    for name, rows in tables.items():
        source_rows: dict[str, list[dict]] = {}
        for row in rows:
            source_rows.setdefault(row.get("source", ""), []).append({key: row[key] for key in row if key != "source"})
        for source, records in source_rows.items():
            frames_by_source.setdefault(source, Frames())[name] = _frame_of_plain(records)
    return frames_by_source
