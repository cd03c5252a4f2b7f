"""The desk's clock: it starts at the machine's and then goes by the time that has passed, so that nothing ends before
it began when the machine's clock is set. That it was set is written down, in `clock.jsonl`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from parlai_spotbot import checksums, files
from parlai_spotbot.crowdsourcing.ledger_entries import Handout
from parlai_spotbot.crowdsourcing.training_results import moment
from parlai_spotbot.errors import UserError

NOTABLE = 2.0
"""Seconds by which the machine's clock must have been set to be written down."""

log = logging.getLogger(__name__)


def passed() -> float:
    """Seconds since some moment; those of a sleep count too, where the system says so."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


def latest_beginning(open_handouts: Iterable[Handout]) -> float:
    """When the last of the units that are out was handed out, by the clock of that time; 0 where none is."""
    return max((handout.handed_at for handout in open_handouts), default=0.0)


class SteadyClock:
    """Seconds since the epoch that never go back; call it.

    Parameters
    ----------
    journal : Path
        Where it is written down when the machine's clock is set; no file where it isn't.
    since : float
        It doesn't start before this: what is out from before a restart can't end before it began either.
    """

    def __init__(
        self,
        journal: Path,
        since: float = 0.0,
        machine: Callable[[], float] = time.time,
        passed: Callable[[], float] = passed,
    ):
        self.journal, self._machine, self._passed = journal, machine, passed
        self._from = passed()
        self._start = max(machine(), since)
        self._ahead = 0.0  # the machine's clock, as last noted, less this one
        self()

    def __call__(self) -> float:
        now = self._start + self._passed() - self._from
        ahead = self._machine() - now
        if abs(ahead - self._ahead) > NOTABLE:
            self._note(now, ahead - self._ahead)
            self._ahead = ahead
        return now

    def _note(self, now: float, seconds: float) -> None:
        log.warning("the machine's clock was set by %+.0f s; times go on as they passed", seconds)
        try:
            checksums.verify(self.journal)
            with checksums.Journal(self.journal) as journal:
                journal.append({"time": moment(now), "set_by_seconds": round(seconds, 1)})
        except UserError as error:
            log.error("%s", error)


def read_settings_of_clock(path: Path) -> list[float]:
    """By how many seconds the machine's clock was set each time."""
    return checksums.read_journal(
        path, lambda row, where: float(files.field(row, "set_by_seconds", (int, float), where))
    )
