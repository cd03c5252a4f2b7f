"""Where two results differ: file, place in it, old and new.

Floats are equal within a relative 1e-4 (absolute 1e-10), because another processor's linear algebra adds up in another
order, which bootstraps of samples that nearly separate enlarge. Everything else is the same: files, keys and their
order, texts, whole numbers, what is missing. What is drawn by
chance has a seed, so it holds too.
"""

import csv
import difflib
import io
import json
import math
from collections.abc import Iterator
from typing import Any

RELATIVE, ABSOLUTE = 1e-4, 1e-10
OF_VERSIONS = (("made_by", "package"), ("made_by", "version"))
"""The ends of paths in JSON whose values hang on the version of the library."""


def differences(old: dict[str, str], new: dict[str, str]) -> list[str]:
    """All differences of two sets of files, a line or more each."""
    found = [f"{name}: is gone" for name in old if name not in new]
    found += [f"{name}: is new" for name in new if name not in old]
    for name in old:
        if name in new and old[name] != new[name]:
            found += [f"{name}: {said}" for said in _of_file(name, old[name], new[name])]
    return found


def _of_file(name: str, old: str, new: str) -> Iterator[str]:
    if name.endswith(".json"):
        yield from of_json(json.loads(old), json.loads(new))
    elif name.endswith(".csv"):
        yield from of_csv(old, new)
    else:
        lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "old", "new", n=0, lineterm="")
        yield from list(lines)[2:]


def of_json(old: Any, new: Any, path: tuple = ()) -> Iterator[str]:
    """The differences of two values read from JSON."""
    where = ".".join(map(str, path)) or "the whole"
    if path[-2:] in OF_VERSIONS:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        if list(old) != list(new):
            yield f"{where}: keys\n  old {list(old)}\n  new {list(new)}"
        for key in old:
            if key in new:
                yield from of_json(old[key], new[key], (*path, key))
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{where}: length\n  old {len(old)}\n  new {len(new)}"
        for place, pair in enumerate(zip(old, new, strict=False)):
            yield from of_json(*pair, (*path, place))
    elif not same(old, new):
        yield f"{where}\n  old {old!r}\n  new {new!r}"


def same(old: Any, new: Any) -> bool:
    """Whether two plain values are the same, floats nearly."""
    if type(old) is not type(new):
        return False
    if isinstance(old, float):
        return math.isclose(old, new, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return old == new


def of_csv(old: str, new: str) -> Iterator[str]:
    """The differences of two tables: columns, rows, cells."""
    before, after = (list(csv.reader(io.StringIO(text))) for text in (old, new))
    if before[:1] != after[:1]:
        yield f"columns\n  old {before[:1]}\n  new {after[:1]}"
        return
    if len(before) != len(after):
        yield f"rows\n  old {len(before) - 1}\n  new {len(after) - 1}"
    for number, (row, other) in enumerate(zip(before, after, strict=False)):
        for place, (a, b) in enumerate(zip(row, other, strict=False)):
            if a != b and not same(*map(number_of, (a, b))):
                column = before[0][place] if place < len(before[0]) else place
                yield f"row {number}, column {column}\n  old {a}\n  new {b}"
        if len(row) != len(other):
            yield f"row {number}: cells\n  old {len(row)}\n  new {len(other)}"


def number_of(cell: str) -> float | str:
    """A cell as a float where it is written as one; whole numbers stay text."""
    if cell.lstrip("-").isdigit():
        return cell
    try:
        return float(cell)
    except ValueError:
        return cell
