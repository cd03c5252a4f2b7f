"""Judgements as a frame of codes, for surveys of which there are millions: a row is read, its values are looked up and
numbered, and nothing else of it is kept."""

from __future__ import annotations

import math
from array import array
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import Malformed, parse_json, regular
from parlai_spotbot.records import HUMAN, Judgement

if TYPE_CHECKING:
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
        Names file, line and field.
    """
    import numpy as np
    import pandas as pd

    codes_by_value: list[dict[Any, int]] = [{} for _ in CATEGORIES]
    places = [array("i") for _ in CATEGORIES]
    hashes = [array("q") for _ in CODES]
    times = array("d")
    rows = 0
    try:
        with regular(path).open("rb") as lines:
            for line in lines:
                if not line.endswith(b"\n"):
                    break
                rows += 1
                try:
                    row = parse_json(line)
                    if row.get("control") is None:
                        _keep(row, codes_by_value, places, hashes)
                        times.append(_seconds(row.get("submitted_at", "")))
                except Malformed as err:
                    remedy = "Correct or remove that line."
                    raise UserError(f"{path}, line {rows}: not valid JSON: {err}.", remedy) from None
                except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as err:
                    problem = f"expected a JSON object, found {type(row).__name__}"
                    if isinstance(row, dict):
                        problem = str(err)
                        Judgement.from_json(row, f"{path}, line {rows}")  # its error names the field
                    raise UserError(f"{path}, line {rows}: {problem}.", "Correct it, or make the file again.") from None
    except FileNotFoundError:
        raise UserError(f"{path}: no such judgements file.", remedy) from None
    columns = {
        name: pd.Categorical.from_codes(np.frombuffer(place_array, dtype=np.intc), list(values))
        for name, place_array, values in zip(CATEGORIES, places, codes_by_value, strict=True)
    }
    for name, hash_array in zip(CODES, hashes, strict=True):
        codes = pd.factorize(np.frombuffer(hash_array, dtype=np.int64))[0]
        columns[name] = np.where(np.frombuffer(hash_array, dtype=np.int64) == 0, -1, codes)
    frame = pd.DataFrame(columns | {"time": np.frombuffer(times, dtype=float)})
    frame.attrs |= {"controls": rows - len(frame), "rows": rows}
    return frame


def _keep(row: dict, codes_by_value: list[dict], places: list[array], hashes: list[array]) -> None:
    """Number the values of one row; a missing or wrong one is a KeyError, TypeError or ValueError."""
    talks = row["conversation_ids"]
    if len(talks) > 1:
        raise ValueError(f"field 'conversation_ids' holds {len(talks)}, expected one or none")
    shown = row.get("presentation")
    values = (
        row["source"],
        row["item_id"],
        row["target"],
        row["question"],
        row["answer"],
        shown.get("language", "") if shown else "",
        row.get("submitted_at", "")[:10],
    )
    for value, codes, into in zip(values, codes_by_value, places, strict=True):
        code = codes.get(value)
        if code is None:
            if codes is codes_by_value[0] and value != HUMAN and not value.startswith("judge:"):
                raise ValueError(f"field 'source' is {value!r}")
            code = codes[value + ""] = len(codes)  # only texts can be added to one
        into.append(code)
    for value, into in zip(
        (*talks, row["worker_id"], row["annotation_id"]) if talks else ("", row["worker_id"], row["annotation_id"]),
        hashes,
        strict=True,
    ):
        into.append(hash(value + ""))  # of "" it is 0


def _seconds(stamp: str) -> float:
    """Return an ISO 8601 time in seconds since 1970; a time without a zone is in UTC, and NaN stands for none."""
    try:
        time = datetime.fromisoformat(stamp)
    except ValueError:
        return math.nan
    return (time if time.tzinfo is not None else time.replace(tzinfo=UTC)).timestamp()
