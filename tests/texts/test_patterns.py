"""Every regular expression of the product takes time in proportion to the text, whatever the text is.

Nobody lists the patterns: all modules are searched for them, so a new one is tried by itself. Each is tried on
long runs of every kind of character, and on what its own parts would have to read again and again. Growth is measured:
four times the text may take four times the time, not sixteen.
"""

import ast
import importlib
import re
import re._constants as codes
import re._parser as parser
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from parlai_spotbot.texts.phrases import read_phrases
from tests.case_tables import cases

ROOT = Path(__file__).resolve().parents[2]
ROOMS = {
    "parlai_spotbot": "parlai_spotbot",
    "agents": "parlai_spotbot.agents",
    "tasks": "parlai_spotbot.tasks",
    "crowdsourcing": "parlai_spotbot.crowdsourcing",
    "projects": "parlai_spotbot.projects",
}

OWN_TEXT = {
    "parlai_spotbot/plugin.py": "reads modules of this package",
    "parlai_spotbot/report/drawing.py": "reads pictures that were drawn here",
    "parlai_spotbot/analysis/ranking/contrasts.py": "reads an error of its own",
    "crowdsourcing/server/handlers.py": "reads names of files of the page",
    "parlai_spotbot/report/citations.py": "reads the package's own references.bib",
}
"""What sees nobody else's text."""

FUNCTIONS = ("compile", "sub", "subn", "search", "match", "fullmatch", "split", "findall", "finditer")

SIZES = (16, 1_000, 5_000)
"""Short texts first: what goes wrong there would take hours on a long one."""

LONG = 100_000

QUICK = 1.2e-6
"""Seconds for a character, below which nobody looks at growth: reading 5,000 characters again at every place is
12,500,000 steps, several times as slow."""

CHARACTERS = (" ", "\n", "\t", "a", "A", "é", "1", "_", *"<>[](){}'\"`.,:;!?-/\\|@#&+*=~$%^…’", "😀", "中")
PAIRS = ("a ", "a.", "a@", "a-", "a'", "1 ", "1.", "1-", "a/", "/a", ". ", "< ", "' ", '" ', "<a", "-a", "a\n", "A1")


# -- which patterns there are ------------------------------------------------------------------------------------------
def sources() -> Iterator[tuple[str, str, ast.Module]]:
    """Path, name of the module and syntax tree of every module that imports `re`."""
    for folder, package in ROOMS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            name = path.relative_to(ROOT).as_posix()
            if name not in OWN_TEXT and re.search(r"^import re$|^from re import", text, re.MULTILINE):
                tree = ast.parse(text)
                parts = [package, *path.relative_to(ROOT / folder).with_suffix("").parts]
                yield name, ".".join(parts[: -1 if parts[-1] == "__init__" else None]), tree


def compiled(value: object, seen: set[int]) -> Iterator[re.Pattern]:
    """Patterns that `value` is or holds."""
    if isinstance(value, re.Pattern):
        yield value if isinstance(value.pattern, str) else re.compile(value.pattern.decode(), value.flags)
    elif id(value) not in seen and isinstance(value, (tuple, list, set, frozenset, dict, type)):
        seen.add(id(value))
        inner = (
            value.values() if isinstance(value, dict) else vars(value).values() if isinstance(value, type) else value
        )
        for part in list(inner):
            yield from compiled(part, seen)
    elif callable(value) and isinstance(getattr(value, "__self__", None), re.Pattern):
        yield value.__self__


def written_in_functions(tree: ast.Module) -> Iterator[tuple[int, ast.expr]]:
    """Line and pattern of every call of `re` inside a function."""
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            for call in ast.walk(function):
                if (
                    isinstance(call, ast.Call)
                    and isinstance(call.func, ast.Attribute)
                    and isinstance(call.func.value, ast.Name)
                    and call.func.value.id == "re"
                    and call.func.attr in FUNCTIONS
                ):
                    yield call.lineno, call.args[0]


def patterns() -> dict[str, re.Pattern]:
    """Where it stands -> pattern: all of the product."""
    found: dict[str, re.Pattern] = {}
    known = set()
    for path, module, tree in sources():
        for name, value in vars(importlib.import_module(module)).items():
            for number, pattern in enumerate(compiled(value, set())):
                if pattern not in known:
                    known.add(pattern)
                    found[f"{path}:{name}:{number}"] = pattern
        for line, given in written_in_functions(tree):
            if isinstance(given, ast.Constant):
                found[f"{path}:{line}"] = re.compile(given.value)
    for path in sorted((ROOT / "parlai_spotbot").rglob("*.py")):
        if "read_phrases(Path(__file__)" in path.read_text(encoding="utf-8"):
            table = path.with_suffix(".yaml")
            for number, pattern in enumerate(compiled(read_phrases(table), set())):
                if pattern not in known:
                    known.add(pattern)
                    found[f"{table.relative_to(ROOT).as_posix()}:{number}"] = pattern
    return found


# -- what to try them on -----------------------------------------------------------------------------------------------
CATEGORIES = {
    codes.CATEGORY_DIGIT: "1",
    codes.CATEGORY_NOT_DIGIT: "a",
    codes.CATEGORY_SPACE: " ",
    codes.CATEGORY_NOT_SPACE: "a",
    codes.CATEGORY_WORD: "a",
    codes.CATEGORY_NOT_WORD: "-",
}


def of_set(members: list) -> str:
    """A character of a set."""
    if members[0][0] is codes.NEGATE:
        barred = [of_set([member]) for member in members[1:]]
        return next(c for c in "a -.<é" if c not in barred)
    op, value = members[0]
    return chr(value) if op is codes.LITERAL else chr(value[0]) if op is codes.RANGE else CATEGORIES.get(value, "a")


def samples(tree: parser.SubPattern, before: str, repeats: list[tuple[str, str]]) -> str:
    """A text that `tree` (about) matches; what leads to each of its repeats, and what is repeated, go to `repeats`."""
    text = ""
    for op, value in tree:
        here = before + text
        if op is codes.LITERAL:
            text += chr(value)
        elif op is codes.NOT_LITERAL:
            text += "a" if value != ord("a") else "b"
        elif op is codes.ANY:
            text += "a"
        elif op is codes.IN:
            text += of_set(value)
        elif op in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            least, most, inner = value
            body = samples(inner, here, repeats)
            if most > 8:
                repeats.append((here, body))
                repeats.extend((here, of_one) for of_one in of_alternatives(inner))
            text += body * min(max(least, 1), 8)
        elif op is codes.BRANCH:
            text += next(iter([samples(branch, here, repeats) for branch in value[1]]))
        elif op is codes.SUBPATTERN:
            text += samples(value[3], here, repeats)
        elif op is codes.ATOMIC_GROUP:
            text += samples(value, here, repeats)
        elif op is codes.ASSERT and value[0] > 0:
            samples(value[1], here, repeats)
    return text


def of_alternatives(tree: parser.SubPattern) -> Iterator[str]:
    """Other texts that the inside of a repeat matches: every member of a set, every branch."""
    for op, value in tree:
        if op is codes.IN and len(tree) == 1:
            for member in value:
                if member[0] is not codes.NEGATE:
                    yield of_set([member])
        elif op is codes.BRANCH:
            yield from (samples(branch, "", []) for branch in value[1])
        elif op is codes.SUBPATTERN:
            yield from of_alternatives(value[3])


def attacks(pattern: re.Pattern) -> list[tuple[str, str]]:
    """What leads, and what is repeated after it: the pattern's own prefixes, and its own repeats."""
    repeats: list[tuple[str, str]] = []
    whole = samples(parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG), "", repeats)
    prefixes = {whole[:end] for end in range(1, min(len(whole), 24) + 1)}
    found = [("", prefix) for prefix in sorted(prefixes)]
    for lead, body in repeats:
        found += [(lead, body), ("", body), ("", lead + body), ("", body + " ")]
    return [(lead, body) for lead, body in dict.fromkeys(found) if body]


# -- growth ------------------------------------------------------------------------------------------------------------
def seconds(pattern: re.Pattern, text: str) -> float:
    """Processor time of going through `text` once."""
    begun = time.process_time()
    for _ in pattern.finditer(text):
        pass
    return time.process_time() - begun


def grows_faster(pattern: re.Pattern, text: str) -> str:
    """How time grows where it grows faster than the text; "" where it doesn't."""
    if seconds(pattern, text) < QUICK * len(text):
        return ""
    quarter = text[: len(text) // 4] + text[-1]
    times = [(seconds(pattern, quarter), seconds(pattern, text)) for _ in range(5)]
    before, took = min(t for t, _ in times), min(t for _, t in times)
    if took <= max(8 * before, QUICK * len(text)):
        return ""
    return f"{text[:40]!r}, {len(text)}: {before:.6f} s, then {took:.6f} s"


def faults_of(pattern: re.Pattern, sizes: tuple[int, ...]) -> Iterator[str]:
    """What of it grows too fast, worst last: whoever finds something need not go on."""
    tried = dict.fromkeys([("", c) for c in (*CHARACTERS, *PAIRS)] + attacks(pattern))
    for size in sizes:
        for lead, body in tried:
            yield grows_faster(pattern, lead + body * (size // len(body) + 1) + "\0")


ALL = patterns()


@pytest.mark.parametrize("where", ALL)
def test_time_grows_with_the_text(where):
    assert next(filter(None, faults_of(ALL[where], SIZES)), "") == "", ALL[where].pattern


@pytest.mark.slow
@pytest.mark.parametrize("where", ALL)
def test_time_grows_with_a_long_text(where):
    assert next(filter(None, faults_of(ALL[where], (LONG,))), "") == "", ALL[where].pattern


@cases(
    "bad attack",
    r"""
- ['\s+(?=[,.])', ' ']
- ['<\s*[|/]?\s*pad', <]
- ['```\s*(.*?)\s*```$', '```']
- [(a+)+$, a]
- ['[\w.]+@', a]
""",
)
def test_a_pattern_that_reads_its_text_again_is_found(bad, attack):
    assert any(attack in found for found in faults_of(re.compile(bad), SIZES))
