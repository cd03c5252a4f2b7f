"""Commands in messages: whole, with the study's folder and the survey, so that they run when pasted."""

from __future__ import annotations

import importlib.util
import shlex
from functools import cache
from pathlib import Path

SET_UP = "spotbot setup"
"""What installs all that plays and collects."""


@cache
def _start() -> tuple[str, ...]:
    """Return program and prefix of a command: without ParlAI only `spotbot` is available."""
    return ("parlai", "spotbot_") if importlib.util.find_spec("parlai") else ("spotbot", "")


def command(name: str, study: Path | str | None = None, survey: str = "", **options: object) -> str:
    """The command `name`, without its prefix, as it is typed where ParlAI is installed; `spotbot NAME` where not.

    `options` are called as on the command line, with _ for -; True is a switch, None and False are left out.

    >>> command("judge", "studies/my study", "acute_eval", judges="language_model", dry_run=True)
    "parlai spotbot_judge --study 'studies/my study' --survey acute_eval --judges language_model --dry-run"
    """
    program, prefix = _start()
    words = [program, prefix + name]
    for option, value in {"study": study, "survey": survey or None, **options}.items():
        if value is not None and value is not False:
            words += [f"--{option.replace('_', '-')}", *([] if value is True else [str(value)])]
    return shlex.join(words)


def run(name: str, study: Path | str | None = None, survey: str = "", **options: object) -> str:
    """A remedy: "Run: parlai spotbot_… …"; see `command`."""
    return f"Run: {command(name, study, survey, **options)}"
