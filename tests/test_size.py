"""No room of the project grows: its syntax-tree nodes, docstrings not counted, stay within tests/size_budgets.json.

`python tests/test_size.py --lower` writes today's sizes into the table where they are smaller.
"""

import ast
import json
import math
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = Path(__file__).with_name("size_budgets.json")
FOLDERS = ("parlai_spotbot", "parlai_internal", "agents", "tasks", "crowdsourcing", "projects", "docs", ".ci", "tests")


def budgets() -> dict[str, float]:
    """Return the greatest size of each room, of the tests and of the product, in thousands of nodes."""
    return json.loads(TABLE.read_text(encoding="utf-8"))


def nodes(tree: ast.Module) -> int:
    """Count the nodes of a syntax tree, without docstrings (two nodes each)."""
    bodies = [node.body for node in ast.walk(tree) if isinstance(getattr(node, "body", None), list) and node.body]
    values = [body[0].value for body in bodies if isinstance(body[0], ast.Expr)]
    docstrings = [value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str)]
    return sum(1 for _ in ast.walk(tree)) - 2 * len(docstrings)


def sizes() -> dict[str, float]:
    """Measure each room (the longest folder of the table that holds a file), rounded up to a tenth of a thousand."""
    found: Counter[str] = Counter()
    rooms = budgets()
    for path in [*ROOT.glob("*.py"), *(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))]:
        folders = [folder.as_posix() for folder in path.relative_to(ROOT).parents]
        if "node_modules" not in path.parts:
            room = next((folder for folder in folders if folder in rooms), folders[-2 if len(folders) > 1 else -1])
            found[room] += nodes(ast.parse(path.read_text(encoding="utf-8")))
    found["product"] = found.total() - found["tests"]
    return {room: math.ceil(count / 100) / 10 for room, count in found.most_common()}


def test_no_room_grows():
    table = budgets()
    grown = {room: size for room, size in sizes().items() if size > table.get(room, 0)}
    assert not grown, f"above tests/size_budgets.json (thousands of nodes): {grown}; remove code instead of adding it"


if __name__ == "__main__" and sys.argv[1:] == ["--lower"]:
    today = sizes()
    smaller = {room: min(size, today[room]) for room, size in budgets().items() if room in today}
    TABLE.write_text(json.dumps(smaller, indent=2) + "\n", encoding="utf-8")
