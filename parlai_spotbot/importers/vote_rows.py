"""A row for each vote, where files hold several in one: rankings, tallies, lists of annotations or games.

Objects within rows become columns ("data.rating"). Files of texts alone, as CSV, pass as they are.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from parlai_spotbot.importers.dataset_rows import (
    Dataset,
    Names,
    Row,
    entries,
    flat,
    is_list_of,
    spelling,
    spelt_as,
    spelt_columns,
    without,
)
from parlai_spotbot.importers.several_in_a_row import rows_of_annotators
from parlai_spotbot.importers.survey_tools import OBJECT, opened
from parlai_spotbot.importers.vote_ranks import RANKS, UNORDERED, WINNERS, holds_ranks, ranked_votes
from parlai_spotbot.importers.winners import WORDS, named_pair

OF_A_VOTE = {
    *WINNERS,
    *chain(*WORDS["sides"], *WORDS["winner_and_loser"], WORDS["passed_over"], RANKS["one_contestant"]),
}
"""Columns of which a vote has some."""
SEVERAL = re.compile(WORDS["several_winners"])
GAMES = "games"
"""arena-hard-auto's two games of a row: the baseline is A in the first, B in the second."""


def vote_rows(rows: Dataset) -> Dataset:
    """Yield each row that is a vote, with its place."""
    first = next(rows, None)
    if first is None:
        return
    second = next(rows, None)
    if second is None and rows_of_annotators(first[1]) == [first[1]]:
        names = {spelling(name.rpartition(".")[2]) for name in flat(first[1])}
        within = entries([first])
        named = [first] != within and all(isinstance(value, dict) for value in first[1].values())
        if within != [first] and (named or (names.isdisjoint(OF_A_VOTE) and not holds_ranks(first[1]))):
            yield from vote_rows(iter(within))
            return
    rows = chain([second] if second else [], rows)
    if is_vote(first[1]):
        yield first
        yield from rows
        return
    for where, row in chain([first], rows):
        for one in rows_of_annotators(opened(row)):
            for vote in _votes(_flat(one)):
                for pair in ranked_votes(vote, where):
                    yield where, pair


def is_vote(row: Row) -> bool:
    """Return True if a row of texts is one vote as it is, and so are others with its columns."""
    head = tuple(row)
    alone = not (holds_ranks(row) or _tallies(head) or _winners(head))
    return alone and all(isinstance(value, str) and not OBJECT.match(value) for value in row.values())


def _flat(row: Row) -> Row:
    """Return a row with objects as columns, and an annotator of several names (a judge and its prompt) as one."""
    row = flat(row)
    several = [name for name, value in row.items() if value and is_list_of(value, str)]
    return {**row, **{name: " ".join(row[name]) for name in spelt_as(several, WORDS["columns"]["annotator"])}}


def _votes(row: Row) -> Iterator[Row]:
    """Yield a row for each vote that a row holds."""
    winners = _winners(tuple(row))
    if winners:
        yield from _each_winner(row, *winners)
        return
    tallies = _tallies(tuple(row))
    lists = {name: value for name, value in row.items() if isinstance(value, list)}
    several = [name for name, values in lists.items() if is_list_of(values, dict) and _are_votes(name, values)]
    passed = spelt_as(lists, WORDS["passed_over"])
    rest = without(row, [*several, *tallies])
    games = row.get(GAMES)
    if tallies:
        rest[UNORDERED] = ""
        yield from ({**rest, "winner": outcome, "count": row[name]} for name, outcome in tallies.items())
    elif games and is_list_of(games, dict) and {"model", "baseline"} <= row.keys():
        sides = [row["baseline"], row["model"]]
        for game in games:
            yield {**rest, "model_a": sides[0], "model_b": sides[1], "winner": game.get("score")}
            sides.reverse()
    elif several:
        for name in several:
            # of two decisions the second may be of a game with the sides changed (JudgeBench)
            of_games = len(row[name]) == 2 and "decision" in row[name][1]
            for place, one in enumerate(row[name]):
                vote = {**rest, **flat(_alone(one))}
                if of_games:
                    vote["swapped"] = str(place)
                yield vote
    elif passed:
        yield from ({**rest, passed[0]: other} for other in row[passed[0]] or [""])
    else:
        yield row


def _are_votes(column: str, values: list[Row]) -> bool:
    """Return True for a list that is called as one of votes, or whose objects say who won."""
    listed = spelling(column) in WORDS["lists_of_votes"]
    return listed or (bool(values) and not WINNERS.isdisjoint(map(spelling, values[0])))


@lru_cache
def _tallies(head: tuple[str, ...]) -> Names:
    """Return the outcome of columns that hold how often a pair ended so; none where another one holds who won."""
    spelt = spelt_columns(head)
    tallies = {spelt[name]: outcome for outcome, names in WORDS["tallies"].items() for name in names if name in spelt}
    others = {name for name, column in spelt.items() if column not in tallies}
    if {"model_a", "model_b"} <= {*tallies.values()} and WINNERS.isdisjoint(others):
        return tallies
    return {}


@lru_cache
def _winners(head: tuple[str, ...]) -> tuple[list[str], list[str], bool | None] | None:
    """Return the columns of the two contestants and of several winners, of which the second is of a game with the sides
    changed unless the last is None: True where its word is a side as shown."""
    spelt = spelt_columns(head)
    sides = named_pair("sides", spelt)
    if not sides:
        return None
    for first, second, shown in WORDS["games"]:
        if {first, second} <= spelt.keys():
            return sides, [spelt[first], spelt[second]], shown
    several = [name for name in head if SEVERAL.fullmatch(spelling(name)) and name not in sides]
    if len(several) < 2 or not WINNERS.isdisjoint(spelt):
        return None
    return sides, several, None


def _each_winner(row: Row, sides: list[str], winners: list[str], shown: bool | None) -> Iterator[Row]:
    """Yield a vote for each column of a winner; its name is the annotator where the row names none."""
    rest = without(row, winners)
    if shown is None:
        yield from ({"annotator": name, **rest, "winner": row[name]} for name in winners)
        return
    words = [row[name] for name in winners]
    if not shown:
        words = [row.get(str(word), word) for word in words]
    yield {**rest, "winner": words[0]}
    yield {**rest, sides[0]: row[sides[1]], sides[1]: row[sides[0]], "winner": words[1]}


def _alone(row: Row) -> Row:
    """Return a row with the one object of a list in place of the list (Label Studio's result of an annotation)."""
    lists = [name for name, value in row.items() if is_list_of(value, dict) and len(value) == 1]
    return {**row, **{name: row[name][0] for name in lists}}
