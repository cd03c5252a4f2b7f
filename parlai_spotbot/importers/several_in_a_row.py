"""Rows that hold several answers (USR, DSTC10, HC3) or the answers of several annotators (Argilla, lists of scores).

Each becomes rows of one answer, or of one annotator; which columns hold them stands in ``several_in_a_row.yaml``.
"""

import re
from collections.abc import Iterator
from typing import Any

from parlai_spotbot.importers.dataset_rows import Row, is_list_of, json_within, spelling, spelt_as, without
from parlai_spotbot.reading import own_data

TABLES = own_data(__file__)
ANSWERS = re.compile(TABLES["answer_columns"])
"""Names of columns of answers."""
NAMED = re.compile(TABLES["answers_by_name"], re.IGNORECASE)
FAMILY = re.compile(TABLES["families"], re.IGNORECASE)
"""A part of the names of models."""
CALLED = re.compile("model|bot|system", re.IGNORECASE)
"""How columns are called that name a contestant."""
RANKING = "ranking"
"""The column of a question whose answer is an order."""
PLACE = "place_in_list"
"""The column of a row's place in lists of scores whose annotators aren't named."""


def rows_of_answers(row: Row, number: str) -> list[Row]:
    """Return a row for each answer that a row holds, with its model and an id; none where it holds at most one.

    `number` is the row's place in the file, of which ids are made where the row has none.
    """
    lists = {name: value for name, value in row.items() if isinstance(value, list)}
    rows = []
    if any({*columns} <= lists.keys() for columns in TABLES["files_by_column"]):
        rows = _rows_of_columns(lists)
    elif TABLES["answerers"].keys() <= lists.keys():
        columns = TABLES["answerers"].items()
        rows = [{"answer": text, "model": who} for column, who in columns for text in lists[column]]
    else:
        models = [name for name in TABLES["lists_of_answers"] if is_list_of(lists.get(name), dict)]
        rows = [one for name in models for one in row[name] if all(one.get("model") for one in row[name])]
        rows = rows or _answers_of_models(row)
    if "fact" in row and isinstance(row.get("context"), str):  # USR's, a turn a line
        row = {**row, "context": row["context"].strip().splitlines()}
    rest = without(row, TABLES["several"])
    name = next((row[key] for key in TABLES["ids"] if row.get(key) not in (None, "")), number)
    return [{**rest, **one, "conversation_id": f"{name}-{place}"} for place, one in enumerate(rows, start=1)]


def _answers_of_models(row: Row) -> list[Row]:
    """Return the answers of columns that hold an object each, which names its model or is called as one, or that are
    called as a model's ("gpt4_answer"), if several."""
    rows = []
    for name, value in row.items():
        by_name = NAMED.fullmatch(name)
        if by_name and isinstance(value, str) and FAMILY.search(by_name[by_name.lastindex or 0]):
            rows.append({"the_answer": value, "model": by_name[by_name.lastindex or 0]})
        if isinstance(value, dict) and ANSWERS.fullmatch(spelling(name)):
            model = value.get("model")
            if not model and CALLED.match(name):
                model = name
            if model:
                rows.append({**value, "the_answer": value, "model": model})
    if len(rows) < 2:
        return []
    return rows


def _rows_of_columns(lists: dict[str, list]) -> list[Row]:
    """Return the rows of an object that holds a file by columns, those that are as long as the contexts."""
    size = len(lists["contexts"])
    columns = {ours: lists[theirs] for theirs, ours in TABLES["columns_as_rows"].items() if theirs in lists}
    columns = {name: values for name, values in columns.items() if len(values) == size}
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def rows_of_annotators(row: Row) -> list[Row]:
    """Return a row for each annotator who submitted answers to a record of Argilla; others as they are."""
    answers: dict[str, Row] = {}
    columns = set()
    for column, question, response in _responses(row):
        columns.add(column)
        if response.get("status", "submitted") == "submitted":
            value = response["value"]
            name = question
            if isinstance(value, list):
                name = RANKING
                value = _order(value)
            answers.setdefault(str(response["user_id"]), {})[name] = value
    if not columns:
        return [row]
    rest = without(row, columns)
    return [{**rest, "annotator": name, **one} for name, one in answers.items()]


def _responses(row: Row) -> Iterator[tuple[str, str, Row]]:
    """Yield column, question and response: an object with `value` and `user_id`."""
    for column, held in row.items():
        questions: dict[str, Any] = {column: held}
        users = row.get(f"{column}.users")
        if column == "responses" and isinstance(held, dict):
            questions = held
        elif users and isinstance(held, list):
            status = row.get(f"{column}.status") or ["submitted"] * len(users)
            names = ("value", "user_id", "status")
            responses = [dict(zip(names, one, strict=True)) for one in zip(held, users, status, strict=False)]
            questions = {column.removesuffix(".responses"): responses}
        for question, responses in questions.items():
            if is_list_of(responses, dict) and all({"user_id", "value"} <= one.keys() for one in responses):
                yield from ((column, question, one) for one in responses)


def _order(values: list) -> list:
    """Return what was ranked, the best first, those of one rank as a list."""
    if not is_list_of(values, dict):
        return values
    ranks = {}
    for one in values:
        ranks.setdefault(one.get("rank"), []).append(one.get("value"))
    return [ranks[rank] for rank in sorted(ranks, key=lambda rank: rank or 0)]


def rows_of_scores(row: Row) -> list[Row]:
    """Return a row for each place in lists of scores, which have one of each; others as they are.

    Lists of the names of annotators or systems are called as in the table; without one `PLACE` says the place, which
    may be of an annotator, a system or a criterion.
    """
    lists = {name: _numbers(value) for name, value in row.items()}
    scores = {name: values for name, values in lists.items() if len(values) > 1}
    sizes = {len(values) for values in scores.values()}
    if len(sizes) != 1:
        return [row]
    size = sizes.pop()
    lists = dict(scores)
    for name, value in row.items():
        called = TABLES["names_of_lists"].get(spelling(name))
        if called and not isinstance(value, (int, float, str)):
            lists[called] = value if isinstance(value, list) and len(value) == size else [""] * size
    if lists.keys() == scores.keys():
        lists[PLACE] = [*range(1, 1 + size)]
    if spelt_as(row, TABLES["annotator"]) and not {"annotator", PLACE}.isdisjoint(lists):
        return [row]
    return [{**row, **dict(zip(lists, values, strict=True))} for values in zip(*lists.values(), strict=True)]


def _numbers(value: Any) -> list:
    """Return the numbers of a list, which may be a text; none of other values."""
    value = json_within(value)
    if isinstance(value, list) and all(isinstance(one, (int, float)) for one in value):
        return value
    return []
