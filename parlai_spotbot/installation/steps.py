"""Steps of an installation: each leaves a stamp with the checksum of its sources, so finished steps aren't
repeated, and an interrupted installation goes on where it stopped."""

import contextlib
import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

STAMPS = Path(sys.prefix) / ".installed"
PATIENCE = 60
"""Seconds between messages that a step is still running."""


class Failed(Exception):
    """A step without which nothing works has failed; the message says which."""


def say(words: str) -> None:
    print(f"install: {words}", flush=True)


def checksum(*paths: Path | str) -> str:
    """Return the checksum of the contents of files, in this order; a missing one adds nothing."""
    sha256 = hashlib.sha256()
    for path in map(Path, paths):
        sha256.update(path.read_bytes() if path.exists() else b"")
    return sha256.hexdigest()[:16]


def stamped(name: str, key: str) -> bool:
    path = STAMPS / name
    return path.exists() and path.read_text(encoding="utf-8").strip() == key


def failed(log: Path) -> bool:
    """Return True if the step that wrote a log has not been carried out since."""
    return log.exists() and not log.with_suffix("").exists()


def stamp(name: str, key: str) -> None:
    STAMPS.mkdir(parents=True, exist_ok=True)
    new = STAMPS / f"{name}.new"
    new.write_text(key + "\n", encoding="utf-8")
    new.replace(STAMPS / name)


def is_wanted(part: str) -> bool:
    """Return False if the environment variable of an optional part is "no", or was when it was last "yes" or "no"."""
    choice = os.environ.get(part)
    if choice in ("yes", "no"):
        stamp(f"{part}.wanted", choice)
    return not stamped(f"{part}.wanted", "no")


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """A second installation into the same environment waits for the first."""
    STAMPS.mkdir(parents=True, exist_ok=True)
    with open(STAMPS / ".running", "w", encoding="utf-8") as held:
        with contextlib.suppress(ImportError, OSError):  # a system, or a disk, without locks
            import fcntl

            fcntl.flock(held, fcntl.LOCK_EX)
        yield


def step(
    name: str,
    key: str,
    message: str,
    commands: Sequence[Sequence[str]],
    without: str = "",
    there: bool = True,
    limit: float = float("inf"),
    **options: Any,
) -> bool:
    """Run commands unless they were run with this key and what they make is still `there`; return whether it is.

    `without` says what is left out where they fail, and their output goes to a log beside the stamp; where it is empty,
    a failure is `Failed`. A command that runs for more than `limit` seconds fails. `options` go to `subprocess.Popen`.
    """
    if stamped(name, key) and there:
        return True
    say(message)
    start = time.monotonic()
    log = STAMPS / f"{name}.log"
    STAMPS.mkdir(parents=True, exist_ok=True)
    with open(log, "w", encoding="utf-8") as file:
        out = None
        if without:
            out = file
        for command in commands:
            try:
                code = _run(command, limit, stdout=out, stderr=out, **options)
            except (OSError, subprocess.TimeoutExpired) as err:
                code = print(err, file=file) or True
            if code and not without:
                words = " ".join(map(str, command))
                raise Failed(f"this step failed: {words}. Correct it, then run the same command again.")
            if code:
                say(f"  {without} Why: {log}")
                return False
    stamp(name, key)
    say(f"  done in {time.monotonic() - start:.0f} s")
    return True


def _run(command: Sequence[str], limit: float, **options: Any) -> int:
    """Run a command and return its exit code; a message every minute shows that it still runs."""
    start = time.monotonic()
    with subprocess.Popen(command, **options) as process:
        while True:
            try:
                return process.wait(PATIENCE)
            except subprocess.TimeoutExpired as still_running:
                spent = time.monotonic() - start
                if spent > limit:
                    process.kill()
                    raise still_running
                say(f"  {spent / 60:.0f} min so far")
            except BaseException:
                process.kill()
                raise
