"""The contestants of a run: which are loaded, where, and which make room for others.

Each lives apart behind one interface (`ContestantHandle`); an engine decides where: processes on this machine
(`process.ContestantProcess`), or actors of a Ray cluster (`engine_ray.RayContestant`).
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Iterable
from concurrent.futures import Future, wait
from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot.errors import UserError
from parlai_spotbot.names import stem_of
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.contestant_handle import ContestantHandle, added
from parlai_spotbot.selfplay.process import ContestantProcess
from parlai_spotbot.terminal import Say

if TYPE_CHECKING:
    from parlai_spotbot.selfplay.account_journal import AccountJournal

PATIENCE = 20.0
"""Seconds between words on who is still loading."""

RULES = ("spotbot:eliza", "spotbot:alice")
"""Agents of one thread and little memory: with cores to spare each runs in `MOST_COPIES` processes."""

MOST_COPIES = 2

FAREWELL = 60.0
"""Seconds that all contestants together have, at the end, to report their versions."""


class LocalEngine:
    """Processes on this machine; another engine has contestants run elsewhere."""

    def start(self, contestant: Contestant, log: Path, threads: int) -> ContestantHandle:
        return ContestantProcess(contestant, log, threads)

    def close(self) -> None:
        """Nothing is left when the processes have ended."""


class Contestants:
    """The contestants of a run, by name; a context manager that stops them all at its end.

    At most `max_loaded` of them (0: all) are loaded at a time; others come when a group needs them (`lease`).
    """

    def __init__(
        self,
        entries: dict[str, Contestant],
        logs: Path,
        threads: int,
        max_loaded: int = 0,
        engine: LocalEngine | None = None,
    ):
        logs.mkdir(parents=True, exist_ok=True)
        self.engine = engine or LocalEngine()
        self.most = max_loaded or len(entries)
        self._copies = {name: self._start(contestant, logs, threads) for name, contestant in entries.items()}
        self._used = {name: [0] * len(copies) for name, copies in self._copies.items()}
        self._loaded: list[str] = []  # the one used longest ago first

    def _start(self, contestant: Contestant, logs: Path, threads: int) -> list[ContestantHandle]:
        most = max(contestant.copies, min(threads, MOST_COPIES) if contestant.model in RULES else 1)
        stem = stem_of(contestant.name)
        names = [stem, *(f"{stem}.{copy}" for copy in range(2, most + 1))]
        threads = min(contestant.threads, os.cpu_count() or 1) or threads
        return [self.engine.start(contestant, (logs / f"{name}.log").resolve(), threads) for name in names]

    # -- loading -----------------------------------------------------------------------------------------------------
    def load(self, say: Say = lambda line: None, names: Iterable[str] | None = None) -> None:
        """Load all, or those of `names`, side by side, saying who is still busy.

        One that can't be loaded is set aside with a word on why, and the others go on; where fewer than two are left
        for anybody to play with, that is a `UserError`.
        """
        names = list(self._copies if names is None else names)
        loading = {handle.load(): handle for name in names for handle in self._copies[name]}
        self._loaded = [*(name for name in self._loaded if name not in names), *names]
        _wait(loading, say)
        errors = {
            handle.contestant.name: future.exception() for future, handle in loading.items() if future.exception()
        }
        for error in errors.values():
            if not isinstance(error, UserError) or len(self._copies) - len(errors) < 2:
                raise error
        for name, error in errors.items():
            for handle in self._copies[name]:
                handle.set_aside = error.problem
            say(f"{error.lines}\n  The others play on; what is missing, a later run plays.")

    def lease(self, names: Collection[str]) -> dict[str, ContestantHandle] | None:
        """The contestants `names` for one group, each in its least busy copy; None while others take the room.

        Whoever is not needed makes room, the one used longest ago first; `give_back` what was leased.
        """
        coming = [name for name in names if name not in self._loaded]
        idle = [name for name in self._loaded if name not in names and not any(self._used[name])]
        surplus = len(self._loaded) + len(coming) - self.most
        if surplus > len(idle) and any(map(any, self._used.values())):
            return None
        leaving = idle[: max(surplus, 0)]
        wait([handle.unload() for name in leaving for handle in self._copies[name]])
        self._loaded = [*(n for n in self._loaded if n not in names and n not in leaving), *names]
        leased = {}
        for name in names:
            copy = min(range(len(self._used[name])), key=self._used[name].__getitem__)
            self._used[name][copy] += 1
            leased[name] = self._copies[name][copy]
        return leased

    def give_back(self, leased: dict[str, ContestantHandle]) -> None:
        for name, handle in leased.items():
            self._used[name][self._copies[name].index(handle)] -= 1

    # -- what they say of themselves ---------------------------------------------------------------------------------
    def refresh(self) -> None:
        """Ask all who are loaded once more what they are; who doesn't answer stays what it was."""
        with contextlib.suppress(RuntimeError):  # one has been stopped
            wait([handle.refresh() for handle in self.handles()], timeout=FAREWELL)

    def about(self) -> dict[str, dict]:
        """Return each contestant's account for provenance; {} for one that was never loaded.

        What it used up (`usage`) is that of all its copies, also of those that had to make room.
        """
        return {name: _usage(copies) for name, copies in self._copies.items()}

    def keep(self, accounts: AccountJournal) -> None:
        """Have each contestant's account written down from now on, whenever it changes."""
        for name, copies in self._copies.items():

            def note(name: str = name, copies: list[ContestantHandle] = copies) -> None:
                accounts.note(name, _usage(copies))

            note()
            for handle in copies:
                handle.noted = note

    # -- life --------------------------------------------------------------------------------------------------------
    def handles(self) -> list[ContestantHandle]:
        """Everybody, with all copies."""
        return [handle for copies in self._copies.values() for handle in copies]

    @property
    def copies(self) -> int:
        """The most copies that there are of one contestant."""
        return max((len(copies) for copies in self._copies.values()), default=1)

    def end(self) -> None:
        """Stop all, whatever they are doing."""
        for handle in self.handles():
            handle.end()

    def __getitem__(self, name: str) -> ContestantHandle:
        return self._copies[name][0]

    def __enter__(self) -> Contestants:
        return self

    def __exit__(self, *exc: object) -> None:
        self.end()
        self.engine.close()


def _usage(copies: list[ContestantHandle]) -> dict:
    usage: dict = {}
    for handle in copies:
        usage = added(usage, handle.usage)
    return copies[0].about | ({"usage": usage} if usage else {})


def _wait(loading: dict[Future, ContestantHandle], say: Say) -> None:
    start = time.monotonic()
    busy = set(loading)
    while busy:
        _, busy = wait(busy, timeout=PATIENCE)
        if busy:
            limits = {handle.contestant.name: handle.contestant.load_timeout for handle in map(loading.get, busy)}
            names = ", ".join(f"{name} (at most {limit:g} s)" for name, limit in sorted(limits.items()))
            seconds = time.monotonic() - start
            say(f"  {seconds:.0f} s: still loading: {names}; what is built now is kept for next time")
