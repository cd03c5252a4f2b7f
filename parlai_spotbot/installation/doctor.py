"""Report on the installation: each part with its version, or with the one command that installs it."""

import platform
import shutil
import sys
from collections.abc import Iterator
from typing import NamedTuple

from parlai_spotbot.installation import AGAIN, OURS, PAGE, PYTHON, pins, unmet, version
from parlai_spotbot.installation.steps import STAMPS, failed

WANTED = ".".join(map(str, PYTHON))
NEW_ENVIRONMENT = f"uv venv --python {WANTED} .venv, then install parlai_spotbot there and run {AGAIN}"
FIX = AGAIN if sys.version_info[:2] == PYTHON else NEW_ENVIRONMENT
"""Command that installs all that a light installation lacks."""


class Part(NamedTuple):
    """One part: its version or what is wrong, and the command that fixes it, "" where nothing is wrong."""

    name: str
    state: str
    fix: str = ""
    optional: bool = False


def parts() -> Iterator[Part]:
    """Yield the parts in the order in which they are needed."""
    yield Part("Python", platform.python_version())
    yield Part("parlai_spotbot", f"{version('parlai_spotbot')}, in {OURS}")
    for name in ("parlai", "torch", "transformers", "mephisto"):
        yield Part(name, version(name) or "missing", "" if version(name) else FIX)
    yield _lock()
    if version("torch"):
        yield _gpu()
    built = (PAGE / "build" / "index.html").exists()
    yield Part("the annotation page", "built" if built else "not built", "" if built else FIX)
    yield _survival()


def _lock() -> Part:
    locked = pins("requirements.lock")
    lacking = unmet("requirements.lock")
    if not lacking:
        return Part("the lock", f"all {len(locked)} packages in exact versions")
    names = [f"{name} {installed or 'missing'} in place of {locked[name]}" for name, installed in lacking.items()]
    state = f"{len(lacking)} of {len(locked)} packages differ: {', '.join(names[:5])}{', …' * (len(names) > 5)}"
    return Part("the lock", state, FIX, optional=all(lacking.values()))


def _gpu() -> Part:
    try:
        import torch

        names = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    except Exception as err:  # a file of torch, or a library that it loads, is missing
        sys.modules.pop("torch", None)  # or scipy would ask the broken module for its tensors
        return Part("GPU", f"not known, since torch doesn't load: {err}", f"remove torch, then {FIX}")
    return Part("GPU", ", ".join(names) or "none: bots play on the CPU")


def _survival() -> Part:
    """Return the backend of survival analysis, and why it is not R's."""
    if shutil.which("R"):
        from parlai_spotbot.analysis.survival.icenreg import unusable

        reason = unusable()
    else:
        reason = "R is missing (Debian: apt-get install r-base-dev)"
    if reason:
        logs = [STAMPS / f"{name}.log" for name in ("system", "r", "icenreg")]
        reason += "".join(f"; a step of installing it failed: {log}" for log in logs if failed(log))
        return Part("survival analysis", f"this package's own, tested against R's: {reason}", FIX, optional=True)
    return Part("survival analysis", "R's icenReg")


def show() -> int:
    """Print all parts; the exit code is 1 where one is missing that something needs, 0 otherwise."""
    lacking = 0
    for part in parts():
        lacking += bool(part.fix) and not part.optional
        mark = "ok" if not part.fix else "-" if part.optional else "MISSING"
        print(f"  {mark:8}{part.name}: {part.state}" + (f"\n          to fix it: {part.fix}" if part.fix else ""))
    if lacking:
        return 1
    return 0
