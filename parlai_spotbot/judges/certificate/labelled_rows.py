"""Verdicts and labels as files, frames and sequences hold them, as one frame."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.dataset_rows import dataset_rows, named_columns, plain_text
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.reading import own_data

FIELDS: Mapping[str, Sequence[str]] = own_data(__file__)
"""Our fields and how files call them."""

WITH_SCALE = re.compile(r"-?\d+(\.\d+)?")
REMEDY = "Name them: --columns verdict=THEIR_COLUMN,label=THEIR_COLUMN."
TRUE = ("1", "true", "yes", "own")


def rows_of_file(path: Path, columns: str | Mapping[str, str] | None) -> pd.DataFrame:
    """Return the rows of a file (CSV, JSON Lines, …) with our columns, as `standard` does."""
    rows = [row for _, row in dataset_rows(path)]
    if not rows:
        raise UserError(f"{path}: holds no rows.", "Name a file with a row for each label.")
    return standard(pd.DataFrame(rows), columns, path)


def standard(frame: pd.DataFrame, columns: str | Mapping[str, str] | None, where: object) -> pd.DataFrame:
    """Return a frame with our columns as texts, "" for nothing; `columns` say how the frame calls them.

    Raises
    ------
    UserError
        Names the column that is missing, or that is named and not there.
    """
    named = ImportRequest(data="", columns=columns).pairs("columns")
    head = [str(name) for name in frame]
    found = named_columns(named, FIELDS, where, head)
    if missing := [name for name in ("verdict", "label") if name not in found]:
        raise UserError(
            f"{where}: no column is known to hold {' and '.join(missing)} (there are {', '.join(head)}).", REMEDY
        )
    if found["verdict"] == found["label"]:
        raise UserError(f"{where}: one column, '{found['label']}', for verdict and label.", REMEDY)
    frame = frame.set_axis(head, axis=1)
    return pd.DataFrame({name: [_text(value) for value in frame[theirs]] for name, theirs in found.items()})


def _text(value: Any) -> str:
    """Return a value as text; 3.0 and 3 are the same answer."""
    text = plain_text(value)
    if WITH_SCALE.fullmatch(text) and float(text).is_integer():
        return str(int(float(text)))
    return text


def ready(frame: pd.DataFrame, where: object) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """Return the rows that have both verdict and label, those with a verdict alone, and how many have a label alone.

    A column with gaps is an error; numbers are numbers, and items are found where no column has them.
    """
    without = int(((frame["verdict"] == "") & (frame["label"] != "")).sum())
    judged = frame[frame["verdict"] != ""]
    labelled = judged[judged["label"] != ""]
    if labelled.empty:
        raise UserError(f"{where}: no row has both a verdict and a label.", REMEDY)
    frame = labelled.copy()
    for name in frame.columns.difference(["verdict", "label"]):
        if (frame[name] == "").all():
            frame = frame.drop(columns=name)
        elif (frame[name] == "").any():
            row = int((frame[name] == "").to_numpy().argmax())
            raise UserError(
                f"{where}: {name} is empty in row {frame.index[row] + 1}.",
                f"Fill it in, or leave the column out: --columns {name}=-.",
            )
    for name in frame.columns.intersection(["length", "weight"]):
        numbers = pd.to_numeric(frame[name], errors="coerce")
        if numbers.isna().any():
            wrong = frame[name][numbers.isna()].iloc[0]
            raise UserError(f"{where}: {name} is {wrong!r}, expected a number.", f"Correct it, or --columns {name}=-.")
        frame[name] = numbers
    if "family" in frame:
        frame["family"] = frame["family"].str.lower().isin(TRUE)
    return _with_items(frame), judged[judged["label"] == ""], without


def _with_items(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the column item, where that is told by conversation and bot: no annotator then labels two
    rows of one.
    """
    if "item" in frame or "conversation" not in frame or not {"annotator", "order"} & set(frame):
        return frame
    about = ["conversation", *frame.columns.intersection(["bot"])]
    item = frame[about].agg("\t".join, axis=1)
    once = [item, *(frame[name] for name in ("annotator", "order") if name in frame)]
    if pd.concat(once, axis=1).duplicated().any():
        return frame
    return frame.assign(item=item)


def scale_of(frame: pd.DataFrame) -> list[str] | None:
    """Return the answers from lowest to highest where all are numbers and there are more than two."""
    answers = sorted({*frame["verdict"], *frame["label"]})
    if len(answers) < 3 or not all(WITH_SCALE.fullmatch(answer) for answer in answers):
        return None
    return sorted(answers, key=float)
