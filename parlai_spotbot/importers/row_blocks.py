"""Rows of a file in blocks, each by columns.

A plain table, whose cells are texts of one line, is split as a whole, many times as fast as row after row. Of any other
file, and of a table from the first block on that isn't plain, blocks are made of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.dataset_rows import BY_PLACE, Dataset, Head, Names, joined_columns
from parlai_spotbot.importers.left_out import Unusable, identity
from parlai_spotbot.importers.transcripts import Row
from parlai_spotbot.reading import Malformed, csv_blocks

if TYPE_CHECKING:
    import numpy as np

BLOCK = 10_000
"""Number of rows of a block that is made of rows."""
TABLES = {".csv", ".tsv"}
OTHERS = {".txt", ".md", ".yaml", ".yml", ".parquet"}
"""How files end that aren't read as tables, whatever stands before it."""


class ColumnBlock(Protocol):
    """Rows of a file that are read at once, by columns."""

    def __len__(self) -> int: ...

    def place(self, row: int) -> str:
        """Return where a row stands: "FILE, line 3"."""
        ...

    def column(self, name: str) -> Sequence[Any]:
        """Return the value of each row in a column, None where it has none."""
        ...

    def texts(self, name: str) -> Sequence[Any]:
        """Return the values of a column as texts; lists and objects as they are."""
        ...

    def identities(self) -> list[int]:
        """Return a number for each row, the same for rows with equal values."""
        ...

    def with_any(self, names: Collection[str]) -> list[bool]:
        """Return of each row whether it has one of some columns."""
        ...


@dataclass(frozen=True)
class RowBlock:
    """Rows as objects, each with its place."""

    rows: Sequence[tuple[str, Row]]

    def __len__(self) -> int:
        return len(self.rows)

    def place(self, row: int) -> str:
        return self.rows[row][0]

    def column(self, name: str) -> Sequence[Any]:
        return [row.get(name) for _, row in self.rows]

    def texts(self, name: str) -> Sequence[Any]:
        return [value if isinstance(value, (list, dict)) else str(value) for value in self.column(name)]

    def identities(self) -> list[int]:
        return [identity(row.values()) for _, row in self.rows]

    def with_any(self, names: Collection[str]) -> list[bool]:
        return [not row.keys().isdisjoint(names) for _, row in self.rows]


@dataclass(frozen=True)
class TableBlock:
    """Lines of a plain table: its columns, and each line as a text whose cells are separated by zeros; `first` is the
    number of the first line of `file`."""

    file: Path
    first: int
    columns: dict[str, list[str]]
    lines: list[str]

    def __len__(self) -> int:
        return len(self.lines)

    def place(self, row: int) -> str:
        return f"{self.file}, line {self.first + row}"

    def column(self, name: str) -> Sequence[Any]:
        return self.columns.get(name) or [None] * len(self)

    def texts(self, name: str) -> Sequence[Any]:
        return self.columns.get(name) or [""] * len(self)

    def identities(self) -> list[int]:
        return [*map(hash, self.lines)]

    def with_any(self, names: Collection[str]) -> list[bool]:
        return [not self.columns.keys().isdisjoint(names)] * len(self)


def row_blocks(rows: Dataset) -> Iterator[RowBlock]:
    """Yield the rows, `BLOCK` at once; those in front of one that can't be read come before its error."""
    block = []
    try:
        for row in rows:
            block.append(row)
            if len(block) == BLOCK:
                yield RowBlock(block)
                block = []
    except UserError:
        yield RowBlock(block)
        raise
    yield RowBlock(block)


def table_blocks(path: Path, head: Head, columns: Names) -> Generator[TableBlock, None, bool]:
    """Yield the blocks of a table with these columns while they are plain; return True where that was the whole file.

    `columns` are those of --columns, as `dataset_rows` gets them.
    """
    kinds = {kind.lower() for kind in path.suffixes[-2:]}
    placed = any(map(BY_PLACE.fullmatch, columns.values())) or joined_columns(columns)
    if not kinds & TABLES or kinds & OTHERS or path.is_dir() or placed:
        return False
    try:
        for first, cells, lines in csv_blocks(path, [*head]):
            yield TableBlock(path, first, dict(zip(head, cells, strict=True)), lines)
    except (OSError, Malformed):  # rows say where it is
        return False
    return True


class Different(NamedTuple):
    """The different values of a column, in the order in which they appear, and which one each row has."""

    values: list[Any]
    places: np.ndarray

    def counts(self) -> list[int]:
        """Return how many rows have each value."""
        import numpy as np

        return np.bincount(self.places, minlength=len(self.values)).tolist()

    def each(self, texts: list[str]) -> list[str]:
        """Return of each row the text that stands for its value."""
        import numpy as np

        return np.array(texts, dtype=object)[self.places].tolist()


def taken(values: list[Any], rows: np.ndarray) -> list[Any]:
    """Return the values of some rows."""
    if len(rows) == len(values) and (rows[1:] > rows[:-1]).all():
        return values
    return [values[row] for row in rows.tolist()]


class Numbered(dict[Any, int]):
    """Numbers of different values, and in `results` what a rule makes of each; a value that it refuses has none."""

    def __init__(self, rule: Callable[[Any], Any]):
        super().__init__()
        self.rule = rule
        self.results: list[Any] = []

    def __missing__(self, value: Any) -> int:
        self.results.append(self.rule(value))
        number = len(self.results) - 1
        self[value] = number
        return number

    def of(self, numbers: np.ndarray) -> Different:
        """Return the results that have these numbers."""
        import pandas as pd

        places, present = pd.factorize(numbers)
        return Different([*map(self.results.__getitem__, present.tolist())], places)


class BlockRules:
    """Rules that are applied to the rows of a block, one after another, each to rows that those before it accept.

    A rule raises `Unusable` for a row that is left out, and another `UserError` where the file can't be read: then the
    first row with such an error is the last one that is looked at.
    """

    def __init__(
        self, block: ColumnBlock, read_at: Callable[[str], None], no_value: Callable[[ColumnBlock, int], UserError]
    ):
        self.block = block
        self.read_at = read_at
        self.no_value = no_value
        self.refused: dict[int, UserError] = {}
        self.end = len(block)

    def rows(self) -> Sequence[int]:
        """Return the rows that no rule refused yet."""
        if not self.refused:
            return range(self.end)
        return [row for row in range(self.end) if row not in self.refused]

    def numbers(self, values: Numbered, *columns: Sequence[Any]) -> np.ndarray:
        """Return the number of each row's value, of several columns of their values as a tuple; -1 of those refused."""
        import numpy as np

        def keys() -> Iterable[Any]:
            return columns[0] if len(columns) == 1 else zip(*columns, strict=True)

        if not self.refused:
            with suppress(UserError, TypeError):
                return np.fromiter(map(values.__getitem__, keys()), np.intp, len(self.block))
        return np.array(self.each(values.__getitem__, keys(), -1), np.intp)

    def each(self, rule: Callable[[Any], Any], values: Iterable[Any], refused: Any) -> list[Any]:
        """Return what a rule makes of each row's value; `refused` of those refused."""
        results = [refused] * len(self.block)
        for row, value in enumerate(islice(values, self.end)):
            if row in self.refused:
                continue
            self.read_at(self.block.place(row))
            try:
                results[row] = rule(value)
            except Unusable as err:
                self.refused[row] = err
            except UserError as err:
                self._end_at(row, err)
                break
            except TypeError:  # unhashable
                self._end_at(row, self.no_value(self.block, row))
                break
        return results

    def _end_at(self, row: int, error: UserError) -> None:
        self.refused[row] = error
        self.end = row

    def accepted(self, leave: Callable[[Unusable], None]) -> np.ndarray:
        """Return the rows that no rule refuses; the others are left out in their order, up to one with an error."""
        import numpy as np

        for _, error in sorted(self.refused.items(), key=itemgetter(0)):
            if not isinstance(error, Unusable):
                raise error
            leave(error)
        return np.delete(np.arange(len(self.block)), [*self.refused])
