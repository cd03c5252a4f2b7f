"""Steps of an installation: each leaves a stamp with the checksum of its sources, so finished steps aren't
repeated, and an interrupted installation goes on where it stopped."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from parlai_spotbot.installation import AGAIN

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


def need(name: str, key: str, message: str, command: Sequence[str], there: bool = True) -> None:
    """Run a command unless it has been done with this key and what it brings is `there`; `Failed` where it fails."""
    if stamped(name, key) and there:
        return
    say(message)
    start = time.monotonic()
    if subprocess.run(command).returncode:
        words = " ".join(map(str, command))
        raise Failed(f"this step failed: {words}. Correct what it says above, then run the same command again.")
    stamp(name, key)
    say(f"  done in {time.monotonic() - start:.0f} s")


def attempt(
    name: str,
    key: str,
    message: str,
    commands: Sequence[Sequence[str]],
    without: str,
    there: bool = True,
    remember: bool = True,
    **options,
) -> bool:
    """Run commands, in turn, for a part that all else works without; whether it is there.

    `without` says what is left out where they fail; what they print is in a log beside the stamp. Done is what has
    this key, where what they make is still `there`; what failed with this key isn't tried again, unless it shall not
    `remember`. `options` go to `subprocess.run`.
    """
    log = STAMPS / f"{name}.log"
    if stamped(name, key) and there:
        return True
    if remember and stamped(name, f"failed {key}"):
        say(f"{without} Why: {log}; to try again: rm {STAMPS / name}; {AGAIN}")
        return False
    say(message)
    start = time.monotonic()
    STAMPS.mkdir(parents=True, exist_ok=True)
    with open(log, "w", encoding="utf-8") as out:
        try:
            failed = any(subprocess.run(one, stdout=out, stderr=out, **options).returncode for one in commands)
        except (OSError, subprocess.TimeoutExpired) as err:
            failed = True
            print(err, file=out)
    stamp(name, f"failed {key}" if failed else key)
    say(f"  {without} Why: {log}" if failed else f"  done in {time.monotonic() - start:.0f} s")
    return not failed
