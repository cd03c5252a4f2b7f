"""Rows of a file that can't be used, each of a known kind: left out and counted by reason, unless they are the most."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from parlai_spotbot.errors import UserError
from parlai_spotbot.wording import counted

COPY = "copy of"
"""How reasons begin for a row that is the same as another one."""
SHORT = "conversation without an exchange"
"""The reason of a row that is too short to be of use, as many of a log are."""


class Unusable(UserError):
    """A row that is left out; `reason` is what is counted, in the singular ("vote without a winner").

    Whatever shows that the structure of the file is wrong (a missing column, no JSON) is a plain `UserError`.
    """

    def __init__(self, reason: str, problem: str, remedy: str):
        super().__init__(problem, remedy)
        self.reason = reason


def identity(row: Iterable) -> int:
    """Return a number for the values of a row, the same for equal ones."""
    try:
        return hash("\0".join(row))
    except TypeError:  # of numbers themselves -1 and -2 have one hash
        return hash(repr(tuple(row)))


def copy_at(where: str) -> Unusable:
    """Return the error of a row whose values are those of an earlier one."""
    return Unusable(f"{COPY} another row", f"{where}: as an earlier row.", "Remove it.")


@dataclass
class LeftOut:
    """Rows that a reader left out: how often by reason, of how many `rows`; `strict` refuses the first.

    `study_format` and `add_judgements` print `counts`, keep them in provenance.json as ``about["unusable"]`` and refuse
    the file where they are more than half; the exit code shows them.
    """

    strict: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    rows: int = 0
    first: Unusable | None = None
    read: set[int] = field(default_factory=set)

    @contextmanager
    def row(self) -> Iterator[None]:
        """Read one row within; where that raises `Unusable`, the row is counted."""
        self.rows += 1
        try:
            yield
        except Unusable as err:
            self.leave(err)

    def once(self, row: Iterable, where: str) -> None:
        """Raise `Unusable` for a row whose values are those of an earlier one."""
        if self.is_copy(identity(row)):
            raise copy_at(where)

    def is_copy(self, number: int) -> bool:
        """Return whether a row with this `identity` was read before; note that it is read."""
        if number in self.read:
            return True
        self.read.add(number)
        return False

    def leave(self, err: Unusable) -> None:
        """Count a row that can't be used."""
        if self.strict:
            raise err
        if self.first is None or (self.first.reason.startswith(COPY) and not err.reason.startswith(COPY)):
            self.first = err
        self.counts[err.reason] += 1

    def clear(self) -> None:
        """Begin again, with the first row."""
        self.counts.clear()
        self.read.clear()
        self.rows = 0
        self.first = None

    def check(self, where: object) -> None:
        """Raise `UserError` where more than half of the rows can't be used; of copies, and short ones, nothing is lost
        unless they are all.
        """
        lost = sum(count for reason, count in self.counts.items() if not reason.startswith((COPY, SHORT)))
        used = self.rows - self.counts.total()
        if not used:
            lost += self.counts[SHORT]
        if self.first is not None and lost > used:
            most = f"{lost} of {counted(self.rows, 'row')} can't be used ({self})"
            raise UserError(f"{where}: {most}. The first: {self.first.problem}", self.first.remedy)

    def lines(self) -> list[str]:
        """Return what a summary says of them: one line, or none."""
        if self.first is None:
            return []
        first = f"The first: {self.first.problem} {self.first.remedy}"
        return [f"left out, since it can't be used: {self}. {first}"]

    def __str__(self) -> str:
        return "; ".join(f"{count:,} × {reason}" for reason, count in self.counts.most_common())
