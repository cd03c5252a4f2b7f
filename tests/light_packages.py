"""What the light installation consists of, and what this environment has beyond it."""

from __future__ import annotations

import contextlib
import re
import tomllib
from importlib import metadata
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def light_packages() -> dict[str, metadata.Distribution]:
    """The installed packages that the light installation names, and what they need, without extras."""
    found, left = {}, list(tomllib.loads(PROJECT.read_text())["project"]["dependencies"])
    while left:
        name = normal(re.match(r"[\w.-]+", left.pop())[0])
        if name not in found:
            with contextlib.suppress(metadata.PackageNotFoundError):  # for another platform or Python
                found[name] = metadata.distribution(name)
                left += [line for line in found[name].requires or [] if "extra ==" not in line]
    return found


def beyond_light() -> list[str]:
    """The modules that are installed here, but not by the light installation."""
    light = {*light_packages(), "parlai-spotbot"}
    by_module = metadata.packages_distributions()
    return sorted(name for name, packages in by_module.items() if not light & {normal(package) for package in packages})
