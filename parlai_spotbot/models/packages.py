"""Models and bots that come inside Python packages: where their files lie, and what to install if they are missing."""

import importlib.metadata
import importlib.util
from pathlib import Path

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError


def package_folder(package: str) -> Path:
    """Return the folder of an installed `package` without importing it (some import heavy libraries).

    Raises
    ------
    UserError
        If it isn't installed; the remedy names the command that brings it.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise UserError(f"The package '{package}' isn't installed.", f"Run: {hints.SET_UP}")
    return Path(spec.submodule_search_locations[0])


def package_version(distribution: str) -> str:
    """The installed version of a `distribution`, such as "0.1.2"."""
    return importlib.metadata.version(distribution)
