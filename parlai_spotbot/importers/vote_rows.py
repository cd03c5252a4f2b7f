"""A row for each vote, where files hold several in one: rankings, tallies, lists of annotations or games.

Objects within rows become columns ("data.rating"). Files of texts alone, as CSV, pass as they are.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any

from parlai_spotbot.importers.dataset_rows import Dataset, flat, spelling
from parlai_spotbot.importers.vote_ranks import WINNERS, holds_ranks, ranked_votes
from parlai_spotbot.importers.winners import WORDS

GAMES = "games"
"""arena-hard-auto's two games of a row: the baseline is A in the first, B in the second."""


def vote_rows(rows: Dataset) -> Dataset:
    """Yield each row that is a vote, with its place."""
    first = next(rows, None)
    if first is None:
        return
    if all(isinstance(value, str) for value in first[1].values()) and not (
        holds_ranks(first[1]) or _tallies(tuple(first[1]))
    ):
        yield first
        yield from rows
        return
    for where, row in chain([first], rows):
        for vote in _votes(flat(row)):
            for pair in ranked_votes(vote, where):
                yield where, pair


def _votes(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    lists = {name: value for name, value in row.items() if isinstance(value, list)}
    several = [name for name, value in lists.items() if spelling(name) in WORDS["lists_of_votes"] and _objects(value)]
    passed = [name for name in lists if spelling(name) in WORDS["passed_over"]]
    rest = {name: value for name, value in row.items() if name not in several}
    games = lists.get(GAMES)
    tallies = _tallies(tuple(row))
    if tallies:
        yield from ({**row, "winner": outcome, "count": row[name]} for outcome, name in tallies.items())
    elif games and _objects(games) and {"model", "baseline"} <= row.keys():
        sides = [row["baseline"], row["model"]]
        for game in games:
            yield {**rest, "model_a": sides[0], "model_b": sides[1], "winner": game.get("score")}
            sides.reverse()
    elif several:
        for name in several:
            yield from ({**rest, **flat(_alone(one))} for one in row[name])
    elif passed:
        yield from ({**rest, passed[0]: other} for other in row[passed[0]] or [""])
    else:
        yield row


@lru_cache
def _tallies(head: tuple[str, ...]) -> Mapping[str, str]:
    """Return which columns hold how often a pair ended so, by outcome; none where another one holds who won."""
    tallies: dict[str, str] = {}
    for outcome, names in WORDS["tallies"].items():
        columns = [name for name in head if spelling(name) in names]
        if columns:
            tallies[outcome] = columns[0]
    if not {"model_a", "model_b"} <= tallies.keys() or any(spelling(name) in WINNERS for name in head):
        return {}
    return tallies


def _alone(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the one object of a list in place of the list (Label Studio's result of an annotation)."""
    lists = [name for name, value in row.items() if isinstance(value, list) and len(value) == 1 and _objects(value)]
    return {**row, **{name: row[name][0] for name in lists}}


def _objects(values: list) -> bool:
    return all(isinstance(value, dict) for value in values)
