"""Which module may know which: lower rooms know nothing of higher ones, and no modules know each other in a circle.

Sources are read, never imported, and imports within functions count too.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
import yaml

from tests.case_tables import cases

ROOT = Path(__file__).parent.parent
PACKAGE = "parlai_spotbot"
FOLDERS = {PACKAGE: PACKAGE} | {name: f"{PACKAGE}.{name}" for name in ("tasks", "agents", "crowdsourcing", "projects")}

LEVELS = yaml.safe_load("""
- ['', checksums, compat, errors, files, hints, names, outside, plugin, reading, secrecy]
- [terminal, user_files]
- [records]
- [wording]
- [agents, analysis, in_html, models, tasks.chitchat, texts, zoo]
- [installation, judgement_table, study, study_check, study_plan]
- [domains, importers, selfplay, surveys]
- [sequential]
- [crowdsourcing, judges, nuc]
- [findings, tasks, tasks.nuc]
- [exporters, report]
- [evaluation]
- [notebook, scripts]
- [projects]
""")
"""The rooms, from the lowest up; "" is the package itself, with its version. A task that isn't named is in `tasks`."""

KNOWN_ONLY_BY = {"crowdsourcing": {"scripts", "projects"}, "tasks.nuc": set()}
"""Rooms that not every higher one may know."""

PARLAI = yaml.safe_load("""
[agents, compat, domains, nuc, plugin, projects, scripts, selfplay, tasks, tasks.chitchat, tasks.nuc, zoo]
""")
"""The rooms that know ParlAI: nobody needs it to read, pack, analyse or report a study."""

LONGEST_CHAIN = 15
"""Modules, each imported by the one before when that is imported."""

Edge = tuple[str, str]


@cache
def sources() -> dict[str, Path]:
    """The modules of the product by their names."""
    found = {}
    for folder, package in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT / folder).with_suffix("").parts
            found[".".join([package, *parts]).removesuffix(".__init__")] = path
    return found


@cache
def imports() -> frozenset[Edge]:
    """(who imports, what); of a foreign package its first name. Imports for type hints alone count as any other."""
    return frozenset(
        (module, name)
        for module, path in sources().items()
        for node in statements(ast.parse(path.read_text(encoding="utf-8")))
        for name in _imported(node, module)
        if name != module
    )


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """What is in a module, at any depth."""
    yield node
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for inner in getattr(node, part, ()):
            yield from statements(inner)


def _imported(node: ast.AST, module: str) -> Iterator[str]:
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        assert not node.level, f"{module} imports relatively"
        names = [f"{node.module}.{alias.name}" for alias in node.names]
    else:
        names = []
    for name in names:
        if name.split(".")[0] != PACKAGE:
            yield name.split(".")[0]
        else:
            yield name if name in sources() else name.rpartition(".")[0]


@cache
def room(module: str) -> str:
    """The room of one of our modules: the longest name in `LEVELS` that its own begins with."""
    own = module.removeprefix(PACKAGE).removeprefix(".")
    return own if own in level() else room(f"{PACKAGE}.{own.rpartition('.')[0]}")


@cache
def level() -> dict[str, int]:
    return {name: height for height, names in enumerate(LEVELS) for name in names}


def ours(edge: Edge) -> bool:
    return edge[1] in sources()


def circle(edges: Iterable[Edge]) -> list[str]:
    """One circle of the graph, from a node back to itself; empty where there is none."""
    graph = TopologicalSorter()
    for node, known in edges:
        graph.add(node, known)
    try:
        graph.prepare()
    except CycleError as err:
        return err.args[1][::-1]
    return []


# -- what goes against the rules, each a sentence --------------------------------------------------------------------
def upwards(edges: set[Edge]) -> list[str]:
    """Rooms that know a higher one, one of another's own, or one of their level that knows them."""
    between = {(room(a), room(b)) for a, b in edges if ours((a, b)) and room(a) != room(b)}
    wrong = {(a, b) for a, b in between if level()[a] < level()[b] or a not in KNOWN_ONLY_BY.get(b, {a})}
    found = [f"{a} knows {b}" for a, b in sorted(edges) if ours((a, b)) and (room(a), room(b)) in wrong]
    around = circle(between - wrong)
    return [*found, f"a circle of rooms: {' -> '.join(around)}"] if around else found


def in_circles(edges: set[Edge]) -> list[str]:
    around = circle(filter(ours, edges))
    return [f"a circle of modules: {' -> '.join(around)}"] if around else []


def foreign(edges: set[Edge]) -> list[str]:
    """Foreign packages where they may not be."""
    found = []
    for module, name in sorted(edges):
        own = room(module)
        wrong = {
            "parlai": own not in PARLAI,
            "torch": own == "analysis",
            "mephisto": own != "crowdsourcing",
            "rpy2": module != f"{PACKAGE}.analysis.survival.icenreg",
        }
        if wrong.get(name):
            found.append(f"{module} imports {name}")
    return found


def in_words(edges: set[Edge]) -> list[str]:
    """Arithmetic that knows how numbers are told."""
    words = f"{PACKAGE}.wording"
    return [f"{module} knows wording" for module, name in sorted(edges) if room(module) == "analysis" and name == words]


def at_import(module: str) -> set[str]:
    """Our modules that importing one of ours imports itself: not those in functions or for type checkers."""
    body = ast.parse(sources()[module].read_text(encoding="utf-8")).body
    found = {name for node in body if not isinstance(node, ast.If) for name in _imported(node, module)}
    return (found & sources().keys()) - {module}


@cache
def chain(module: str) -> int:
    """Length of the longest chain of imports that a module begins."""
    return 1 + max(map(chain, at_import(module)), default=0)


def test_chains_of_imports_are_short():
    long = {module: chain(module) for module in sources() if chain(module) > LONGEST_CHAIN}
    assert not long, f"chains of imports longer than {LONGEST_CHAIN} modules: {long}"


ALIKE = {"Study", "DefaultTeacher"}
"""A notebook's study is one, too; ParlAI finds the teacher of each task by this name."""


def test_each_class_has_a_name_of_its_own():
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sources().values()]
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert {name for name, count in names.items() if count > 1} == ALIKE


RULES = (upwards, in_circles, foreign, in_words)


@pytest.mark.parametrize("rule", RULES)
def test_nothing_goes_against_the_arrows(rule):
    found = rule(imports())
    assert not found, "\n".join(found)


# -- the rules find what they are for --------------------------------------------------------------------------------
@cases(
    "rule more",
    """
- [upwards, [[records, study]]]
- [upwards, [[analysis.time, surveys.survey]]]
- [upwards, [[study, tasks.nuc.agents]]]
- [upwards, [[report.page, crowdsourcing.ledger]]]
- [upwards, [[selfplay.plan, surveys.survey], [surveys.survey, selfplay.plan]]]
- [in_circles, [[analysis.time, analysis.values], [analysis.values, analysis.time]]]
- [in_words, [[analysis.time, wording]]]
""",
)
def test_an_arrow_upwards_and_a_circle_are_found(rule, more):
    assert globals()[rule]({(f"{PACKAGE}.{a}", f"{PACKAGE}.{b}") for a, b in more})


@cases(
    "module name",
    """
- [surveys.survey, parlai]
- [analysis.time, torch]
- [judges.run, mephisto]
- [analysis.time, rpy2]
""",
)
def test_a_foreign_package_is_found(module, name):
    assert foreign({(f"{PACKAGE}.{module}", name)}) == [f"{PACKAGE}.{module} imports {name}"]
