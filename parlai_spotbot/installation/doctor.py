"""Report on the installation: each part with its version, or with the one command that installs it."""

from __future__ import annotations

import importlib.util
import platform
import re
import shutil
import sys
from collections.abc import Iterator
from importlib import metadata
from typing import NamedTuple

from parlai_spotbot.installation import AGAIN, OURS, PAGE, PYTHON, pins, unmet, version

INSTALL = "pip install" if importlib.util.find_spec("pip") else "uv pip install"
"""What adds a package to this environment: uv makes them without pip."""
WANTED = ".".join(map(str, PYTHON))
NEW_ENVIRONMENT = f"uv venv --python {WANTED} .venv, then install parlai_spotbot there and run {AGAIN}"
FIX = AGAIN if sys.version_info[:2] == PYTHON else NEW_ENVIRONMENT
"""What brings all that isn't light."""


class Part(NamedTuple):
    """One part: `said` is its version or what is wrong; `fix` a command, "" where it is there; `optional` is what all
    else works without."""

    name: str
    said: str
    fix: str = ""
    optional: bool = False


def parts() -> Iterator[tuple[str, list[Part]]]:
    """Yield purposes with their parts, in the order in which they are needed."""
    yield "to read, pack, analyse, plan, report, and judge through a server", list(_light())
    yield "to play: ParlAI's world", list(_world())
    yield "to ask people: Mephisto", list(_people())
    yield "survival analysis", list(_survival())


def _light() -> Iterator[Part]:
    yield Part("Python", platform.python_version())
    yield Part("parlai_spotbot", f"{version('parlai_spotbot')}, in {OURS}")
    required = [line for line in metadata.requires("parlai_spotbot") or [] if "extra ==" not in line]
    missing = [name for name in (re.match(r"[\w.-]+", line)[0] for line in required) if not version(name)]
    if missing:
        yield Part("its packages", f"missing: {', '.join(missing)}", f"{INSTALL} {' '.join(missing)}")
    else:
        yield Part("its packages", f"all {len(required)}")


def _world() -> Iterator[Part]:
    if sys.version_info[:2] != PYTHON:
        yield Part(f"Python {WANTED}", "ParlAI and Mephisto run on no other", FIX)
        return
    locked, lacking = pins("requirements.lock"), unmet("requirements.lock")
    for name in ("parlai", "torch", "transformers"):
        yield _package(name)
    absent = [name for name, installed in lacking.items() if not installed]
    if absent:
        yield Part("the lock", f"{len(absent)} of {len(locked)} packages missing: {_some(absent)}", FIX)
    elif lacking:
        other = [f"{name} {installed} in place of {locked[name]}" for name, installed in lacking.items()]
        yield Part("the lock", f"of other versions: {_some(other)}", FIX, optional=True)
    else:
        yield Part("the lock", f"all {len(locked)} packages in exact versions")
    if version("torch"):
        yield _gpu()


def _gpu() -> Part:
    try:
        import torch

        names = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    except Exception as err:  # files of it are gone, or a library that it loads
        sys.modules.pop("torch", None)  # what is left of it, which scipy would ask for its tensors
        fix = f"{INSTALL} --force-reinstall --no-deps torch=={pins('requirements.lock')['torch']}"
        return Part("GPU", f"not known, since torch doesn't load: {err}", fix)
    return Part("GPU", ", ".join(names) or "none: bots play on the CPU")


def _people() -> Iterator[Part]:
    yield _package("mephisto")
    built = (PAGE / "build" / "index.html").exists()
    yield Part("the annotation page", "built") if built else Part("the annotation page", "not built", FIX)


def _survival() -> Iterator[Part]:
    """R's parts, and which backend figures come from, with the reason."""
    why, fix = "", FIX
    if not shutil.which("R"):
        why, fix = "R is missing", f"install R 4 (Debian: apt-get install r-base-dev), then {FIX}"
    elif not version("rpy2"):
        why = "rpy2 is missing"
    else:
        from parlai_spotbot.analysis.survival.icenreg import unusable

        why, fix = unusable(), """Rscript -e "install.packages('icenReg')\""""
    if why:
        yield Part("backend", f"this package's own, tested against R's: {why}", fix, optional=True)
    else:
        yield Part("backend", "R's icenReg: Turnbull, Cox and the parametric fits come from it")


def _package(name: str) -> Part:
    return Part(name, version(name) or "missing", "" if version(name) else FIX)


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def show() -> int:
    """Print all parts; the exit code is 1 where one is missing that something needs, 0 otherwise."""
    lacking = 0
    for purpose, group in parts():
        print(f"{purpose}:")
        for part in group:
            lacking += bool(part.fix) and not part.optional
            mark = "ok" if not part.fix else "-" if part.optional else "MISSING"
            print(f"  {mark:8}{part.name}: {part.said}" + (f"\n          to fix it: {part.fix}" if part.fix else ""))
    return 1 if lacking else 0
