"""Commands in messages: whole, with the study's folder and the survey, so that they run when pasted."""

import importlib.util
import shlex
import shutil
import sys
from functools import cache
from pathlib import Path

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
    return f"{shlex.quote(typed('pip'))} install {package}" if package in EXTRAS else SET_UP


def command(name: str, study: Path | str | None = None, survey: str = "", **options: object) -> str:
    """The command `name`, without its prefix, as it is typed here; `spotbot NAME` where ParlAI isn't installed.

    `options` are called as on the command line, with _ for -; True is a switch, None and False are left out.

    >>> command("judge", "studies/my study", "acute_eval", judges="language_model", dry_run=True)
    "parlai spotbot_judge --study 'studies/my study' --survey acute_eval --judges language_model --dry-run"
    """
    words = [typed(PROGRAM), PREFIX + name]
    for option, value in {"study": study, "survey": survey or None, **options}.items():
        if value is not None and value is not False:
            words += [f"--{option.replace('_', '-')}", *([] if value is True else [str(value)])]
    return shlex.join(words)


def run(name: str, study: Path | str | None = None, survey: str = "", **options: object) -> str:
    """A remedy: "Run: parlai spotbot_… …"; see `command`."""
    return f"Run: {command(name, study, survey, **options)}"
