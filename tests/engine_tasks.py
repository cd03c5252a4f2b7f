"""Tasks of tests, which processes on all nodes can import."""

import os
import time
from pathlib import Path

from parlai_spotbot.errors import UserError


def square(number: int) -> int:
    """Return the square, late where the number is even."""
    time.sleep(0.02 * (number % 2 == 0))
    return number * number


def noted_square(folder: str, number: int) -> int:
    """Return the square after a while, with a file for each time that it was begun."""
    begun = Path(folder, f"{number}-{os.getpid()}-{time.monotonic_ns()}")
    begun.touch()
    time.sleep(0.3)
    return number * number


def refuse(number: int) -> int:
    """Refuse number 3."""
    if number == 3:
        raise UserError("number 3: refused.", "Take another.")
    return number
