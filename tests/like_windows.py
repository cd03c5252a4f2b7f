"""`spotbot` with what Python has on Windows alone, as far as that can be had on Linux.

`python tests/like_windows.py "COMMAND …" …`: modules, calls and signals of Unix are gone, folders can't be opened, and
no open file can be moved.
"""

import os
import shlex
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

import filelock  # noqa: F401  (these, imported before, use what Windows has of theirs in its place)
import numpy  # noqa: F401
import scipy.stats  # noqa: F401

MODULES = ("curses", "fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")
CALLS = ("chown", "fork", "geteuid", "getpgid", "getuid", "killpg", "nice", "sched_getaffinity", "setsid")
SIGNALS = ("SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGSTOP", "SIGUSR1", "SIGUSR2")


def take_away() -> None:
    """Take away what Windows doesn't have."""
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    for name in CALLS:
        delattr(os, name)
    for name in SIGNALS:
        delattr(signal, name)
    os.environ.setdefault("USERNAME", "somebody")
    shutil._use_fd_functions = False  # pyright: ignore[reportAttributeAccessIssue]
    open_descriptor = os.open
    move = os.replace

    def open_no_folder(path: Any, *rest: Any, **options: Any) -> int:
        if Path(path).is_dir():
            raise PermissionError(13, "Permission denied", path)
        return open_descriptor(path, *rest, **options)

    def move_no_open_file(source: Any, target: Any) -> None:
        both = {os.path.realpath(source), os.path.realpath(target)}
        for descriptor in Path("/proc/self/fd").iterdir():
            if os.path.realpath(descriptor) in both:
                raise PermissionError(13, "The process cannot access the file: another process uses it", source)
        move(source, target)

    os.open = open_no_folder
    os.replace = move_no_open_file


if __name__ == "__main__":
    take_away()
    from parlai_spotbot.scripts.main import main

    for command in sys.argv[1:]:
        print("$ spotbot", command, flush=True)
        main(shlex.split(command))
