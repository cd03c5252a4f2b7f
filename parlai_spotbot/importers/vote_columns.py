"""Which columns of a file of votes hold the two contestants, who won, and what else is known of a vote."""

import re
from collections.abc import Collection, Mapping, Sequence

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.dataset_rows import REMEDY, named_columns, spelling
from parlai_spotbot.importers.winners import WORDS

TIES = [name for name, outcome in WORDS["one_hot"].items() if outcome == "tie"]
"""Columns that hold 1 where it is a tie."""
HOLDS = {"a": "one of the two contestants", "b": "one of the two contestants", "winner": "who won"}


def columns_of(where: str, head: Sequence[str], columns: Mapping[str, str]) -> dict[str, list[str]]:
    """Return our field -> the file's columns, several for one-hot winners; `columns` ("-" for leave out) goes first.

    Raises
    ------
    UserError
        Names the file and the column that is missing, or the option that names none.
    """
    if not head:
        raise UserError(f"{where}: holds no votes.", REMEDY)
    spelt = {spelling(name): name for name in reversed(head)}
    free = {name for name, theirs in spelt.items() if theirs not in columns.values()}
    sides = [*WORDS["sides"], *_pairs_alike(free), *WORDS["winner_and_loser"]]
    pair = ()
    if {"a", "b"}.isdisjoint(columns):
        pair = next((pair for pair in sides if {*pair} <= spelt.keys()), ())
    names = WORDS["columns"] | dict(zip("ab", ([side] for side in pair), strict=False))
    found = {name: [theirs] for name, theirs in named_columns(columns, names, where, head).items()}
    if "winner" not in found:
        found["winner"] = _winner_columns(pair, spelt)
    elif "winner" not in columns:
        found["winner"] += [spelt[name] for name in TIES if name in spelt]
    _check_found(where, head, found)
    return found


def _check_found(where: str, head: Sequence[str], found: Mapping[str, Sequence[str]]) -> None:
    """Raise `UserError` for columns that are missing, or one that stands for both contestants."""
    missing = [name for name in HOLDS if not found.get(name)]
    if missing:
        holds = "; ".join(f"'{name}', {HOLDS[name]}" for name in missing)
        raise UserError(
            f"{where}: no column is known to hold {holds} (there are {', '.join(head)}).",
            f"Name it: --columns {','.join(f'{name}=THEIR_COLUMN' for name in missing)}.",
        )
    if found["a"] == found["b"]:
        raise UserError(f"{where}: one column, '{found['a'][0]}', for both contestants.", "Name two.")


def _winner_columns(pair: Sequence[str], spelt: Mapping[str, str]) -> list[str]:
    """Return the columns of outcomes, of which one holds 1; where one names the winner, it and those of ties."""
    names = list(WORDS["one_hot"])
    if pair in WORDS["winner_and_loser"]:
        names = [pair[0], *TIES]
    return [spelt[name] for name in names if name in spelt]


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
