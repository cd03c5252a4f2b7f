"""Progress bars (by rich on a terminal, plain lines elsewhere) and plain tables."""

import atexit
import codecs
import contextlib
import functools
import io
import itertools
import shutil
import sys
import textwrap
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self

from parlai_spotbot.outside import cleaned

PLAIN_EVERY = 60.0
"""Seconds between two plain lines that say how far it is."""
PLAIN_AFTER = 2.0
"""What took less seconds leaves no plain line."""

Say = Callable[[str], object]
"""Tells the user a line, as `print` does."""

SIGNS = str.maketrans(
    {"−": "-", "–": "-", "—": "-", "·": "|", "×": "x", "≤": "<=", "≥": ">=", "→": "->", "½": ".5"}
    | {"“": '"', "”": '"', "’": "'"}
)
"""What is printed where a terminal, or a pipe on Windows, doesn't have a sign."""

_hushed = False


def _plainly(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    text = error.object[error.start : error.end].translate(SIGNS)
    letters = [letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter)]
    return "".join(letters).encode("ascii", "replace").decode(), error.end


codecs.register_error("plainly", _plainly)


def print_plainly() -> None:
    """From now on stdout and stderr have a plain sign in place of one that they can't encode, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="plainly")


@contextlib.contextmanager
def shown_if(shown: bool) -> Iterator[None]:
    """Show bars and their lines, or do without them."""
    global _hushed
    before = _hushed
    _hushed = before or not shown
    try:
        yield
    finally:
        _hushed = before


class Bar:
    """Progress on stderr: a bar on a terminal, elsewhere a line a minute and one at the end.

    `total` None: it isn't known. `there` was done before, `unit` is what is counted. Nothing is printed where
    it is not `shown`.
    """

    def __init__(self, title: str, total: float | None = None, unit: str = "", there: float = 0, shown: bool = True):
        self.title = title
        self.total = total
        self.unit = unit
        self.done = there
        self._there = there
        self.said = ""
        self._shown = shown and not _hushed
        self._began = self._told = time.monotonic()
        self._display: Any = None
        self._moving = self._shown and sys.stderr.isatty()
        self._look()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @classmethod
    def over(cls, things: Iterable, title: str, total: float | None = None, **how: Any) -> Iterator:
        """The things, one after the other, with a bar that shows how many were taken."""
        with cls(title, len(things) if total is None else total, **how) as bar:
            for thing in things:
                yield thing
                bar.advance()

    def advance(self, count: float = 1) -> None:
        self.done += count
        self._look()

    def at(self, done: float) -> None:
        """Set how much is done."""
        self.done = done
        self._look()

    def of(self, done: float, total: float) -> None:
        """Set how much is done, of a new total."""
        self.total = total
        self.at(done)

    def note(self, text: str) -> None:
        """Show what is being done."""
        self.said = text
        self._look()

    def close(self) -> None:
        """End it; a second time does nothing."""
        if self._display is not None:
            self._display.stop()
        elif self._shown and not self._moving and time.monotonic() - self._began > PLAIN_AFTER:
            self._say()
        self._shown = self._moving = False
        self._display = None

    def counted(self) -> str:
        """``12 of 40 turns``"""
        digits = 1
        if float(self.done).is_integer():
            digits = 0
        total = "" if self.total is None else f" of {self.total:,.0f}"
        unit = self.unit + "s" * bool(self.unit and self.unit.islower() and (self.total or self.done) != 1)
        return f"{self.done:,.{digits}f}{total} {unit}".rstrip()

    def _look(self) -> None:
        now = time.monotonic()
        if self._moving:
            fields = {"title": self.title, "counted": self.counted(), "said": self.said}
            if self._display is None:
                self._display = _display()
                self._display.add_task("", **fields)
            self._display.update(self._display.task_ids[0], completed=self.done, total=self.total, **fields)
        elif self._shown and now - self._told > PLAIN_EVERY:
            self._told = now
            self._say()

    def _say(self) -> None:
        spent = time.monotonic() - self._began
        left = ""
        done = self.done - self._there
        if self.total and 0 < done < self.total - self._there:
            left = f", about {spent / done * (self.total - self.done):.0f} s left"
        print(f"{self.title}: {self.counted()}, {spent:.0f} s{left}", file=sys.stderr, flush=True)


def _display() -> Any:
    """Start a display of one bar; one that is open stays above it."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    texts = [TextColumn(f"{{task.fields[{name}]}}", markup=False) for name in ("title", "counted", "said")]
    columns = (texts[0], BarColumn(), texts[1], TimeElapsedColumn(), TextColumn("left"), TimeRemainingColumn())
    # What is printed meanwhile stands above the bars, unless it goes to a file.
    display = Progress(*columns, texts[2], console=_console(), redirect_stdout=sys.stdout.isatty())
    display.start()
    atexit.register(display.stop)  # or the cursor would stay hidden
    return display


@functools.cache
def _console() -> Any:
    from rich.console import Console

    return Console(stderr=True)


def columns() -> int:
    """Return how many columns stdout has; none are counted (a very large number) where it is no terminal."""
    if sys.stdout.isatty():
        return max(40, shutil.get_terminal_size().columns)
    return 10_000


def indented(text: str) -> str:
    """Return a paragraph that is indented by two blanks, in lines that fit stdout."""
    return textwrap.fill(text, columns(), initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False)


def fitting(rows: Sequence[Sequence[str]], head: Sequence[str], first: Iterable[int], room: int) -> list[int]:
    """Return the places of the columns of a table that fit `room`: those of `first` go before the others."""
    sizes = [max(map(len, (name, *cells))) + 2 for name, *cells in zip(head, *rows, strict=True)]
    kept: list[int] = []
    for place in dict.fromkeys((*first, *range(len(head)))):
        if not kept or sum(sizes[one] for one in (*kept, place)) <= room + 2:
            kept.append(place)
    return sorted(kept)


def table(
    rows: Iterable[Sequence[Any]], head: Sequence[str], right: Sequence[int] = (), widths: Sequence[int | None] = ()
) -> str:
    """A table for stdout.

    `right` are the places of columns that are aligned right, `widths` the most that columns may take (None: no limit).
    """
    from rich.box import Box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    lines = Box("    \n    \n -  \n    \n    \n    \n    \n    \n", ascii=True)
    shown = Table(box=lines, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="")
    for place, (name, width) in enumerate(itertools.zip_longest(head, widths)):
        shown.add_column(
            Text(name), justify="right" if place in right else "left", max_width=width, no_wrap=width is None
        )
    for row in rows:
        shown.add_row(*(Text("" if cell is None else cleaned(str(cell))) for cell in row))
    console = Console(width=10_000, file=io.StringIO(), color_system=None)
    console.print(shown)
    return "\n".join(line.rstrip() for line in console.file.getvalue().rstrip().splitlines())
