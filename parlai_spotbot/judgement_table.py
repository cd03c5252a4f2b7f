"""Judgements as a frame of codes, for surveys of which there are millions: a row is read, its values are looked up and
numbered, and nothing else of it is kept."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Judgement

if TYPE_CHECKING:
    import numpy as np
    from pandas import DataFrame

CATEGORIES = ("source", "item_id", "target", "question", "answer", "language", "day")
"""Columns of few different values; "" for none. `language` is in `presentation`, `day` that of `submitted_at`."""

CODES = ("conversation", "worker", "annotation")
"""Columns of as many values as rows, perhaps, of which only numbers are kept: equal ones for equal values, -1 for
none."""


def judgement_table(path: Path, remedy: str = "") -> DataFrame:
    """One row a judgement that is no control, in the file's order: categories and codes, as named above, and `time`.

    `time` is that of `submitted_at` in seconds since 1970, NaN where there is none. A judgement has one conversation
    here, or none. `attrs` hold how many rows are left out as ``controls``, and how
    many the file has, ``rows``. A last line torn by a crash is left out.

    Raises
    ------
    UserError
        Names file, line and field; where the file is not as it was recorded, too.
    """
    columns = JudgementColumns()
    rows = checksums.count_rows(path, columns.add, torn_tail=True, what="judgements file", remedy=remedy)
    return columns.frame(rows)


class JudgementColumns:
    """The columns of the table, to which judgements are added."""

    def __init__(self) -> None:
        self.codes: dict[str, dict[str, int]] = {name: {} for name in CATEGORIES}
        self.places = {name: array("i") for name in CATEGORIES}
        self.hashes = {name: array("q") for name in CODES}
        self.times = array("d")

    def add(self, row: dict, where: str) -> None:
        """Number the values of a judgement, unless it is a control; a missing or wrong one is a `UserError`."""
        if row.get("control") is not None:
            return
        try:
            self._number(row)
        except (ValueError, KeyError, TypeError, AttributeError) as err:
            Judgement.from_json(row, where)  # its error names the field
            raise UserError(f"{where}: {err}.", "Correct it, or make the file again.") from None

    def _number(self, row: dict) -> None:
        conversations = row["conversation_ids"]
        if len(conversations) > 1:
            raise ValueError(f"field 'conversation_ids' holds {len(conversations)}, expected one or none")
        time = row.get("submitted_at", "")
        shown = row.get("presentation") or {}
        named = [row[name] for name in CATEGORIES[:5]]
        for name, value in zip(CATEGORIES, (*named, shown.get("language", ""), time[:10]), strict=True):
            codes = self.codes[name]
            code = codes.get(value)
            if code is None:
                if name == "source" and value != HUMAN and not value.startswith("judge:"):
                    raise ValueError(f"field 'source' is {value!r}")
                code = codes[_text(value)] = len(codes)
            self.places[name].append(code)
        conversation = next(iter(conversations), "")
        for name, value in zip(CODES, (conversation, row["worker_id"], row["annotation_id"]), strict=True):
            self.hashes[name].append(hash(_text(value)))  # of "" it is 0
        self.times.append(seconds_of(time))

    def extend(
        self, categories: Iterable[tuple[Sequence[str], np.ndarray]], hashes: Iterable[np.ndarray], seconds: np.ndarray
    ) -> None:
        """Add judgements by columns: of each of `CATEGORIES` values, in the order in which they appear, and which of
        them each judgement has; a hash of each of `CODES`, 0 for none; and when they were submitted."""
        import numpy as np

        for (name, places), (values, numbers) in zip(self.places.items(), categories, strict=True):
            codes = self.codes[name]
            for value in dict.fromkeys(values):
                codes.setdefault(value, len(codes))
            value_codes = np.fromiter(map(codes.__getitem__, values), np.intc, len(values))
            places.frombytes(value_codes[numbers].tobytes())
        for column, numbers in zip(self.hashes.values(), hashes, strict=True):
            column.frombytes(numbers.tobytes())
        self.times.frombytes(seconds.tobytes())

    def frame(self, rows: int) -> DataFrame:
        """Return what was added, of so many rows, as a frame."""
        import numpy as np
        import pandas as pd

        columns: dict[str, Any] = {}
        for name, places in self.places.items():
            codes = np.frombuffer(places, dtype=np.intc)
            columns[name] = pd.Categorical.from_codes(codes, list(self.codes[name]))
        for name, hashes in self.hashes.items():
            values = np.frombuffer(hashes, dtype=np.int64)
            columns[name] = np.where(values == 0, -1, pd.factorize(values)[0])
        frame: Any = pd.DataFrame(columns | {"time": np.frombuffer(self.times, dtype=float)})
        frame.attrs |= {"controls": rows - len(frame), "rows": rows}
        return frame


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def seconds_of(stamp: str) -> float:
    """Return an ISO 8601 time in seconds since 1970; a time without a zone is in UTC, and NaN stands for none."""
    try:
        time = datetime.fromisoformat(stamp)
    except ValueError:
        return math.nan
    return (time if time.tzinfo is not None else time.replace(tzinfo=UTC)).timestamp()
