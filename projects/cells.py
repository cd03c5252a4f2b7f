"""A table of a reproduction: the paper's value, ours, the difference, and the definition used, one cell a row."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd

from parlai_spotbot import files
from parlai_spotbot.reading import own_data

COLUMNS = ("row", "column", "paper", "ours", "difference", "definition")

Value = float | int | str | None

NOTHING = "the paper prints no values here"


@dataclass
class PaperCell:
    """`paper` None: the paper has no such value. `ours` None: it can't be reached, and the definition says why.

    `digits` is how many the paper prints; `cut` says that it cuts decimals off instead of rounding them; `beside` that
    the paper's value is of other data, so that it is next to ours and isn't to be reached.
    """

    row: str
    column: str
    paper: Value
    ours: Value
    definition: str
    digits: int = 2
    cut: bool = False
    beside: bool = False

    def __post_init__(self):
        self.paper, self.ours = plain(self.paper), plain(self.ours)
        if self.digits == 0 and isinstance(self.paper, float) and self.paper.is_integer():
            self.paper = int(self.paper)

    @property
    def difference(self) -> Value:
        """Ours minus the paper's; for text "same" or "differs"; None where either is missing."""
        if self.paper is None or self.ours is None:
            return None
        if isinstance(self.paper, str) or isinstance(self.ours, str):
            return "same" if self.paper == self.ours else "differs"
        return self.ours - self.paper

    @property
    def reached(self) -> bool | None:
        """Return whether ours, with the paper's digits, is what the paper prints; None where there is nothing to
        compare."""
        if self.paper is None or self.beside:
            return None
        if self.ours is None:
            return False
        if isinstance(self.paper, str) or isinstance(self.ours, str):
            return self.paper == self.ours
        if self.cut:
            return math.isclose(truncated(self.ours, self.digits), self.paper, abs_tol=1e-9)
        return bool(abs(self.ours - self.paper) <= 0.5 * 10**-self.digits + 1e-9)


@dataclass
class PaperTable:
    """One table or figure: its cells, and `notes` on what could not be reached and on what a sound analysis says."""

    name: str
    title: str
    cells: list[PaperCell] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, row: str, column: str, paper: Value, value: Value, definition: str, *more, **kinds) -> None:
        """Add a `PaperCell`."""
        self.cells.append(PaperCell(row, column, paper, value, definition, *more, **kinds))

    def own(self, row: str, definition: str, values: Mapping[str, Value], digits: int = 2) -> None:
        """Add a cell for each column, of values that the paper does not have."""
        for column, value in values.items():
            self.add(row, column, None, value, definition, digits)

    def frame(self) -> pd.DataFrame:
        """The columns `COLUMNS`, one cell a row; what is missing is empty."""
        rows = [(c.row, c.column, c.paper, c.ours, c.difference, c.definition) for c in self.cells]
        return pd.DataFrame(rows, columns=list(COLUMNS), dtype=object)

    @property
    def compared(self) -> list[PaperCell]:
        return [cell for cell in self.cells if cell.reached is not None]

    @property
    def verdict(self) -> str:
        """Return how many of the paper's values come out, and the greatest difference."""
        cells = self.compared
        if not cells:
            beside = sum(cell.paper is not None for cell in self.cells)
            return f"{beside} values of the paper are given for comparison, from other data" if beside else NOTHING
        reached = sum(bool(cell.reached) for cell in cells)
        missing = sum(cell.ours is None for cell in cells)
        gaps = [abs(c.difference) for c in cells if isinstance(c.difference, (int, float))]
        parts = [f"{reached} of {len(cells)} values of the paper reached to their digits"]
        if gaps and max(gaps) > 0 and reached + missing < len(cells):
            parts.append(f"greatest difference {max(gaps):.3g}")
        if missing:
            parts.append(f"{missing} cannot be reached from the released data")
        return "; ".join(parts)

    def text(self) -> str:
        """The table as lines of text, paper beside ours; then definitions and notes."""
        rows = self.frame().drop(columns="definition")
        rows["reached"] = ["*" if cell.reached is False else "" for cell in self.cells]
        lines = [
            self.title,
            f"  {self.verdict}",
            "",
            rows.to_string(index=False, na_rep="-", float_format="{:.4f}".format),
            "",
        ]
        lines += [f"  definition: {text}" for text in dict.fromkeys(cell.definition for cell in self.cells)]
        return "\n".join([*lines, *(f"  note: {text}" for text in self.notes)])


@cache
def paper_values(project: str) -> dict:
    """Return what a project's paper prints: its paper.yaml."""
    return own_data(__file__, f"{project}/paper.yaml")


def write_tables(folder: Path, tables: Mapping[str, PaperTable], odd: Sequence[Mapping] = ()) -> None:
    """Write each table as CSV, and all as tables.txt; `odd` are oddities of the data."""
    for name, table in tables.items():
        files.write_text(folder / f"{name}.csv", files.frame_csv(table.frame()))
    text = "\n\n".join(table.text() for table in tables.values())
    if odd:
        lines = [f"  {row['count']:>6} of {row['of']:>6}  {row['what']}: {row['rule']}" for row in odd]
        text += "\n\nOddities of the data, and their rules\n" + "\n".join(lines)
    files.write_text(folder / "tables.txt", text + "\n")


def plain(value: Value) -> Value:
    """Return a NumPy number as one of Python's; None for NaN."""
    value = value.item() if isinstance(value, np.generic) else value
    return None if value != value else value


def reached(tables: Iterable[PaperTable]) -> tuple[int, int]:
    """Return how many of the paper's values come out to their digits, of how many."""
    cells = [cell for table in tables for cell in table.compared]
    return sum(bool(cell.reached) for cell in cells), len(cells)


def truncated(value: float, digits: int = 2) -> float:
    """A number whose decimals are cut off instead of rounded."""
    return np.floor(value * 10**digits + 1e-9) / 10**digits
