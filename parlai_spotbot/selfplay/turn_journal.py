"""The journal of turns: each answer of a contestant is in it before it is used, so a run goes on from where it stood.

A line holds what was answered at once: what a model said in one batch is there as a whole or not at all, and its next
batches are those of an uninterrupted run. Turns leave the journal when their conversation's row is written.
"""

import hashlib
import threading
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant
from parlai_spotbot.secrecy import shown
from parlai_spotbot.selfplay.schedule import ConversationJob
from parlai_spotbot.user_files import read_fields

VERSION = 1
HEADER = "turns_journal"

ANEW = "Remove the file: the turns in it are then asked for again."


def mark(job: ConversationJob, contestants: dict[str, Contestant]) -> str:
    """Return a hash of what determines a conversation's turns: seed, bots and random draws."""
    bots = [[shown(getattr(contestants[name], key), key) for key in Contestant.BOT] for name in job.entities]
    made_of = files.dumps([job.rng_seed, job.entities, job.seed.turns, job.seed.context, bots])
    return hashlib.sha256(made_of.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def journal_rows(path: Path, header: str, what: str, remedy: str) -> list[tuple[dict, str]]:
    """Return the rows of a journal, its header first, each with its place; none where there is no file.

    A line torn by a crash is left out. Raises `UserError` where the file is damaged, or its header another than
    `header` with this `VERSION`.
    """
    if not path.exists():
        return []
    rows: list[tuple[dict, str]] = files.read_jsonl(path, lambda row, where: (row, where), what, remedy, torn_tail=True)
    if rows and rows[0][0].get(header) != VERSION:
        raise UserError(f"{rows[0][1]}: not a {what} that this version can read.", remedy)
    return rows


def kept_turns(path: Path, jobs: Iterable[ConversationJob], contestants: dict[str, Contestant]) -> dict[str, list[str]]:
    """The turns in the journal at `path` of conversations that are still to be played, by id (see `journal_rows`)."""
    kept: dict[str, list[str]] = {}
    rows = journal_rows(path, HEADER, "journal of turns", ANEW)
    marks = {job.conversation_id: mark(job, contestants) for job in jobs} if rows else {}
    for row, where in rows[1:]:
        for turn in read_fields(row, where, turns=list)[0]:
            if not isinstance(turn, dict):
                raise UserError(f"{where}: expected a turn, found {turn!r}.", ANEW)
            name, text, turn_mark, number = read_fields(turn, where, id=str, text=str, mark=str, number=int)
            if marks.get(name) != turn_mark:
                continue
            turns = kept.setdefault(name, [])
            if number != len(turns):
                raise UserError(f"{where}: turn {number} of {name} stands after turn {len(turns) - 1}.", ANEW)
            turns.append(text)
    return kept


class TurnJournal(files.Closing):
    """The turns of the conversations that a run plays, in memory and on disk. From any thread.

    Opening it takes out what no conversation that is still to be played needs, and a last line that a crash has torn.
    """

    def __init__(self, path: Path, jobs: Collection[ConversationJob], contestants: dict[str, Contestant]):
        self.path = path
        self.kept = kept_turns(path, jobs, contestants)
        self._marks = {job.conversation_id: mark(job, contestants) for job in jobs}
        self._lock, self._sync_lock = threading.Lock(), threading.Lock()
        self._written = self._durable = 0
        rows = [self._row(name, number, text) for name, turns in self.kept.items() for number, text in enumerate(turns)]
        files.write_jsonl(self.path, [{HEADER: VERSION}, *([{"turns": rows}] if rows else [])])
        self._journal = files.Journal(self.path)

    def _row(self, name: str, number: int, text: str) -> dict:
        return {"id": name, "mark": self._marks[name], "number": number, "text": text}

    def check(self) -> None:
        """Raise `UserError` where the study's folder isn't there any more: turns would be paid for, and lost."""
        self._journal.check()

    def add(self, turns: Sequence[tuple[ConversationJob, int, str]]) -> None:
        """Write what was answered at once: conversation, number (from 0, after the seed) and text of each turn.

        The disk has it after the next `sync`, and a crash of ours leaves it.
        """
        if not turns:
            return
        with self._lock:
            rows = [self._row(job.conversation_id, number, text) for job, number, text in turns]
            self._journal.append({"turns": rows}, sync=False)
            for job, _, text in turns:
                self.kept.setdefault(job.conversation_id, []).append(text)
            self._written += 1

    def sync(self) -> None:
        """Wait until the disk has all that was added before; who comes while another waits shares the next wait."""
        with self._lock:
            needed = self._written
        with self._sync_lock:
            if self._durable < needed:
                written = self._written
                self._journal.sync()
                self._durable = written

    def turns_of(self, job: ConversationJob) -> list[str]:
        """The turns that a conversation has so far."""
        with self._lock:
            return list(self.kept.get(job.conversation_id, ()))

    def forget(self, jobs: Iterable[ConversationJob]) -> None:
        """The rows of these conversations are written."""
        with self._sync_lock, self._lock:
            for job in jobs:
                self.kept.pop(job.conversation_id, None)

    def close(self) -> None:
        """Leave on disk what conversations that have not ended need; without any, the file goes."""
        with self._sync_lock, self._lock:
            whole = not self.kept and self._journal.is_there()
            self._journal.close()
            if whole:
                self.path.unlink(missing_ok=True)
