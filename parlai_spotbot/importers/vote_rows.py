"""A row for each vote, where files hold several in one: lists of annotations or games, of those who were passed over.

Objects within rows become columns ("data.rating"). Files of texts alone, as CSV, pass as they are.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from parlai_spotbot.importers.dataset_rows import Dataset, flat, spelling
from parlai_spotbot.importers.winners import WORDS

GAMES = "games"
"""arena-hard-auto's two games of a row: the baseline is A in the first, B in the second."""


def vote_rows(rows: Dataset) -> Dataset:
    """Yield each row that is a vote, with its place."""
    first = next(rows, None)
    if first is None:
        return
    if all(isinstance(value, str) for value in first[1].values()):
        yield first
        yield from rows
        return
    for where, row in chain([first], rows):
        for vote in _votes(flat(row)):
            yield where, vote


def _votes(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    lists = {name: value for name, value in row.items() if isinstance(value, list)}
    several = [name for name, value in lists.items() if spelling(name) in WORDS["lists_of_votes"] and _objects(value)]
    passed = [name for name in lists if spelling(name) in WORDS["passed_over"]]
    rest = {name: value for name, value in row.items() if name not in several}
    games = lists.get(GAMES)
    if games and _objects(games) and {"model", "baseline"} <= row.keys():
        sides = [row["baseline"], row["model"]]
        for game in games:
            yield {**rest, "model_a": sides[0], "model_b": sides[1], "winner": game.get("score")}
            sides.reverse()
    elif several:
        for name in several:
            yield from ({**rest, **flat(one)} for one in row[name])
    elif passed:
        yield from ({**rest, passed[0]: other} for other in row[passed[0]] or [""])
    else:
        yield row


def _objects(values: list) -> bool:
    return all(isinstance(value, dict) for value in values)
