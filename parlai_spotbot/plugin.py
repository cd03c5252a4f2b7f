"""One registry: what a module declares (a SURVEY, a JUDGE, a FORMAT, a COMMAND, …) is found by the module's name.

A plug-in is a module or package of a room that binds the name of its kind at top level. Listing reads sources and
imports nothing, so it is quick whatever the modules need. Installed packages add theirs by entry points (`GROUPS`), and
so do the projects, which no room knows.
What ParlAI finds of ours (``-t spotbot:TASK``, ``-m spotbot:AGENT``, ``-mf zoo:spotbot/MODEL/model``) it finds by its
own rules, once `register` has told it where.
"""

import importlib
import pkgutil
import re
import sys
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import wrapt

from parlai_spotbot.errors import UserError, nearest

KINDS = {
    "SURVEY": "unknown survey",
    "JUDGE": "no such judge",
    "FORMAT": "not known",
    "EXPORT": "not known",
    "FINDING": "no such finding",
    "PACKING": "no such kind of packing",
    "KINDS": "no such kind of control",
    "PLATFORM": "unknown platform",
}
"""The kinds of plug-in, and the message for an unknown name."""

GROUPS = {
    "SURVEY": "parlai_spotbot.surveys",
    "JUDGE": "parlai_spotbot.judges",
    "FORMAT": "parlai_spotbot.formats",
    "EXPORT": "parlai_spotbot.exports",
    "FINDING": "parlai_spotbot.findings",
    "PLATFORM": "parlai_spotbot.platforms",
}
"""The group of entry points of each kind; a finding's entry is called FOLDER.NAME."""

SOURCE = "install parlai_spotbot"


def names(package: str, kind: str) -> list[str]:
    """The names of the modules of `package`, and of entry points for it, that declare a `kind`, sorted."""
    return sorted({*_names(package, kind), *_outside(package, kind)})


@cache
def _names(package: str, kind: str) -> tuple[str, ...]:
    declared = re.compile(rf"^{kind}\b\s*[:=]", re.MULTILINE)
    modules = pkgutil.iter_modules(importlib.import_module(package).__path__)
    return tuple(sorted(module.name for module in modules if declared.search(_source(package, module))))


@cache
def _outside(package: str, kind: str) -> dict[str, EntryPoint]:
    """Return the entry points of this kind for `package`, by name; the projects' go before other packages'."""
    values = {}
    if kind not in GROUPS:  # commands are listed at every start
        return values
    for point in sorted(entry_points(group=GROUPS[kind]), key=lambda point: point.value.startswith("parlai_spotbot.")):
        folder, _, name = point.name.rpartition(".")
        if not folder or package.endswith(f".{folder}"):
            values[name] = point
    return values


def _source(package: str, module: pkgutil.ModuleInfo) -> str:
    name = f"{package}.{module.name}"
    return module.module_finder.find_spec(name).loader.get_source(name) or ""


def find(package: str, kind: str, name: str, option: str) -> Any:
    """The `kind` of this name, our own before another package's; an unknown name is a `UserError` that suggests the
    nearest, and so is an entry point that leads nowhere."""
    if name in _names(package, kind):
        return getattr(importlib.import_module(f"{package}.{name}"), kind)
    point = _outside(package, kind).get(name)
    if point is None:
        raise UserError(f"{option} {name}: {KINDS[kind]}.", nearest(name, names(package, kind)))
    try:
        return point.load()
    except (ImportError, AttributeError, ValueError) as err:
        by = "a package"
        if point.dist:
            by = point.dist.name
        problem = f"{option} {name}: {point.value} of {by} can't be loaded ({err})."
        raise UserError(problem, f"Correct the entry point, or update {by}.") from err


@cache
def reach(folder: str) -> None:
    """Let modules of a folder of the user's be imported; what is installed goes first. "" is no folder."""
    if folder and folder not in sys.path:
        sys.path.append(folder)


def register() -> None:
    """Tell ParlAI of our tasks, agents and zoo, once it is imported; what needs no ParlAI doesn't wait for it."""

    @wrapt.when_imported("parlai.core.loader")
    def _(loader):
        loader.REGISTERED_REPOS.setdefault("spotbot:", {"repo": "parlai_spotbot", "source": SOURCE})

    @wrapt.when_imported("parlai.zoo")
    def _(zoo):
        if (zoo_path := str(Path(__file__).parent / "zoo")) not in zoo.__path__:
            zoo.__path__.append(zoo_path)
