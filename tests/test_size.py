"""Rooms and functions of the project don't grow unseen: tests/size_budgets.json holds the size of each.

Size is counted in nodes of syntax trees, without docstrings. A room may exceed its entry by 2 %, a function has at most
400 nodes, and those that had more when the table was made may not grow.

`python tests/test_size.py` prints each room beside its entry. `--raise ROOM --why TEXT` sets the entry of a room, or of
a function (FILE:NAME), to its size today and keeps the reason; `--lower` sets every entry that today's size is below.
"""

import argparse
import ast
import json
import math
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = Path(__file__).with_name("size_budgets.json")
FOLDERS = ("parlai_spotbot", "parlai_internal", "agents", "tasks", "crowdsourcing", "projects", "docs", ".ci", "tests")
SLACK = 1.02
"""How much larger than its entry a room may be."""
LARGEST_FUNCTION = 400


def budgets() -> dict[str, dict]:
    """Return the table: the size of `rooms` in thousands of nodes, of large `functions` in nodes, and `reasons`."""
    return json.loads(TABLE.read_text(encoding="utf-8"))


def nodes(tree: ast.AST) -> int:
    """Count the nodes of a syntax tree, without docstrings (two nodes each)."""
    bodies = [node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list) and node.body]
    values = [body[0].value for body in bodies if isinstance(body[0], ast.Expr)]
    docstrings = [value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str)]
    return sum(1 for _ in ast.walk(tree)) - 2 * len(docstrings)


@cache
def sources() -> dict[str, ast.Module]:
    """Parse every file of Python in the project; the keys are paths from its root."""
    paths = [*ROOT.glob("*.py"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))]
    paths = [path for path in paths if "node_modules" not in path.parts]
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def room(path: str, rooms: dict[str, int]) -> str:
    """Return the longest folder of the table that holds a file, else the file's first folder."""
    folders = [folder.as_posix() for folder in Path(path).parents]
    first = path.split("/")[0] if "/" in path else "."
    return next((folder for folder in folders if folder in rooms), first)


def room_sizes(rooms: dict[str, int]) -> dict[str, float]:
    """Measure each room, all tests and the product (all but the tests), in thousands of nodes."""
    sizes: Counter[str] = Counter()
    for path, tree in sources().items():
        sizes[room(path, rooms)] += nodes(tree)
    sizes["product"] = sizes.total() - sizes["tests"]
    return {name: size / 1000 for name, size in sizes.most_common()}


def functions(node: ast.AST, name: str) -> Iterator[tuple[str, int]]:
    """Yield the name (FILE:CLASS.FUNCTION) and the size of every function in a syntax tree."""
    for child in ast.iter_child_nodes(node):
        child_name = name
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            separator = ":" if isinstance(node, ast.Module) else "."
            child_name = f"{name}{separator}{child.name}"
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child_name, nodes(child)
        yield from functions(child, child_name)


def large_functions() -> dict[str, int]:
    """Measure the functions of more than `LARGEST_FUNCTION` nodes; of namesakes in a file the largest."""
    large: dict[str, int] = {}
    for path, tree in sources().items():
        for name, size in functions(tree, path):
            if size > LARGEST_FUNCTION:
                large[name] = max(size, large.get(name, 0))
    return large


def test_no_room_grows():
    entries = budgets()["rooms"]
    grown = {name: size for name, size in room_sizes(entries).items() if size > SLACK * entries.get(name, 0)}
    assert not grown, (
        f"more than 2 % above tests/size_budgets.json (thousands of nodes): {grown}; remove code, or else: "
        "python tests/test_size.py --raise ROOM --why TEXT"
    )


def test_no_function_is_large():
    entries = budgets()["functions"]
    grown = {name: size for name, size in large_functions().items() if size > entries.get(name, LARGEST_FUNCTION)}
    assert not grown, (
        f"functions of more than {LARGEST_FUNCTION} nodes, or larger than in tests/size_budgets.json: {grown}; split "
        "them, or else (after a renaming): python tests/test_size.py --raise FILE:FUNCTION --why TEXT"
    )


def test_functions_are_found_and_measured():
    tree = ast.parse("class A:\n    def b(self):\n        '''Doc.'''\n        def c(): pass\ndef d(): return 1")
    assert dict(functions(tree, "f.py")) == {"f.py:A.b": 6, "f.py:A.b.c": 3, "f.py:d": 4}


def print_changes() -> None:
    """Print the size of each room, its entry, and how much it differs from it."""
    entries = budgets()["rooms"]
    for name, size in room_sizes(entries).items():
        entry = entries.get(name, math.nan)
        print(f"{name:28}{size:8.1f} k nodes, entry {entry:4} k, {size / entry - 1:+7.1%}")


def raise_entry(name: str, reason: str) -> None:
    """Set the entry of a room or of a function to its size today."""
    table = budgets()
    if ":" in name:
        kind = "functions"
        today = large_functions()
    else:
        kind = "rooms"
        sizes = room_sizes({**table["rooms"], name: 0})
        today = {room_name: math.ceil(size) for room_name, size in sizes.items()}
    if name not in today:
        raise SystemExit(f"{name} is no folder with files of Python, nor a function of over {LARGEST_FUNCTION} nodes")
    table[kind][name] = today[name]
    table["reasons"][name] = reason
    write(table)


def lower_entries() -> None:
    """Set every entry that today's size is below, and remove functions and reasons that it no longer needs."""
    table = budgets()
    sizes = room_sizes(table["rooms"])
    large = large_functions()
    table["rooms"] = {
        name: min(entry, math.ceil(sizes[name])) for name, entry in table["rooms"].items() if name in sizes
    }
    table["functions"] = {name: min(entry, large[name]) for name, entry in table["functions"].items() if name in large}
    kept = table["rooms"] | table["functions"]
    table["reasons"] = {name: reason for name, reason in table["reasons"].items() if name in kept}
    write(table)


def write(table: dict[str, dict]) -> None:
    table["functions"] = dict(sorted(table["functions"].items()))
    TABLE.write_text(json.dumps(table, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--raise", dest="name", metavar="ROOM")
    parser.add_argument("--why", metavar="TEXT")
    parser.add_argument("--lower", action="store_true")
    options = parser.parse_args()
    if options.name and not options.why:
        parser.error("--raise needs --why TEXT")
    if options.name:
        raise_entry(options.name, options.why)
    elif options.lower:
        lower_entries()
    else:
        print_changes()
