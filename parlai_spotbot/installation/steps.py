"""Steps of an installation: each leaves a stamp with the checksum of its sources, so finished steps aren't
repeated, and an interrupted installation goes on where it stopped."""

import contextlib
import fcntl
import hashlib
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

STAMPS = Path(sys.prefix) / ".installed"


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


@contextlib.contextmanager
def one_at_a_time() -> Iterator[None]:
    """A second installation into the same environment waits for the first."""
    STAMPS.mkdir(parents=True, exist_ok=True)
    with open(STAMPS / ".running", "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def step(
    name: str,
    key: str,
    message: str,
    commands: Sequence[Sequence[str]],
    without: str = "",
    there: bool = True,
    **options: Any,
) -> bool:
    """Run commands unless they were run with this key and what they make is still `there`; return whether it is.

    `without` says what is left out where they fail, and their output goes to a log beside the stamp; where it is empty,
    a failure is `Failed`. `options` go to `subprocess.run`.
    """
    if stamped(name, key) and there:
        return True
    say(message)
    start, log = time.monotonic(), STAMPS / f"{name}.log"
    STAMPS.mkdir(parents=True, exist_ok=True)
    with open(log, "w", encoding="utf-8") as file:
        out = file if without else None
        for command in commands:
            try:
                code = subprocess.run(command, stdout=out, stderr=out, **options).returncode
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
