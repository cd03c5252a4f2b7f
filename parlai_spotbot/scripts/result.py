"""What a command leaves to whoever called it: a result in one line, files, what comes next, an exit code.

The terminal gets all that a command prints; ``--quiet`` its result alone; ``--json`` one object on stdout, all else on
stderr.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

DONE, PARTLY, MISTAKE, UNDECIDED, WORSE, STOPPED = 0, 1, 2, 3, 4, 130
EXIT_CODES = {
    DONE: "done (compare: NEW is better)",
    PARTLY: "done, but something is wrong or missing, which is said",
    MISTAKE: "nothing done, or not all: an error that you can mend, which is said",
    UNDECIDED: "compare: the two can't be told apart yet",
    WORSE: "compare: NEW is worse",
    STOPPED: "stopped by Ctrl-C; the same command goes on",
}


@dataclass
class Result:
    """What came of a command: the keys of ``--json``, the same for all commands.

    `said` is the result in one line, `verdict` (of compare) better, undecided or worse, `written` where what came of it
    is, by what it is, `next` the command that comes next, `error` the problem and its remedy, `figures` what else a
    script may want to know.
    """

    command: str
    exit_code: int = DONE
    said: str = ""
    verdict: str = ""
    written: dict[str, str] = field(default_factory=dict)
    next: str = ""
    error: dict[str, str] | None = None
    figures: dict[str, Any] = field(default_factory=dict)

    def wrote(self, **paths: Path | str) -> None:
        self.written |= {name: str(path) for name, path in paths.items()}

    def in_short(self) -> str:
        """For ``--quiet``: what came of it, where it is, what comes next."""
        lines = [self.said, *(f"{name.replace('_', ' ')}: {path}" for name, path in self.written.items())]
        return "\n".join([*filter(None, lines), *([f"next: {self.next}"] if self.next else [])])


@contextlib.contextmanager
def shown(result: Result, opt: Mapping[str, Any]) -> Iterator[None]:
    """Let a command print what it prints; then show its result, as --quiet or --json ask for it."""
    from parlai_spotbot import files

    as_json = opt.get("json") is True
    if not (as_json or opt.get("quiet")):
        yield
        return
    quiet = bool(opt.get("quiet"))
    with contextlib.ExitStack() as stack:
        stack.enter_context(_elsewhere(quiet))
        if quiet:
            from parlai_spotbot.terminal import hushed

            stack.enter_context(hushed())
        try:
            yield
        finally:
            stack.close()
            text = files.dumps(asdict(result)) if as_json else result.in_short()
            if text:
                print(text, flush=True)


@contextlib.contextmanager
def _elsewhere(quiet: bool) -> Iterator[None]:
    """What is printed to stdout goes nowhere where it is to be quiet, else to stderr; what other processes and C
    libraries print, too, where stdout is the process's own."""
    with contextlib.ExitStack() as stack:
        away = stack.enter_context(open(os.devnull, "w", encoding="utf-8")) if quiet else sys.stderr
        if sys.stdout is sys.__stdout__:
            sys.stdout.flush()
            kept = os.dup(1)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, 1)
            os.dup2(away.fileno() if quiet else 2, 1)
        stack.enter_context(contextlib.redirect_stdout(away))
        yield
