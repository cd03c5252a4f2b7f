"""Answers as tools write them in which people answer: Qualtrics, MTurk, oTree, Potato, queues of labels.

Rows that are headings (Qualtrics has three) or objects within rows, rounds (oTree) and options (Potato) as columns
become rows and columns of answers; rows that a tool marks as rejected or as a preview are left out and counted.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from parlai_spotbot.importers.dataset_rows import (
    Names,
    Row,
    dataset_rows,
    entries,
    flat,
    is_list_of,
    json_within,
    plain_text,
    spelling,
    without,
)
from parlai_spotbot.importers.several_in_a_row import rows_of_annotators, rows_of_answers, rows_of_scores
from parlai_spotbot.reading import own_data

HEADINGS = 3
"""Rows in which Qualtrics' line of ids is looked for."""
IMPORT_ID = '{"ImportId"'
ROUND = re.compile(r"^(?P<app>.+)\.(?P<round>\d+)\.(?:player|group|subsession)\.(?P<field>.+)$")
"""A column of oTree's wide file: field of a round of an app."""
OPTION = re.compile(r"^(?P<question>.+)(?P<mark>:::|\.)(?P<option>.+?)$")
"""A column of Potato or MTurk: an option of a question."""
OBJECT = re.compile(r"\s{0,9}(?:\[\s{0,9})?\{")
"""How a text begins that may be an object in JSON."""
TRUE_OR_FALSE = ("true", "false")
UNCHOSEN = ("", "0", "0.0", "false")
TOOLS = own_data(__file__)
NOT_USED = {spelling(column): frozenset(map(spelling, words)) for column, words in TOOLS["not_used"].items()}
REJECTED = "rejected, preview or check row"


def answer_rows(path: Path, left_out: Counter[str], columns: Names) -> list[tuple[str, Row]]:
    """Return the rows of answers of a file, each with its place; `left_out` counts those that aren't to be used."""
    rows = list(dataset_rows(path, columns))
    if len(rows) == 1 and rows_of_annotators(rows[0][1]) == [rows[0][1]] and not rows_of_answers(rows[0][1], "1"):
        rows = entries(rows)
    codes: Mapping[str, list[str]] = {}
    for number, (_, row) in enumerate(rows[:HEADINGS], start=1):
        if any(str(value).startswith(IMPORT_ID) for value in row.values()):
            del rows[:number]
            codes = TOOLS["qualtrics"]
            break
    found = []
    for where, packed in rows:
        row = opened(packed)
        coded = any(spelling(name) in codes and value in codes[spelling(name)] for name, value in row.items())
        if coded or rejected(row):
            left_out[REJECTED] += 1
            continue
        for answer in rows_of_answers(row, where.rpartition(" ")[2]) or [row]:
            for annotation in rows_of_annotators(answer):
                for one in rows_of_scores(flat(annotation)):
                    found += [(where, _chosen(answers)) for answers in _rounds(one)]
    return found


def opened(row: Row) -> Row:
    """Return a row with the object in place of a text that is one in JSON (MTurk's answers), alone or in a list; and of
    an object that says of each option whether it was chosen, the only one that was."""
    return {name: _chosen_option(_object(value)) for name, value in row.items()}


def _object(value: Any) -> Any:
    inner = value
    if isinstance(value, str) and OBJECT.match(value):
        inner = json_within(value)
    if is_list_of(inner, dict) and len(inner) == 1 and inner is not value:
        inner = inner[0]
    return inner


def _chosen_option(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    chosen = [name for name, is_chosen in value.items() if is_chosen is True]
    if len(chosen) == 1 and is_list_of([*value.values()], bool):
        return chosen[0]
    return {name: _chosen_option(inner) for name, inner in value.items()}


def rejected(row: Row, of_chats: bool = False) -> bool:
    """Return True if a tool says that a row isn't to be used: rejected work, a preview, an attention check.

    Of chats some of these columns say it only beside an annotator's: a ticket has a status, too.
    """
    return any(spelling(str(row[column])) in words for column, words in _checks(tuple(row), of_chats))


@lru_cache
def _checks(head: tuple[str, ...], of_chats: bool) -> list[tuple[str, frozenset[str]]]:
    """Return the columns that say which rows aren't to be used, each with what it says of these."""
    columns = {column: spelling(column) for column in head}
    not_used = {*NOT_USED}
    if of_chats and {*columns.values()}.isdisjoint(TOOLS["of_people"]):
        not_used -= {*TOOLS["may_be_of_chats"]}
    return [(column, NOT_USED[spelt]) for column, spelt in columns.items() if spelt in not_used]


def _rounds(row: Row) -> Iterator[Row]:
    """Yield a row for each round that was answered; the row itself where it has no rounds."""
    shared = {}
    rounds: dict[tuple[str, int], Row] = {}
    for name, value in row.items():
        match = ROUND.match(name)
        if match is None:
            shared[name] = value
        else:
            rounds.setdefault((match["app"], int(match["round"])), {})[match["field"]] = value
    if not rounds:
        yield row
    for fields in rounds.values():
        if any(map(plain_text, fields.values())):
            yield {**shared, **fields}


def _chosen(row: Row) -> Row:
    """Return a row with the option that was chosen in place of a column an option; "" of none or several."""
    options: dict[str, Names] = defaultdict(dict)
    for name, value in row.items():
        match = OPTION.match(name)
        if match and (match["mark"] != "." or str(value).lower() in TRUE_OR_FALSE):
            options[match["question"]] = {**options[match["question"]], name: match["option"]}
    for question, names in options.items():
        if len(names) > 1:
            taken = [option for name, option in names.items() if plain_text(row[name]).lower() not in UNCHOSEN]
            row = {**without(row, names), question: taken[0] if len(taken) == 1 else ""}
    return row
