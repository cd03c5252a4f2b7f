"""Analysis is arithmetic: no sentence for readers stands there, findings write them. Sources are read, not imported."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ANALYSIS = Path(__file__).parent.parent / "parlai_spotbot" / "analysis"

CLOSED = 3
"""From so many words on, what ends as a sentence does is one."""

LONG = 8
"""From so many words on, what begins as a sentence does is one."""

NAMES = {"sentence", "sentences"}
"""No entry of a result bears such a name. A verdict is one of four codes (`verdict.probe`), no sentence."""


def strings(node: ast.AST) -> Iterator[tuple[int, str]]:
    """(line, text) of what is no docstring, is not raised or warned of, and is not how a result prints itself."""
    for inner in ast.iter_child_nodes(node):
        text = written(inner)
        if text is not None:
            yield inner.lineno, text
        elif not passed_over(inner):
            yield from strings(inner)


def written(node: ast.AST) -> str | None:
    """The text of a string, with "x" for what is formatted into it."""
    if isinstance(node, ast.JoinedStr):
        return "".join(value.value if isinstance(value, ast.Constant) else "x" for value in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def passed_over(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.FunctionDef) and node.name == "__str__":
        return True
    return isinstance(node, ast.Raise) or (isinstance(node, ast.Call) and ast.unparse(node.func) == "warnings.warn")


def reads_as_sentence(text: str) -> bool:
    words, last = text.split(), text.rstrip(" ”)")
    if len(words) >= CLOSED and last.endswith((".", "!", "?")):
        return True
    return len(words) >= LONG and re.search(r"^[A-Z][a-z]* |\w[.!?] [A-Z]", text) is not None


def found(source: str) -> list[str]:
    """What reads as a sentence, or is named as one, with its line."""
    return [
        f"line {line}: {text!r}"
        for line, text in strings(ast.parse(source))
        if text in NAMES or reads_as_sentence(text)
    ]


@pytest.mark.parametrize("path", sorted(ANALYSIS.rglob("*.py")), ids=lambda path: str(path.relative_to(ANALYSIS)))
def test_no_sentence_is_written_in_analysis(path):
    wrong = found(path.read_text(encoding="utf-8"))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "source",
    [
        'said = "There were no controls."',
        'said = f"{name} is spotted sooner than {other}."',
        'said += f"; with more than {even:.0f} systems annotating every pair takes longer."',
        'said = f"Even of all {last} conversations per pair only {share:.0%} of draws give the same ranking"',
        'result = {"sentence": text}',
        'result["sentence"] = text',
    ],
)
def test_a_sentence_is_found(source):
    assert found(source)


@pytest.mark.parametrize(
    "source",
    [
        '"""A module about sentences."""',
        'LEAST = 3\n"""Fewer contestants make no order to compare."""',
        'raise ValueError("level is 2, expected a number between 0 and 1. No more.")',
        'warnings.warn(f"cox: {names} is left out. Collect more data.", stacklevel=2)',
        'def __str__(self):\n    return "Log-rank test of so many groups, with its p and df"',
        'found = {"why": "too few conversations were judged twice for an interval", "test": "exact"}',
    ],
)
def test_docstrings_errors_and_short_reasons_are_none(source):
    assert not found(source)
