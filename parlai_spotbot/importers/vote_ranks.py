"""Rankings in a row of votes: one vote for each two contestants, all of one cluster.

A ranking stands in columns by place ("rank_1" holds a name) or by contestant ("rank_gpt" holds a number, 1 is best), or
in one column, as a list from the best down or as "A>B=C". Of three contestants in columns one may be the winner.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import combinations
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.dataset_rows import Names, Row, is_list_of, json_within, plain_text, spelling, spelt_as
from parlai_spotbot.importers.numbers import AmbiguousNumber, number, readings
from parlai_spotbot.importers.winners import WORDS

RANKS = WORDS["ranks"]
PLACE, CONTESTANT, SIDE, INNER_SIDE = (
    re.compile(RANKS[kind], re.IGNORECASE) for kind in ("place", "contestant", "side", "inner_side")
)
NESTED = re.compile(r"\.(?!\d)")
"""Where the name of an object's column goes on with that of an inner one."""
ORDINAL = re.compile(r"\A(\d+)(?:st|nd|rd|th|\.)\Z", re.IGNORECASE)
ANSWER = re.compile(
    r"(?:(?:response|answer|output|option)[ _-]*)?(\d+)|(?:response|answer|output|option)[ _-]+(\w)", re.IGNORECASE
)
"""How a ranking names a response by its place, which is no name of a contestant."""
UNORDERED = "shown_in_unknown_order"
"""A column of rows whose contestants don't stand in the order in which they were shown."""
UNRANKED = "without_a_rank"
"""The column that holds, in the first row of a ranking, how many contestants it doesn't rank."""
CLUSTER = "ranked_row"
"""The column that holds the place of a ranking in its file; it names the prompt where no other column does."""
WINNERS = {*WORDS["columns"]["winner"], *WORDS["one_hot"]}

Pairs = list[tuple[str, str, str]]
Reader = Callable[[Row, str], Pairs | None]
Ranks = list[tuple[str, float]]
"""Contestants and their ranks, 1 for the best."""


def holds_ranks(row: Row) -> bool:
    """Return True if a row may be a ranking, to judge by its columns."""
    return _reader_of(tuple(row)) is not None


def ranked_votes(row: Row, where: str) -> Iterator[Row]:
    """Yield a vote for each two contestants that a row ranks; the row as it is where it ranks none."""
    reader = _reader_of(tuple(row))
    pairs = None
    if reader is not None:
        pairs = reader(row, where)
    if pairs is None:
        yield row
        return
    if not pairs:
        yield {**row, "model_a": "", "model_b": "", "winner": ""}
    cluster: Row = {UNORDERED: "", CLUSTER: f"{CLUSTER}_{where.rpartition(' ')[2]}"}
    prompts = spelt_as(row, WORDS["columns"]["prompt"])
    if prompts and not any(plain_text(row[name]) for name in prompts):
        cluster[prompts[0]] = cluster[CLUSTER]
    for a, b, winner in pairs:
        yield {**row, **cluster, "model_a": a, "model_b": b, "winner": winner}
        cluster[UNRANKED] = 0


@lru_cache
def _reader_of(head: tuple[str, ...]) -> Reader | None:
    """Return what reads the pairs of a ranking from a row with these columns; None where they hold none."""
    sides = {match["side"].lower(): name for name in head if (match := SIDE.fullmatch(spelling(name)))}
    sides = sides or {match[1].lower(): name for name in head if (match := INNER_SIDE.search(spelling(name)))}
    winners = spelt_as(head, WINNERS)
    if len(sides) > 2 and len(winners) == 1:
        return partial(_chosen, sides=sides, winner=winners[0])
    if winners or spelt_as(head, RANKS["one_contestant"]):
        return None
    return _ranking_reader(head, sides)


def _ranking_reader(head: tuple[str, ...], sides: Names) -> Reader | None:
    """Return what reads the pairs of columns by contestant or place, or of one column."""
    outer = [name for name in head if len(NESTED.findall(name)) < 2]
    by_name = {next(filter(None, match.groups())): name for name in outer if (match := CONTESTANT.fullmatch(name))}
    if len(by_name) > 1 and {*map(str.lower, by_name)} <= sides.keys():
        return partial(_by_rank, columns=by_name, sides=sides)
    places = {int(match[1] or match[2]): name for name in head if (match := PLACE.fullmatch(spelling(name)))}
    if len(places) > 1 and sorted(places) == [*range(1, len(places) + 1)]:
        return partial(_by_place, columns=[places[place] for place in sorted(places)])
    if len(by_name) > 1:
        return partial(_by_rank, columns=by_name)
    whole = spelt_as(head, RANKS["whole"] + RANKS["objects"])
    if whole:
        return partial(_whole, column=whole[0], sides=sides)
    return None


def _pairs(ranks: Ranks) -> Pairs:
    """Return a pair for each two contestants, in the order of their names, and who won."""
    pairs = []
    for (one, rank), (other, other_rank) in combinations(sorted(ranks), 2):
        winner = "tie"
        if rank < other_rank:
            winner = "model_a"
        elif rank > other_rank:
            winner = "model_b"
        pairs.append((one, other, winner))
    return pairs


def _by_place(row: Row, _where: str, columns: list[str]) -> Pairs | None:
    """Return the pairs of contestants by place; None where numbers stand there, which may be ranks or places."""
    names = [str(row[name]).strip() for name in columns if plain_text(row[name])]
    if any(map(readings, names)):
        return None
    return _pairs([(name, rank) for rank, name in enumerate(names)])


def _by_rank(row: Row, where: str, columns: Names, sides: Names | None = None) -> Pairs:
    """Return the pairs of contestants with ranks; those without one are counted in the row.

    `columns` are by contestant, or by side where `sides` are the columns of contestants.
    """
    ranks: Ranks = []
    for contestant, name in columns.items():
        if sides:
            contestant = str(row[sides[contestant.lower()]])
        text = plain_text(row[name])
        if not text:
            row[UNRANKED] = row.get(UNRANKED, 0) + 1
            continue
        try:
            ranks.append((contestant, number(ORDINAL.sub(r"\1", text))))
        except (ValueError, AmbiguousNumber):
            problem = f"{where}: field '{name}' is {text!r}, expected a rank, 1 for the best."
            raise UserError(problem, "Correct it, or remove the row.") from None
    return _pairs(ranks)


def _whole(row: Row, where: str, column: str, sides: Names) -> Pairs | None:
    """Return the pairs of a list or "A>B=C"; None where it is neither."""
    value: Any = json_within(row[column])
    if isinstance(value, str) and ">" in value:
        value = [re.split("[=~]", group) for group in re.split(">+", value)]
    if is_list_of(value, dict) and value and all("rank" in one for one in value):
        value = {_first(one, RANKS["one_contestant"]): one["rank"] for one in value}
    if isinstance(value, dict):
        return _by_rank(value, where, {name: name for name in value})
    if not isinstance(value, list) or len(value) < 2 or spelling(column) in RANKS["objects"]:
        return None
    groups = [group if isinstance(group, list) else [group] for group in value]
    ranks: Ranks = [(_named(name, row, sides), rank) for rank, group in enumerate(groups) for name in group]
    if any(ANSWER.fullmatch(name) for name, _ in ranks):
        return None
    return _pairs(ranks)


def _first(values: Row, names: list[str]) -> str:
    return next((str(values[name]) for name in names if values.get(name)), "")


def _named(name: Any, row: Row, sides: Names) -> str:
    """Return a contestant of a ranking by its name: of a side, what its column holds."""
    text = str(name).strip()
    for pattern in (SIDE, ANSWER):
        match = pattern.fullmatch(spelling(text))
        if match and match[match.lastindex or 0] in sides:
            return str(row[sides[match[match.lastindex or 0]]])
    return text


def _chosen(row: Row, _where: str, sides: Names, winner: str) -> Pairs | None:
    """Return the winner of three or more beside each other one; of others, ties and their like, each two."""
    names = {side: str(row[column]).strip() for side, column in sides.items() if plain_text(row[column])}
    word = plain_text(row[winner])
    best = word
    if word not in names.values():
        best = _named(word, row, sides)
    if best in names.values():
        return [pair for other in names.values() if other != best for pair in _pairs([(best, 1), (other, 2)])]
    return [(one, other, word) for one, other in combinations(sorted(names.values()), 2)]
