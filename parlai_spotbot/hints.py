"""Commands in messages: whole, with the study's folder and the survey, so that they run when pasted."""

import importlib.util
import shlex
import shutil
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Self

PROGRAM, PREFIX = ("parlai", "spotbot_") if importlib.util.find_spec("parlai") else ("spotbot", "")
"""Program and prefix of a command: without ParlAI only `spotbot` is available."""


@cache
def typed(program: str) -> str:
    """Return how a program of this environment is called: by its name where the shell finds it, else by its path."""
    path = Path(sys.executable).with_name(program)
    if not path.exists() or Path(shutil.which(program) or "").resolve() == path.resolve():
        return program
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


SET_UP = f"{shlex.quote(typed('spotbot'))} setup"
"""What installs all that plays and collects."""
EXTRAS = ("numba", "pyarrow", "statsmodels", "trueskill")
"""Packages that one analysis or one format needs, on any Python."""


def bring(package: str) -> str:
    """Return the command that installs a package that our code imports."""
    if package in EXTRAS:
        return f"{shlex.quote(typed('pip'))} install {package}"
    return SET_UP


def option_words(given: Mapping[str, object]) -> list[str]:
    """Return options as words of a command: True is a switch, False is left out, a list is several words."""
    words: list[str] = []
    for name, value in given.items():
        if value is False:
            continue
        words.append(f"--{name.replace('_', '-')}")
        if isinstance(value, (list, tuple)):
            words += map(str, value)
        elif value is not True:
            words.append(str(value))
    return words


class Typed(str):
    """A command as it is typed here, with its `name` and what is `given`, for whoever calls a function in its place."""

    name: str
    given: Mapping[str, object]

    def __new__(cls, name: str, given: Mapping[str, object]) -> Self:
        text = super().__new__(cls, shlex.join([typed(PROGRAM), PREFIX + name, *option_words(given)]))
        text.name = name
        text.given = given
        return text

    def __getnewargs__(self) -> tuple:
        return self.name, self.given


class Remedy(str):
    """Text of what to do; among its `parts` are commands (`Typed`)."""

    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> Self:
        text = super().__new__(cls, "".join(parts))
        text.parts = parts
        return text

    def __getnewargs__(self) -> tuple:
        return self.parts


def command(name: str, study: Path | str | None = None, survey: str = "", **options: object) -> Typed:
    """The command `name`, without its prefix, as it is typed here; `spotbot NAME` where ParlAI isn't installed.

    `options` are called as on the command line, with _ for -; True is a switch, None and False are left out.

    >>> command("judge", "studies/my study", "acute_eval", judges="language_model", dry_run=True)
    "parlai spotbot_judge --study 'studies/my study' --survey acute_eval --judges language_model --dry-run"
    """
    given = {"study": study, "survey": survey or None, **options}
    return Typed(name, {option: value for option, value in given.items() if value is not None and value is not False})


def run(name: str, study: Path | str | None = None, survey: str = "", **options: object) -> Remedy:
    """A remedy: "Run: parlai spotbot_… …"; see `command`."""
    return Remedy("Run: ", command(name, study, survey, **options))
