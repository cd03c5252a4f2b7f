"""The result of a command: one line, the files written, what is missing, the next command and the exit code.

The terminal gets all that a command prints; ``--quiet`` its result alone; ``--json`` one object on stdout, all else on
stderr.
"""

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

DONE = 0
PARTLY = 1
MISTAKE = 2
UNDECIDED = 3
WORSE = 4
STOPPED = 130
EXIT_CODES = {
    DONE: "done, and nothing is missing (compare: NEW is better; analyze --gate: like people)",
    PARTLY: "done in part: what is missing or wrong is counted, with reasons",
    MISTAKE: "nothing usable, or an error that you can correct; the message says how",
    UNDECIDED: "compare: no difference found yet; analyze --gate: not known",
    WORSE: "compare: NEW is worse; analyze --gate: not like people",
    STOPPED: "stopped by Ctrl-C; the same command goes on",
}
COUNTED = "Exit codes: 0 all there; 1 something missing or left out through a fault; 2 nothing usable, or an error."
"""The line under ``--help`` of commands that count what is missing."""


@dataclass
class Outcome:
    """Outcome of a command: the keys of ``--json``, the same for all commands.

    Attributes
    ----------
    said : str
        The result in one line.
    verdict : str
        Of ``compare``: better, undecided or worse; of ``analyze`` simulated users: alike, not known or different.
    written : dict
        Kind of file -> its path.
    missing : dict
        What is missing or could not be used -> how often. Deliberate options and documented exclusions (failed
        controls, practice rounds) are not counted.
    next : str
        The command that comes next.
    error : dict or None
        ``problem`` and ``remedy``; never None where something is missing.
    figures : dict
        Further figures for scripts.
    """

    command: str
    exit_code: int = DONE
    said: str = ""
    verdict: str = ""
    written: dict[str, str] = field(default_factory=dict)
    missing: dict[str, int] = field(default_factory=dict)
    next: str = ""
    error: dict[str, str] | None = None
    figures: dict[str, Any] = field(default_factory=dict)

    def wrote(self, **paths: Path | str) -> None:
        self.written |= {name: str(path) for name, path in paths.items()}

    def in_short(self) -> str:
        """For ``--quiet``: what came of it, where it is, what comes next (after a mistake its error says that)."""
        lines = [self.said, *(f"{name.replace('_', ' ')}: {path}" for name, path in self.written.items())]
        if self.next and self.exit_code != MISTAKE:
            lines.append(f"next: {self.next}")
        return "\n".join(filter(None, lines))


@contextlib.contextmanager
def shown(result: Outcome, opt: Mapping[str, Any]) -> Iterator[None]:
    """Let a command print what it prints; then show its result, as --quiet or --json ask for it."""
    from parlai_spotbot import files

    as_json = opt.get("json")
    if not (as_json or opt.get("quiet")):
        yield
        return
    quiet = bool(opt.get("quiet"))
    with contextlib.ExitStack() as stack:
        stack.enter_context(_elsewhere(quiet))
        if quiet:
            from parlai_spotbot.terminal import shown_if

            stack.enter_context(shown_if(False))
        try:
            yield
        finally:
            stack.close()
            text = result.in_short()
            if as_json:
                text = files.dumps(asdict(result))
            if text:
                print(text, flush=True)


@contextlib.contextmanager
def _elsewhere(quiet: bool) -> Iterator[None]:
    """Send stdout nowhere if `quiet`, else to stderr, also that of other processes and C libraries where it is ours."""
    with contextlib.ExitStack() as stack:
        away = sys.stderr
        descriptor = 2
        if quiet:
            away = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
            descriptor = away.fileno()
        if sys.stdout is sys.__stdout__:
            sys.stdout.flush()
            kept = os.dup(1)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, 1)
            os.dup2(descriptor, 1)
        stack.enter_context(contextlib.redirect_stdout(away))
        yield
