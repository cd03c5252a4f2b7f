"""Surveys of the package as data: NAME.yaml beside this file holds the fields of `Survey`, in a shorter form."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from parlai_spotbot.reading import read_yaml
from parlai_spotbot.surveys.survey import Survey
from parlai_spotbot.user_files import validated

FOLDER = Path(__file__).parent
Turns = tuple[tuple[int, str], ...]
REINSTALL = "Install the package again: it comes with this file."


@cache
def data(name: str) -> Any:
    """Return the values of a YAML file of this folder."""
    return read_yaml(FOLDER / f"{name}.yaml", REINSTALL, REINSTALL)


def shipped(file: str, **fields: Any) -> Survey:
    """Return the survey of a YAML file; `fields` are plain values that the file doesn't hold.

    `instructions` are paragraphs. A paragraph of `consent` that is a name is in consent.yaml. The turns of an
    exercise are texts, of two speakers in turn, or the name of a conversation of conversations.yaml, and its key is
    {question: {target: answers}}.
    """
    row = {"name": Path(file).name, **data(file), **fields}
    row["instructions"] = "\n\n".join(row["instructions"])
    row["consent"] = [data("consent").get(paragraph, paragraph) for paragraph in row.get("consent", [])]
    if "example" in row:
        row["example"] = exercise_row(row["example"])
    row["onboarding"] = [list(map(exercise_row, attempt)) for attempt in row.get("onboarding", [])]
    return validated(Survey, row, FOLDER / f"{file}.yaml")


def exercise_row(row: dict) -> dict:
    """Return the fields of an `Exercise` from their shorter form; see `shipped`."""
    key = [(question, target, answer) for question, about in row["key"].items() for target, answer in about.items()]
    return {**row, "key": key, **{name: _turns(row[name]) for name in ("turns", "second") if name in row}}


def _turns(turns: str | list[str]) -> Turns:
    if isinstance(turns, str):
        turns = data("conversations")[turns]
    return numbered(turns)


def numbered(turns: Sequence[str]) -> Turns:
    """Return turns with the number of who says them."""
    return tuple((number % 2, text) for number, text in enumerate(turns))
