"""Spans of traces (OpenTelemetry): their attributes, and lists that are written as numbered keys."""

from collections.abc import Iterator
from typing import Any

from parlai_spotbot.importers.chat_shapes import parsed
from parlai_spotbot.importers.dataset_rows import Row, is_list_of

NUMBERS = frozenset(map(str, range(10_000)))
"""Keys of the objects of a list ("0" in "gen_ai.prompt.0.content")."""


def spans_of(row: Row) -> Iterator[Row]:
    """Yield the spans that a row of OTLP holds, or the row; lists in numbered keys, and in those of attributes, are
    lists of objects."""
    scopes = [scope for batch in _objects(row.get("resourceSpans")) for scope in _objects(batch.get("scopeSpans"))]
    spans = [span for scope in scopes for span in _objects(scope.get("spans"))]
    yield from map(_with_lists, spans or [row])


def _objects(value: Any) -> list[Row]:
    """Return the objects of a list; none of anything else."""
    if isinstance(value, list):
        return [one for one in value if isinstance(one, dict)]
    return []


def _with_lists(row: Row) -> Row:
    attributes = row.get("attributes")
    if is_list_of(attributes, dict):  # of OTLP, each a key and its value by type
        attributes = {one.get("key"): _only(one.get("value")) for one in attributes}
    if isinstance(attributes, dict):
        values = {str(name): parsed(value, is_said=True) for name, value in attributes.items()}
        row = {**row, "attributes": _lists_of(values)}
    return _lists_of(row)


def _only(value: Any) -> Any:
    """Return what an object of one value holds ("stringValue"), and anything else as it is."""
    if isinstance(value, dict) and len(value) == 1:
        return next(iter(value.values()))
    return value


def _lists_of(values: Row) -> Row:
    """Return the values with a list of objects for numbered keys, by their numbers."""
    lists: dict[str, dict[int, Row]] = {}
    for name, value in values.items():
        keys = str(name).split(".")
        place = next((place for place in range(1, len(keys) - 1) if keys[place] in NUMBERS), 0)
        if place:
            objects = lists.setdefault(".".join(keys[:place]), {})
            objects.setdefault(int(keys[place]), {})[".".join(keys[place + 1 :])] = value
    if not lists:
        return values
    return values | {name: [objects[number] for number in sorted(objects)] for name, objects in lists.items()}
