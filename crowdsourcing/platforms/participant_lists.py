"""Participants as the platform knows them: its own list of who took part, against which a collection is checked.

A page can be asked for by anybody who has its address; what counts is whom the platform sent. Its list comes from
Prolific's export (CSV) or from MTurk, and is in `platform.jsonl` of the collection from then on, so
that every later collection goes by it. Who isn't on it is left out of the judgements; the ledger keeps the answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import Malformed, csv_rows

PLATFORM = "platform"
"""What a collection's provenance calls what came of holding it against the platform's list."""

UNKNOWN = "unknown to the platform"

MOST_BYTES = 64 * 1024 * 1024

COLUMNS = {"registration": ("submission id", "session id"), "worker": ("participant id",), "status": ("status",)}
"""What Prolific's export calls them, now and before; case and underscores don't matter."""

REFUSED = frozenset({"rejected"})
"""Work that was rejected on the platform is left out, as what Mephisto's tools rejected."""


@dataclass(frozen=True)
class PlatformEntry:
    """A participant's submission, or a worker's assignment (`registration`); how it stands there, in small letters."""

    worker: str
    registration: str
    status: str


@dataclass(frozen=True)
class PlatformCheck:
    """Finished hand-outs of people whom the platform doesn't know, and of those whose work it shows as rejected."""

    unknown: frozenset[str] = frozenset()
    rejected: frozenset[str] = frozenset()


# -- the list on disk ------------------------------------------------------------------------------------------------
def read_entries(path: Path) -> list[PlatformEntry] | None:
    """The list that was taken over last; None where there is none."""
    if Path(path).exists():
        return checksums.read_jsonl(path, _entry, "platform's list")
    checksums.verify(path)
    return None


def _entry(row: dict, where: str) -> PlatformEntry:
    return PlatformEntry(*(files.field(row, name, str, where) for name in ("worker", "registration", "status")))


def add_entries(path: Path, entries: Iterable[PlatformEntry]) -> None:
    """Put these on the list, which its owner only may read; they replace what stood there of the same submissions."""
    rows = {(one.worker, one.registration): one for one in [*(read_entries(path) or ()), *entries]}
    checksums.write_jsonl(path, [asdict(rows[key]) for key in sorted(rows)])
    Path(path).chmod(0o600)


# -- where it comes from ---------------------------------------------------------------------------------------------
def read_export(path: Path | str) -> list[PlatformEntry]:
    """The submissions in Prolific's export; a file that is none is a `UserError` that names what is missing."""
    path = Path(path)
    remedy = "Download it from the study's page at Prolific: Submissions, More, Download submission data (CSV)."
    try:
        if path.stat().st_size > MOST_BYTES:
            raise UserError(f"--submissions {path}: larger than {MOST_BYTES // 2**20} MiB.", remedy)
        header, *rows = [row for _, row in csv_rows(path)] or [[]]
    except OSError as err:
        raise UserError(f"--submissions {path}: cannot be read: {err.strerror}.", remedy) from None
    except Malformed as err:
        raise UserError(f"--submissions {path}: not a CSV file in UTF-8: {err}.", remedy) from None
    named = {_plain(name): place for place, name in enumerate(header)}
    places = {key: next((named[one] for one in names if one in named), None) for key, names in COLUMNS.items()}
    missing = [COLUMNS[key][0] for key, place in places.items() if place is None]
    if missing:
        raise UserError(f"--submissions {path}: no column '{missing[0]}'.", remedy)
    most = max(places.values())
    entries = [
        PlatformEntry(**{key: row[place].strip().lower() for key, place in places.items()})
        for row in rows
        if len(row) > most
    ]
    entries = [entry for entry in entries if entry.worker]
    if not entries:
        raise UserError(f"--submissions {path}: no submission in it.", remedy)
    return entries


def _plain(name: str) -> str:
    return " ".join(name.replace("_", " ").split()).lower()
