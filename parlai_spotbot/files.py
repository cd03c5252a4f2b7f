"""Files that survive crashes: atomic writes, JSON Lines with named errors, journals, one lock per study.

A file written here is either the old one or the new one, whole; a journal is valid up to its last
complete line, and a line torn by a crash is cut off when the journal is opened again.
"""

import contextlib
import csv
import errno
import gc
import hashlib
import io
import json
import os
import re
import socket
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from operator import methodcaller
from pathlib import Path
from typing import Any, NamedTuple, Self

from filelock import AcquireReturnProxy, FileLock, SoftFileLock, Timeout, lock_descriptor

from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import Malformed, parse_json, regular
from parlai_spotbot.reading import json_of as json_of
from parlai_spotbot.reading import read_json as read_json

_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=methodcaller("to_json"))
"""Made once: `json.dumps` makes one a call. A record is what its `to_json` returns."""


def dumps(row: Any) -> str:
    """JSON in one line: keys in the order given, no escapes of non-ASCII text, no NaN."""
    return _JSON.encode(row)


PIECE = 1 << 20
"""Bytes that are read at once of files that may be large."""


def sha256(path: Path) -> str:
    """The SHA-256 of a file's bytes, as 64 hexadecimal digits."""
    with regular(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class FileState(NamedTuple):
    """Identity of a version of a file; another version has another one."""

    inode: int
    length: int
    changed: int


TICK = 50_000_000
"""Nanoseconds within which disks may give two changes one time."""


def state_of(path: Path) -> FileState | None:
    """Return the state of a file; None where there is none, or a change right after the last would not show in it."""
    try:
        about = path.stat()
    except OSError:
        return None
    settled = time.time_ns() - about.st_mtime_ns > TICK
    if settled:
        return FileState(about.st_ino, about.st_size, about.st_mtime_ns)
    return None


class Unchanged(dict[Path, tuple[FileState, Any]]):
    """Cache of files' contents; a file that has changed is read again."""

    def read_once(self, path: Path, read: Callable[[], Any]) -> Any:
        state = state_of(path)
        if state is None:
            return read()
        if path not in self or self[path][0] != state:
            self[path] = state, read()
        return self[path][1]


DISK_REMEDY = "Free some space, allow writing there, or choose another folder"
"""Remedy for a file that can't be written."""


@contextlib.contextmanager
def disk_errors(path: Path) -> Iterator[None]:
    """Turn an error of the disk while `path` is written into a `UserError`."""
    try:
        yield
    except OSError as err:
        raise UserError(
            f"{path}: cannot write: {err.strerror or err}.",
            f"{DISK_REMEDY}, then run the same command again: what was finished is kept.",
        ) from err


UNFINISHED = ".unfinished"
"""How a file ends that is being written; it bears its name when it is whole."""


def write_text(path: Path, text: str) -> None:
    """Replace `path` by `text`, as UTF-8, atomically and durably."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> None:
    """Replace `path` by `data`, atomically and durably (temporary file, fsync, rename)."""
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=UNFINISHED)
        try:
            with os.fdopen(handle, "wb") as out:
                with contextlib.suppress(OSError):  # a disk without locks
                    lock_descriptor(out.fileno(), blocking=False)
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
                os.chmod(name, 0o666 & ~_umask())
                try:
                    os.replace(name, path)
                except PermissionError:  # Windows moves no open file
                    out.close()
                    os.replace(name, path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name)
            raise
        sync(path.parent)


def remove_unfinished(folder: Path) -> None:
    """Remove what writes that were killed have left in a folder and below; those under way hold theirs."""
    for at, _, names in os.walk(folder):
        for name in names:
            if name.endswith(UNFINISHED):
                with contextlib.suppress(OSError), open(Path(at, name), "rb") as file:
                    if lock_descriptor(file.fileno(), blocking=False):
                        os.unlink(file.name)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def sync(path: Path) -> None:
    """Wait until the disk has what a file holds, or the names of a folder's files; Windows opens no folders."""
    try:
        handle = os.open(path, os.O_RDONLY)
    except PermissionError:
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_json(path: Path, value: Any) -> None:
    """Write `value` as indented JSON, atomically."""
    write_bytes(path, json_bytes(value))


def json_bytes(value: Any) -> bytes:
    """Return `value` as indented JSON, as a file has it."""
    return (json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode("utf-8")


def jsonl(rows: Iterable[Any]) -> str:
    """Return rows as JSON Lines."""
    return "".join(dumps(row) + "\n" for row in rows)


def write_jsonl(path: Path, rows: Iterable[Any]) -> None:
    """Write one JSON value, or record, a line, atomically."""
    write_text(path, jsonl(rows))


@contextlib.contextmanager
def reading_errors(path: Path, remedy: str) -> Iterator[None]:
    """Turn an error of the disk while `path` is read into a `UserError`, but not that it isn't there."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as err:
        raise UserError(f"{path}: can't be read: {err.strerror or err}.", remedy) from None


def bytes_of(path: Path, what: str = "file", remedy: str = "Remove it, and put a copy back.") -> bytes | None:
    """Return what a file holds; None where there is none."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), reading_errors(path, remedy):
        return regular(path, what, remedy).read_bytes()
    return None


def jsonl_rows(
    path: Path,
    parse: Callable[[Any, str], Any],
    what: str = "file",
    remedy: str = "",
    torn_tail: bool = False,
    check: Callable[[Path, dict], None] | None = None,
    lines: bool = False,
) -> Iterator[Any]:
    """Read JSON Lines row by row.

    Parameters
    ----------
    parse : callable (row: dict, where: str) -> value
        Called with ``where = "FILE, line N"``; raises `UserError` that names the field.
    torn_tail : bool
        Whether a last line without its newline (a crash while appending) is left out; otherwise it is an error.
    check : callable (path, record)
        Called in the end with the number of bytes and their SHA-256; raises `UserError` where they are not what was
        written (checksums.py).
    lines : bool
        Whether `parse` may be given a line as it is (`user_files.read_row`), to raise a `ValueError` where it is wrong;
        then it is called with the row, to say what.
    """
    length = 0
    digest = hashlib.sha256()
    try:
        with reading_errors(path, remedy):
            opened = regular(path, what, remedy).open("rb")
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{path}: no such {what}.", remedy) from None
    with opened as file, reading_errors(path, remedy):
        for number, line in enumerate(file, start=1):
            length += len(line)
            if check is not None:
                digest.update(line)
            if torn_tail and not line.endswith(b"\n"):
                break
            where = f"{path}, line {number}"
            value = None
            if lines:
                with contextlib.suppress(ValueError):
                    value = parse(line, where)
            if value is None:
                value = parse(_row_of(line, where, remedy), where)
            yield value
    if check is not None:
        check(path, {"bytes": length, "sha256": digest.hexdigest()})


def _row_of(line: bytes, where: str, remedy: str) -> dict:
    """Return the object that a line of JSON Lines holds."""
    try:
        row = parse_json(line.removesuffix(b"\n"))
    except Malformed as err:
        raise UserError(f"{where}: not valid JSON: {err}.", remedy or "Correct or remove that line.") from None
    if not isinstance(row, dict):
        raise UserError(f"{where}: expected a JSON object, found {type(row).__name__}.", remedy)
    return row


def read_jsonl(path: Path, *options: Any, **more: Any) -> list:
    """Return the rows of a file of JSON Lines, see `jsonl_rows`."""
    with no_collection():
        return list(jsonl_rows(path, *options, **more))


@contextlib.contextmanager
def no_collection() -> Iterator[None]:
    """No search for garbage: rows that are kept are none, and looking through them takes half of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextlib.contextmanager
def rare_collection() -> Iterator[None]:
    """Fewer searches for garbage: with Python's own number they take a fifth of the time of importing torch, and a
    tenth of a report's."""
    before = gc.get_threshold()
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)


RARELY = (50_000, 20, 20)
"""New objects before a search, and searches before one through older objects."""

NUMBER = r"[\d.,%\seE()+–-]{0,30}(?:to [\d.,%\seE()+–-]{0,30})?"
BLANK = r"[ \xa0\x00-\x08\x0e-\x1f\xad\u1680\u2000-\u200f\u202a-\u202f\u205f-\u2069\u3000\ufeff]*"
"""What spreadsheets, or programs that clean texts, may leave out in front; no separator among them."""
FORMULA = re.compile(
    rf"(?:^|(?<=[,;|\t\r\n\"\x0b\x0c\x85\u2028\u2029]))(?={BLANK}(?:[=@＝＠﹦﹫]|[+＋﹢－﹣−-](?!{NUMBER}(?:$|[;|\"])).))|"
    r"^(?=[\t\r])"
)
"""Where spreadsheets would compute: at the beginning of a cell, or after a separator where programs may cut it.

Numbers, and ranges of them, may begin with a sign.
"""


def cell(value: Any) -> Any:
    """A cell as it is in a CSV file: where a spreadsheet would take a text for a formula, a ' comes before it."""
    if isinstance(value, str):
        return FORMULA.sub("'", value)
    return value


def csv_text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows as CSV, with None as nothing; the one way to write CSV (see `cell`)."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([cell(value) for value in header])
    writer.writerows([cell(value) for value in row] for row in rows)
    return out.getvalue()


def frame_csv(frame: Any) -> str:
    """A pandas frame as CSV, without its index: the texts in it as `cell` has them."""
    texts = {name: frame[name].map(cell) for name in frame.columns if frame[name].dtype.kind == "O"}
    return frame.assign(**texts).rename(columns=cell).to_csv(index=False, lineterminator="\n")


class Closing:
    """Object that is closed at the end of its ``with``."""

    def close(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class Journal(Closing):
    """An append-only JSON Lines file; each `append` is durable when it returns, all its rows or none.

    Opening it cuts off a last line that a crash tore. A failed write (full disk) takes back what it had
    written and raises `UserError`.
    """

    def __init__(self, path: Path):
        self.path = path
        with disk_errors(self.path):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._file = open(self.path, "a+b", buffering=0)  # noqa: SIM115
            self.cut = self._cut_torn_line()

    def _cut_torn_line(self) -> int:
        length = self._file.seek(0, os.SEEK_END)
        good = length
        while good:
            start = max(0, good - PIECE)
            self._file.seek(start)
            last = self._file.read(good - start).rfind(b"\n")
            if last >= 0:
                good = start + last + 1
                break
            good = start
        if good < length:
            self._file.truncate(good)
            os.fsync(self._file.fileno())
        return length - good

    def append(self, *rows: Any, sync: bool = True) -> int:
        """Append `rows`, one a line, and wait until the disk has them; without `sync`, it has them after the next.

        Returns how many bytes they are.
        """
        self.check()
        data = jsonl(rows).encode("utf-8")
        start = os.fstat(self._file.fileno()).st_size
        with disk_errors(self.path):
            try:
                view = memoryview(data)
                while view:
                    view = view[self._file.write(view) :]
                if sync:
                    os.fsync(self._file.fileno())
            except OSError:
                self._file.truncate(start)
                raise
        return len(data)

    def check(self) -> None:
        """Raise `UserError` where the file is no longer the one that was opened: what is written would be lost."""
        if not self.is_there():
            raise UserError(
                f"{self.path}: the file, or its folder, was removed or replaced.",
                "Nothing more is done. Put the folder back, then run the same command again.",
            )

    def is_there(self) -> bool:
        """Return True if the path still names the file that was opened."""
        return self.path.exists() and os.path.samestat(self.path.stat(), os.fstat(self._file.fileno()))

    def sync(self) -> None:
        """Wait until the disk has all that was appended."""
        with disk_errors(self.path):
            os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


IN_USE = "Wait until it ends, or stop it, then run the same command again."
WITHOUT_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
"""Errors of a disk that has no locks, as Lustre and NFS may be mounted."""
HELD = ".held"
"""How the file ends whose existence is the lock on such a disk; it holds process and host."""


def acquired(path: Path, timeout: float = -1) -> AcquireReturnProxy:
    """Take the lock of `path` until the end of a ``with``; waits `timeout` seconds, without one until it is free.

    On a disk without locks the file ``path`` + `HELD` is the lock; one of a process of this host that is gone is taken
    over. Raises `filelock.Timeout`.
    """
    mode = 0o666 & ~_umask()
    try:
        return FileLock(path, timeout=timeout, mode=mode, fallback_to_soft=False).acquire()
    except OSError as err:
        if err.errno not in WITHOUT_LOCKS:
            raise
        return SoftFileLock(f"{path}{HELD}", timeout=timeout, mode=mode).acquire()


@contextlib.contextmanager
def lock(path: Path, command: str, remedy: str = IN_USE) -> Iterator[None]:
    """Hold `path` for this process; another holder is a `UserError` that names it. Freed even by kill -9.

    What killed writes left beside it and below is removed.
    """
    with disk_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            held = acquired(path, timeout=0)
        except Timeout as err:
            raise _in_use(path, Path(err.lock_file), remedy) from None
    with held:
        since = datetime.now(UTC).isoformat(" ", "seconds")
        with contextlib.suppress(OSError):
            path.write_text(
                f"{command} (process {os.getpid()} on {socket.gethostname()}, since {since})", encoding="utf-8"
            )
        remove_unfinished(path.parent)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.truncate(path, 0)


def _in_use(path: Path, held: Path, remedy: str) -> UserError:
    """Return the error that names the holder of a lock."""
    holder = ""
    with contextlib.suppress(OSError):
        holder = path.read_text(encoding="utf-8", errors="replace")
    if held != path:
        remedy += f" This disk has no locks: where that process is gone, on a host that is gone, remove {held}."
    return UserError(f"{path.parent} is in use by {holder or 'another process'}.", remedy)
