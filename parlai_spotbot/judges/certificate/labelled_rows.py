"""Verdicts and labels as files, frames and sequences hold them, as one frame."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.dataset_rows import dataset_rows, named_columns, plain_text
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.reading import own_data
from parlai_spotbot.wording import some

FIELDS: Mapping[str, Sequence[str]] = own_data(__file__)
"""Our fields and how files call them."""

WITH_SCALE = re.compile(r"-?(\d+(\.\d*)?|\.\d+)")
REMEDY = "Name them: --columns verdict={},label={}."
THEIRS = "THEIR_COLUMN"
JUDGES = re.compile("gpt|claude|gemini|llama|llm|judge|model|auto|predict|verdict|machine", re.IGNORECASE)
PEOPLES = re.compile("human|people|person|expert|gold|truth|annot|label|rater|crowd|user", re.IGNORECASE)
"""Parts of columns' names by which a remedy guesses which is whose."""

WORD = re.compile(r"[^\W_]+")
MOST = 8
"""More numbers than that beside two labels are a score; in so many rows no judge is always wrong."""
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
            f"{where}: no column is known to hold {' and '.join(missing)} (there are {', '.join(head)}).",
            _naming(head, found),
        )
    if found["verdict"] == found["label"]:
        raise UserError(f"{where}: one column, '{found['label']}', for verdict and label.", _naming(head, {}))
    frame = frame.set_axis(head, axis=1)
    return pd.DataFrame({name: [_text(value) for value in frame[theirs]] for name, theirs in found.items()})


def _naming(head: Sequence[str], found: Mapping[str, str]) -> str:
    """Return the option that names both columns, as far as their names tell them."""
    theirs = {name: found.get(name, THEIRS) for name in ("verdict", "label")}
    for name, own, others in (("verdict", JUDGES, PEOPLES), ("label", PEOPLES, JUDGES)):
        fits = [column for column in head if own.search(column) and not others.search(column)]
        if name not in found and len(fits) == 1:
            theirs[name] = fits[0]
    return REMEDY.format(*theirs.values())


def _text(value: Any) -> str:
    """Return a value as text; 3.0 and 3 are the same answer."""
    text = plain_text(value).replace("−", "-")
    if WITH_SCALE.fullmatch(text) and float(text).is_integer():
        return str(int(float(text)))
    return text


def ready(frame: pd.DataFrame, where: object) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """Return the rows that have both verdict and label, those with a verdict alone, and how many have a label alone.

    A column with gaps is an error; numbers are numbers, answers that differ in case or punctuation are one, and items
    are found where no column has them.
    """
    without = int(((frame["verdict"] == "") & (frame["label"] != "")).sum())
    judged = frame[frame["verdict"] != ""]
    labelled = judged[judged["label"] != ""]
    if labelled.empty:
        raise UserError(f"{where}: no row has both a verdict and a label.", _naming([*frame], {}))
    frame = labelled.copy()
    frame["verdict"] = _spelt_alike(frame["verdict"], frame["label"])
    frame["label"] = _spelt_alike(frame["label"], frame["label"])
    _check_answers(frame, where)
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
        frame[name] = _numbers(frame[name], where)
    if "family" in frame:
        frame["family"] = frame["family"].str.lower().isin(TRUE)
    return _with_items(frame), judged[judged["label"] == ""], without


def _numbers(texts: pd.Series, where: object) -> pd.Series:
    """Return a column of numbers; raise `UserError` for what is none."""
    numbers = pd.to_numeric(texts, errors="coerce")
    if numbers.isna().any():
        wrong = texts[numbers.isna()].iloc[0]
        raise UserError(
            f"{where}: {texts.name} is {wrong!r}, expected a number.", f"Correct it, or --columns {texts.name}=-."
        )
    return numbers


def _spelt_alike(answers: pd.Series, labels: pd.Series) -> pd.Series:
    """Return answers as labels first spell them: "PASS" is "pass", "Not good" "not_good"."""
    spelt: dict[str, str] = {}
    for answer in [*labels, *answers]:
        spelt.setdefault(_folded(answer), answer)
    return answers.map(_folded).map(spelt)


def _folded(answer: str) -> str:
    """Return an answer without differences of spelling; a number, or what has no letter or digit, as it is."""
    if WITH_SCALE.fullmatch(answer):
        return answer
    return " ".join(WORD.findall(unicodedata.normalize("NFKC", answer).casefold())) or answer


def _check_answers(frame: pd.DataFrame, where: object) -> None:
    """Raise `UserError` where verdicts and labels aren't answers to one question."""
    verdicts, labels = (frame[name].unique().tolist() for name in ("verdict", "label"))
    if len(labels) <= 2 and len(verdicts) > MOST and all(WITH_SCALE.fullmatch(answer) for answer in verdicts):
        raise UserError(
            f"{where}: verdicts are {len(verdicts)} numbers, labels are {', '.join(labels)}: a score is no verdict.",
            "Make a column of verdicts, by the threshold that the judge will be used with.",
        )
    if len(frame) >= MOST and set(verdicts).isdisjoint(labels):
        raise UserError(
            f"{where}: verdicts are {some(verdicts, 'answers')}, labels are {some(labels, 'answers')}: none in common.",
            "Write both with the same words.",
        )


def unlike_labels(frame: pd.DataFrame) -> dict[str, int]:
    """Return how often the judge gave each answer that no label is."""
    strange = frame["verdict"][~frame["verdict"].isin(frame["label"])]
    return {answer: int(n) for answer, n in strange.value_counts().sort_index().items()}


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
