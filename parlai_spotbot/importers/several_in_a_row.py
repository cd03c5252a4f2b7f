"""Rows that hold several answers (USR, DSTC10, HC3) or the answers of several annotators (Argilla, lists of scores).

Each becomes rows of one answer, or of one annotator; which columns hold them stands in ``several_in_a_row.yaml``.
"""

from collections.abc import Iterator
from typing import Any

from parlai_spotbot.importers.dataset_rows import Row, is_list_of, spelling
from parlai_spotbot.reading import Malformed, own_data, parse_json

TABLES = own_data(__file__)
RANKING = "ranking"
"""The column of a question whose answer is an order."""


def rows_of_answers(row: Row, number: str) -> list[Row]:
    """Return a row for each answer that a row holds, with its model and an id; none where it holds at most one.

    `number` is the row's place in the file, of which ids are made where the row has none.
    """
    rows = _columns_as_rows(row) or _answers_with_models(row) or _answers_by_column(row)
    name = next((row[key] for key in TABLES["ids"] if row.get(key) not in (None, "")), number)
    return [{**one, "conversation_id": f"{name}-{place}"} for place, one in enumerate(rows, start=1)]


def _columns_as_rows(row: Row) -> list[Row]:
    """Return the rows of an object that holds a file by columns."""
    columns = {TABLES["columns_as_rows"].get(name): values for name, values in row.items() if isinstance(values, list)}
    columns.pop(None, None)
    sizes = {len(values) for values in columns.values()}
    if len(sizes) != 1 or not {"context", "response"} <= columns.keys():
        return []
    return [{name: values[place] for name, values in columns.items()} for place in range(sizes.pop())]


def _answers_with_models(row: Row) -> list[Row]:
    """Return a row for each object of a list of answers that name their models."""
    for name in TABLES["lists_of_answers"]:
        answers = row.get(name)
        if answers and is_list_of(answers, dict) and all(one.get("model") for one in answers):
            rest = {key: value for key, value in row.items() if key != name}
            if "fact" in row and isinstance(row.get("context"), str):  # USR's, a turn a line
                rest["context"] = row["context"].strip().splitlines()
            return [{**rest, **one} for one in answers]
    return []


def _answers_by_column(row: Row) -> list[Row]:
    """Return a row for each answer in the columns of two who answer."""
    answerers = {name: who for name, who in TABLES["answerers"].items() if isinstance(row.get(name), list)}
    if len(answerers) < 2:
        return []
    rest = {name: value for name, value in row.items() if name not in answerers}
    return [{**rest, "answer": text, "model": who} for name, who in answerers.items() for text in row[name]]


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
    rest = {name: value for name, value in row.items() if name not in columns}
    return [{**rest, "annotator": name, **one} for name, one in answers.items()]


def _responses(row: Row) -> Iterator[tuple[str, str, Row]]:
    """Yield column, question and response: an object with `value` and `user_id`."""
    for column, held in row.items():
        questions = {column: held}
        if column == "responses" and isinstance(held, dict):
            questions = held
        elif column.endswith(".responses") and isinstance(row.get(f"{column}.users"), list):
            users = row[f"{column}.users"]
            given = row.get(f"{column}.status") or ["submitted"] * len(users)
            responses = zip(held or [], users, given, strict=False)
            questions = {
                column.removesuffix(".responses"): [
                    {"value": value, "user_id": user, "status": status} for value, user, status in responses
                ]
            }
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
    """Return a row for each annotator of lists of scores, which have one of each; others as they are.

    Lists of annotators' names are called as in the table; else an annotator is the place in the lists.
    """
    if any(spelling(name) in TABLES["annotator"] for name in row):
        return [row]
    lists = {name: _numbers(value) for name, value in row.items()}
    scores = {name: values for name, values in lists.items() if len(values) > 1}
    sizes = {len(values) for values in scores.values()}
    if len(sizes) != 1:
        return [row]
    size = sizes.pop()
    named = [row[name] for name in row if spelling(name) in TABLES["annotators"] and isinstance(row[name], list)]
    annotators = [names for names in named if len(names) == size] or [[f"annotator {n + 1}" for n in range(size)]]
    return [
        {**row, "annotator": annotator, **{name: values[place] for name, values in scores.items()}}
        for place, annotator in enumerate(annotators[0])
    ]


def _numbers(value: Any) -> list:
    """Return the numbers of a list, which may be a text; none of other values."""
    if isinstance(value, str) and value[:1] == "[":
        try:
            value = parse_json(value)
        except Malformed:
            return []
    if isinstance(value, list) and all(isinstance(one, (int, float)) for one in value):
        return value
    return []
