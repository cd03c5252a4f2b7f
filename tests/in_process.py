"""Commands as a user types them, in the test's own process: ParlAI and torch are imported once, not once a command.

What a test kills, limits or gives another environment it starts in a process of its own, by `subprocess`.
"""

import contextlib
import io
import sys
from collections.abc import Callable
from logging import INFO
from unittest import mock

from parlai_spotbot.scripts.main import main


def spotbot(*words: object, code: int = 0) -> tuple[str, str]:
    """Run ``spotbot NAME …``; returns what it printed to stdout and to stderr. A wrong exit code fails."""
    return _run(main, words, code)


def parlai(*words: object, code: int = 0, typed: str = "") -> tuple[str, str]:
    """Run ``parlai NAME …`` as `spotbot` does; `typed` is what a user then types."""
    from parlai.core.script import superscript_main
    from parlai.utils.logging import logger

    with contextlib.ExitStack() as stack, mock.patch("sys.stdin", io.StringIO(typed)):
        for handler in logger.handlers:  # of the stdout that there was when ParlAI was imported
            stack.callback(handler.setStream, handler.stream)
        # Tests before may have set another level; what ParlAI's logger has kept of it isn't forgotten with it.
        stack.enter_context(mock.patch.object(logger, "isEnabledFor", lambda level: level >= INFO))

        def run(told: list[str]) -> None:
            for handler in logger.handlers:
                handler.setStream(sys.stdout)
            superscript_main(told)

        return _run(run, words, code)


def ended(command: Callable, words: tuple) -> tuple[int, str, str]:
    """Run a command with a list of words; returns (exit code, stdout, stderr)."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            command([str(word) for word in words])
        except SystemExit as end:
            code = end.code or 0
    return code, out.getvalue(), err.getvalue()


def in_a_line(command: Callable) -> Callable[..., tuple[int, str, str]]:
    """Return a function of words that runs `command` as `ended` does, with stderr in one line."""

    def run(*words: object) -> tuple[int, str, str]:
        code, out, err = ended(lambda told: command(*told), words)
        return code, out, " ".join(err.split())

    return run


def _run(command: Callable, words: tuple, code: int) -> tuple[str, str]:
    now, out, err = ended(command, words)
    assert now == code, f"{' '.join(map(str, words))}\n{out}{err}"
    return out, err
