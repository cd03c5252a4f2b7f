"""Which columns of a file of votes hold the two contestants, who won, and what else is known of a vote."""

import re
import shlex
from collections.abc import Collection, Mapping, Sequence

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.dataset_rows import REMEDY, Names, inner_columns, named_columns, spelling, spelt_columns
from parlai_spotbot.importers.winners import WORDS, named_pair

TIES = [name for name, outcome in WORDS["one_hot"].items() if outcome == "tie"]
"""Columns that hold 1 where it is a tie."""
KNOWN = WORDS["columns"]
RANKINGS = (
    "Rankings of several in a row: columns rank_1, rank_2, … of names, rank_NAME of numbers (1 is best), or 'ranking' "
    "as A>B=C."
)
SIDES = "Where no column names them and one contestant is always first: --names a=NAME,b=NAME"
HOLDS = {"a": "one of the two contestants", "b": "one of the two contestants", "winner": "who won"}


def columns_of(where: str, head: Sequence[str], columns: Names) -> dict[str, list[str]]:
    """Return our field -> the file's columns, several for one-hot winners; `columns` ("-" for leave out) goes first.

    Raises
    ------
    UserError
        Names the file and the column that is missing, or the option that names none.
    """
    if not head:
        raise UserError(f"{where}: holds no votes.", REMEDY)
    spelt = inner_columns(head) | spelt_columns(head)
    pair, names = _known_names(head, spelt, columns)
    columns_by_field = {name: [theirs] for name, theirs in named_columns(columns, names, where, head).items()}
    if "winner" not in columns_by_field:
        outcomes = WORDS["one_hot"]
        if pair:
            outcomes = [pair[0], *TIES]
        columns_by_field["winner"] = [spelt[name] for name in outcomes if name in spelt] or named_pair("scores", spelt)
    elif "winner" not in columns:
        columns_by_field["winner"] += [spelt[name] for name in TIES if name in spelt]
    _check_found(where, head, columns_by_field)
    if "count" not in {*columns_by_field, *columns}:
        _check_counts(where, head)
    return columns_by_field


def _known_names(head: Sequence[str], spelt: Names, columns: Names) -> tuple[Sequence[str], dict[str, Sequence[str]]]:
    """Return the columns of winner and loser, () where the file has no such pair, and the names of all fields."""
    outer = spelt_columns(head)
    inner = inner_columns(head)
    losers = WORDS["winner_and_loser"]
    free = {name for name, theirs in outer.items() if theirs not in columns.values()}
    pair: Sequence[str] = ()
    if {"a", "b"}.isdisjoint(columns):
        sides = [(WORDS["sides"], outer), (WORDS["sides"], inner), (_pairs_alike(free), outer)]
        sides += [(losers, outer), (losers, inner)]
        pair = next((pair for pairs, names in sides for pair in pairs if {*pair} <= names.keys()), ())
    names: dict[str, Sequence[str]] = {**KNOWN, **dict(zip("ab", ([side] for side in pair), strict=False))}
    if pair in losers:
        names["winner"] = [name for name in names["winner"] if name not in WORDS["texts_of_pairs"]]
        return pair, names
    if {*names["winner"], *WORDS["one_hot"]}.isdisjoint(spelt):
        names["winner"] = _winners_by_part(free - {*pair})
    return (), names


def _check_counts(where: str, head: Sequence[str]) -> None:
    """Raise `UserError` for a column that may say how many votes a row is."""
    counts = [name for name in head if spelling(name) in WORDS["may_be_counts"]]
    if counts:
        problem = f"{where}: column '{counts[0]}' may say how many votes a row is."
        remedy = f"Write --columns count={counts[0]}; or --columns count=-, where each row is one vote."
        raise UserError(problem, remedy)


def _check_found(where: str, head: Sequence[str], found: Mapping[str, Sequence[str]]) -> None:
    """Raise `UserError` for columns that are missing, or one that stands for both contestants."""
    missing = [name for name in HOLDS if not found.get(name)]
    if missing:
        holds = "; ".join(f"'{name}', {HOLDS[name]}" for name in missing)
        may_hold = [name for name in head if not {*WORDS["may_be_winners"]}.isdisjoint(spelling(name).split("_"))]
        named = dict.fromkeys(missing, "THEIR_COLUMN")
        if "winner" in missing and may_hold:
            named["winner"] = may_hold[0]
        remedy = f"Name it: --columns {shlex.quote(','.join(map('='.join, named.items())))}."
        if "a" in missing:
            winner = "".join(f" --columns {shlex.quote(f'winner={theirs}')}" for theirs in [*named.values()][2:])
            remedy = f"{remedy} {SIDES}{winner}."
        raise UserError(
            f"{where}: no column is known to hold {holds} (there are {', '.join(head)}).", f"{remedy} {RANKINGS}"
        )
    if found["a"] == found["b"]:
        raise UserError(f"{where}: one column, '{found['a'][0]}', for both contestants.", "Name two.")


def has_sides(head: Sequence[str], columns: Names) -> bool:
    """Return True if columns name the two contestants."""
    spelt = spelt_columns(head)
    return bool({"a", "b"} & columns.keys() or named_pair("sides", spelt) or named_pair("winner_and_loser", spelt))


def _winners_by_part(names: Collection[str]) -> list[str]:
    """Return the one name that has a part such as "winner"; none where there are more."""
    parts, others = {*WORDS["winners_by_part"]}, {*WORDS["no_winners"]}
    fits = [name for name in names if not parts.isdisjoint(name.split("_")) and others.isdisjoint(name.split("_"))]
    return fits * (len(fits) == 1)


def _pairs_alike(names: Collection[str]) -> list[tuple[str, str]]:
    """Return the one pair of names that differ by 1 and 2, a and b, left and right alone; none where there are more."""
    pairs = {
        (name, name[: place.start()] + two + name[place.end() :])
        for one, two in WORDS["marks"]
        for name in names
        for place in re.finditer(one, name)
    }
    others = {*WORDS["no_contestants"]}
    fits = [pair for pair in pairs if pair[1] in names and others.isdisjoint(re.split(r"[\d_]", pair[0]))]
    if len(fits) > 1:
        return []
    return fits
