"""Which columns of a file of votes hold the two contestants, who won, and what else is known of a vote."""

import re
import shlex
from collections.abc import Collection, Mapping, Sequence

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.dataset_rows import (
    ELSEWHERE,
    REMEDY,
    Dataset,
    Head,
    Names,
    Row,
    flat,
    has_part,
    inner_columns,
    named_columns,
    spelt_as,
    spelt_columns,
    without,
)
from parlai_spotbot.importers.winners import WORDS, named_pair
from parlai_spotbot.wording import listed

TIES = [name for name, outcome in WORDS["one_hot"].items() if outcome == "tie"]
"""Columns that hold 1 where it is a tie."""
KNOWN = WORDS["columns"]
RANKINGS = (
    "Rankings of several in a row: columns rank_1, rank_2, … of names, rank_NAME of numbers (1 is best), or 'ranking' "
    "as A>B=C. Ratings, of a system a row or of several in columns: --format ratings."
)
SIDES = "Where no column names them and one contestant is always first: --names a=NAME,b=NAME"
MAY_WIN = WORDS["may_be_winners"]
SIDE_COLUMNS = "side_"
"""How columns begin that hold what two sides of texts are called, where no column names the contestants."""
LONGEST_NAME = 100
"""Characters of a contestant's name; longer ones are texts that were compared."""
TEXTS = {*WORDS["texts_of_sides"]}
PART = re.compile(r"[\d_]")
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
HOLDS = {"a": "one of the two contestants", "b": "one of the two contestants", "winner": "who won"}


def columns_of(where: str, head: Head, columns: Names) -> dict[str, list[str]]:
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


def _known_names(head: Head, spelt: Names, columns: Names) -> tuple[Sequence[str], dict[str, Sequence[str]]]:
    """Return the columns of winner and loser, () where the file has no such pair, and the names of all fields."""
    outer = spelt_columns(head)
    free = {name: theirs for name, theirs in outer.items() if theirs not in columns.values()}
    pair = _pair(outer, inner_columns(head), free, columns)
    names: dict[str, Sequence[str]] = {**KNOWN, **dict(zip("ab", ([side] for side in pair), strict=False))}
    if pair in WORDS["winner_and_loser"]:
        names["winner"] = [name for name in names["winner"] if name not in WORDS["texts_of_pairs"]]
        return pair, names
    if {*names["winner"], *WORDS["one_hot"]}.isdisjoint(spelt):
        names["winner"] = _winners_by_part(without(free, pair))
        if pair and pair[0].startswith(SIDE_COLUMNS):
            names["winner"] = names["winner"] or WORDS["labels_of_sides"]
    return (), names


def _pair(outer: Names, inner: Names, free: Collection[str], columns: Names) -> Sequence[str]:
    """Return the names of the two columns of contestants, by their spelling; () where there are none."""
    if not {"a", "b"}.isdisjoint(columns):
        return ()
    losers = WORDS["winner_and_loser"]
    sides = [(WORDS["sides"], outer), (WORDS["sides"], inner), (_contestants(free), outer)]
    sides += [(losers, outer), (losers, inner)]
    return next((pair for pairs, names in sides for pair in pairs if {*pair} <= names.keys()), ())


def with_sides(rows: Dataset, columns: Names, names: Names) -> Dataset:
    """Yield rows, with the two sides of what was compared as contestants where no column names them, or one of them;
    `names` may name the sides "a" and "b" (--names)."""
    first = next(rows, None)
    if first is None:
        return
    sides = _sides(flat(first[1]), columns, {side: names[side] for side in "ab" if side in names})
    yield first[0], {**sides, **first[1]}
    if not sides:
        yield from rows
    for where, row in rows:
        yield where, {**sides, **row}


def _sides(row: Row, columns: Names, named: Names) -> dict[str, str]:
    """Return a column of each side that none names, and what it is called: as it is `named`, else as the texts that
    were compared.

    {} where columns of a `row` name contestants, or it isn't known which two texts were compared.
    """
    spelt = spelt_columns(tuple(row))
    one = {"a", "b"} & columns.keys()
    if one:
        return {side: name for side, name in named.items() if side not in one and side not in row}
    names = [name for name, value in row.items() if len(str(value)) <= LONGEST_NAME]
    short = spelt_columns(names)
    if _pair(short, inner_columns(names), short, columns):
        return {}
    texts = [(pair, marks) for pair, marks in _pairs_alike(spelt).items() if {*PART.split(pair[0])} & TEXTS]
    if len(texts) != 1:
        return dict(named) if len(named) == 2 else {}
    [(pair, marks)] = texts
    called = [*named.values()] if len(named) == 2 else [f"side {spelt[name]}" for name in pair]
    return {f"{SIDE_COLUMNS}{mark}": name for mark, name in zip(marks, called, strict=False)}


def _check_counts(where: str, head: Head) -> None:
    """Raise `UserError` for a column that may say how many votes a row is."""
    counts = spelt_as(head, WORDS["may_be_counts"])
    if counts:
        problem = f"{where}: column '{counts[0]}' may say how many votes a row is."
        remedy = f"Write --columns count={counts[0]}; or --columns count=-, where each row is one vote."
        raise UserError(problem, remedy)


def _check_found(where: str, head: Head, found: Mapping[str, Sequence[str]]) -> None:
    """Raise `UserError` for columns that are missing, or one that stands for both contestants."""
    missing = [name for name in HOLDS if not found.get(name)]
    begin = {spelt.split("_")[0] for spelt in spelt_columns(head)}
    if "a" in missing and {*WORDS["always_won"]} <= begin:
        raise UserError(
            f"{where}: no column is known to name who wrote what was chosen and rejected, so nobody can be ranked.",
            "The chosen answers are read as chats by --format messages; where columns name who wrote them: --columns "
            "a=THEIRS,b=THEIRS.",
        )
    if missing:
        holds = "; ".join(f"'{name}', {HOLDS[name]}" for name in missing)
        may_hold = [name for name in head if has_part(name, MAY_WIN)]
        named = dict.fromkeys(missing, "THEIR_COLUMN")
        if "winner" in missing and may_hold:
            named["winner"] = may_hold[0]
        remedy = f"Name it: --columns {shlex.quote(','.join(map('='.join, named.items())))}."
        if "winner" in missing and len(may_hold) > 1:
            remedy = f"{remedy} Of several criteria each is a study: {listed(may_hold)}."
        if "a" in missing:
            winner = "".join(f" --columns {shlex.quote(f'winner={theirs}')}" for theirs in [*named.values()][2:])
            remedy = f"{remedy} {SIDES}{winner}. {ELSEWHERE}."
        elif "b" in missing:
            remedy = f"{remedy} Where it is always one: --names b=NAME."
        raise UserError(
            f"{where}: no column is known to hold {holds} (there are {', '.join(head)}).", f"{remedy} {RANKINGS}"
        )
    if found["a"] == found["b"]:
        raise UserError(f"{where}: one column, '{found['a'][0]}', for both contestants.", "Name two.")


def _winners_by_part(columns: Names) -> list[str]:
    """Return the one name that has a part such as "winner", else that of the best beside the worst, else that of the
    only answer of MTurk's workers, if it may be one; none where there are more."""
    split = {name: CAMEL.sub("_", theirs) for name, theirs in columns.items()}
    fits = [name for name in split if has_part(split[name], WORDS["winners_by_part"])]
    fits = [name for name in fits if not has_part(split[name], WORDS["no_winners"])]
    fits = fits or [name for name in split if name.replace("best", "worst") in {*split} - {name}]
    if not fits:
        answers = [name for name in columns if columns[name].startswith("Answer.")]
        fits = [name for name in answers if len(answers) == 1 and has_part(name, MAY_WIN)]
    return fits * (len(fits) == 1)


def _contestants(names: Collection[str]) -> list[tuple[str, str]]:
    """Return the one pair of names that differ by 1 and 2, a and b, left and right alone; of several the one of names;
    else none."""
    others = {*WORDS["no_contestants"]}
    fits = [pair for pair in _pairs_alike(names) if others.isdisjoint(PART.split(pair[0]))]
    if len(fits) > 1:
        fits = [pair for pair in fits if pair[0].endswith("_name")]
    return fits * (len(fits) == 1)


def _pairs_alike(names: Collection[str]) -> dict[tuple[str, str], list[str]]:
    """Return the pairs of names that differ by two marks alone, without a third, and the marks."""
    pairs = {}
    for marks in WORDS["marks"]:
        for name in names:
            for place in re.finditer(marks[0], name):
                one, *others = (name[: place.start()] + mark + name[place.end() :] for mark in marks)
                if [other in names for other in others] in ([True], [True, False]):
                    pairs[one, others[0]] = marks
    return pairs
