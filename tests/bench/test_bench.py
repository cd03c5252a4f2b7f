"""Every benchmark still runs: what it imports is there, and the quick ones are measured once at a small size."""

import ast
import importlib
import itertools
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.case_tables import cases

HERE = Path(__file__).parent
OPTIONAL = {"arena_rank", "lifelines", "surpyval"}
"""Peers; a benchmark leaves them out where they are missing."""


def imported_names(path):
    """(module, name) of every import in a file, those in functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)


@pytest.mark.parametrize("path", sorted(HERE.glob("bench_*.py")), ids=lambda path: path.stem)
def test_what_a_benchmark_imports_is_there(path):
    for module, name in imported_names(path):
        if module.partition(".")[0] not in OPTIONAL:
            there = hasattr(importlib.import_module(module), name) or find_spec(f"{module}.{name}")
            assert there, f"{path.name} imports {name} of {module}"
    assert callable(importlib.import_module(f"tests.bench.{path.stem}").run)


@cases(
    "benchmark constants rows",
    """
- [judging, {CONVERSATIONS: 3, LATENCY: 0.01}, 2]
- [metrics, {}, 1]
- [nuc, {QUESTIONS: 4}, 2]
- [packing, {BOTS: 30, PEOPLE: 12, UNITS: 90, EACH: [2, 4]}, 3]
- [ranking, {SIZES: [2, 4, 8], REPLICATES: 20}, 4]
- [report, {BOTS: 5, PER_PAIR: 1, PEOPLE: 4, MANY: 4}, 13]
- [sequential, {STUDIES: 2, BOTS: 3, EACH: 20, LIMITS: {4: 0.02, 8: 0.02}, UNITS: [20, 40]}, 8]
- [start, {RUNS: 1}, 2]
- [survival, {}, 7]
- [votes, {MILLION: 3000, LIMITS: [[4, 1.0, {import: 1.0}]]}, 5]
""",
)
def test_quick_benchmarks_measure(request, monkeypatch, benchmark, constants, rows):
    """The first rows of each, with the constants that make it small."""
    if benchmark == "report":
        tabs = request.getfixturevalue("chromium")
        monkeypatch.setattr("tests.chromium.browser", lambda: nullcontext(tabs))
    module = importlib.import_module(f"tests.bench.bench_{benchmark}")
    for name, value in constants.items():
        monkeypatch.setattr(module, name, value)
    measured = list(itertools.islice(module.run(), rows))
    assert len(measured) == rows
    assert all(row.ours >= 0 and row.peer > 0 for row in measured)
