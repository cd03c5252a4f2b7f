"""Journal of the contestants' accounts: what a killed run used up is counted by the next one.

A contestant's account is its `about`, with what it has used up (`usage`) so far. It is written before the turn that it
was used for; the next run finds the accounts of all that were killed, and provenance counts them with its own.
"""

import threading
from collections.abc import Mapping
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.selfplay.turn_journal import VERSION, journal_rows
from parlai_spotbot.user_files import read_fields

HEADER = "account_journal"

LARGEST = 2**22
"""Bytes of the file, about; then only the last account of each contestant is kept."""

REMEDY = "Remove the file: what contestants used up in the runs that were killed isn't counted then."


class AccountJournal(files.Closing):
    """The accounts of one run, and of those before it that were killed. From any thread.

    ``earlier`` has a list for each contestant, the oldest run's first. `forget` when they stand elsewhere.
    Raises `UserError` where the file is damaged, or of a version that isn't known.
    """

    def __init__(self, path: Path):
        self.path = path
        self.earlier = killed_runs(path)
        self._last: dict[str, dict] = {}
        self._lock = threading.Lock()
        self._begin()

    def _begin(self) -> None:
        rows = [{"name": name, "about": about} for name, about in self._last.items()]
        files.write_jsonl(self.path, [{HEADER: VERSION, "earlier": self.earlier}, *rows])
        self._journal = files.Journal(self.path)
        self._size = self._least = self.path.stat().st_size

    def note(self, name: str, about: dict) -> None:
        """Write the account of the contestant `name`, where it has changed."""
        with self._lock:
            if not about or self._last.get(name) == about:
                return
            self._last[name] = about
            self._size += self._journal.append({"name": name, "about": about}, sync=False)
            if self._size > self._least + LARGEST:
                self._journal.close()
                self._begin()

    def runs(self, last: Mapping[str, dict]) -> dict[str, list[dict]]:
        """All accounts of each contestant, the oldest run's first; `last` are those of this run, {} if it has none."""
        names = dict.fromkeys([*self.earlier, *last])
        return {name: [about for about in (*self.earlier.get(name, ()), last.get(name)) if about] for name in names}

    def close(self) -> None:
        self._journal.close()

    def forget(self) -> None:
        """The accounts are in provenance."""
        self.close()
        self.path.unlink(missing_ok=True)


def killed_runs(path: Path) -> dict[str, list[dict]]:
    """The accounts in the file at `path`, of runs that have ended without recording them; {} without one."""
    rows = journal_rows(path, HEADER, "journal of accounts", REMEDY)
    earlier: dict[str, list[dict]] = {}
    for row, where in rows[:1]:
        for name, abouts in read_fields(row, where, earlier=dict)[0].items():
            if not isinstance(abouts, list) or not all(isinstance(about, dict) for about in abouts):
                raise UserError(f"{where}, earlier, {name}: expected a list of accounts.", REMEDY)
            earlier[name] = abouts
    last: dict[str, dict] = dict(read_fields(row, where, name=str, about=dict) for row, where in rows[1:])
    for name, about in last.items():
        earlier.setdefault(name, []).append(about)
    return earlier
