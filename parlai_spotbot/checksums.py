"""Checksums of a study's files, line by line: what was lost, doubled or changed since it was written is named.

Beside FILE lies ``.FILE.sums``: a line for each line of FILE, with its CRC-32. They are against accidents, not against
ill will. A file without them, of an older release or copied from elsewhere, is read as it is, and gets them when it is
next written to.

Appending writes the sums first, then the rows (which alone wait for the disk), then a full stop: so after a kill the
rows that did not come are those behind the last full stop. A power cut may take the latest sums; rows without any are
kept and named, for they may as well have come by hand. A file that is replaced has its new sums beside the old ones for
that moment, and either will do.

A change by hand that was accepted stays known: its lines are marked, and so is how many went.
"""

from __future__ import annotations

import json
import os
import sys
import zlib
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from parlai_spotbot import files, hints
from parlai_spotbot.errors import UserError
from parlai_spotbot.files import sums_path

HEAD = b"spotbot sums 1"
STOP = b"."
MARK = b" ?"
"""Behind the sum of a line that no command of ours has written."""
GONE = b"gone "
"""Behind it stands how many lines were taken out by hand."""

MOST_NAMED = 5


@dataclass
class Sums:
    """The sums of a file's lines: those that must be there, `pending` ones that may be, which of them are `marked`, and
    how many lines are `gone`."""

    lines: list[bytes] = field(default_factory=list)
    pending: list[bytes] = field(default_factory=list)
    marked: set[bytes] = field(default_factory=set)
    gone: int = 0

    def text(self) -> bytes:
        """The whole file of sums, nothing pending."""
        head = [HEAD, *([GONE + b"%d" % self.gone] if self.gone else [])]
        body = [line + MARK if line in self.marked else line for line in self.lines]
        return b"\n".join([*head, *body, STOP, b""])


def _next_path(path: Path) -> Path:
    return path.with_name(f".{path.name}.sums.next")


def read_sums(path: Path) -> Sums | None:
    """The sums that lie beside `path`; None where there are none. A `UserError` where they are spoilt."""
    return _parsed(sums_path(path))


def _parsed(path: Path) -> Sums | None:
    try:
        rows = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return None
    if rows[0] != HEAD:
        raise _spoilt(path)
    rows.pop()  # what a crash has torn, or nothing behind the last line
    gone, marked, body = 0, set(), rows[1:]
    if body and body[0].startswith(GONE):
        count = body[0].removeprefix(GONE)
        if not count.isdigit():
            raise _spoilt(path)
        gone, body = int(count), body[1:]
    last = len(body) - body[::-1].index(STOP) if STOP in body else 0
    lines, pending = [[row for row in part if row != STOP] for part in (body[:last], body[last:])]
    for part in (lines, pending):
        for place in [place for place, length in enumerate(map(len, part)) if length != 8]:
            if len(part[place]) != 10 or not part[place].endswith(MARK):
                raise _spoilt(path)
            part[place] = part[place][:8]
            marked.add(part[place])
    return Sums(lines, pending, marked, gone)


def _spoilt(path: Path) -> UserError:
    return UserError(f"{path}: not a file of checksums.", f"See what it says: {_check(path)}")


def _check(path: Path, **more: object) -> str:
    """The command that checks the study in which `path` lies."""
    study = next((folder for folder in path.absolute().parents if (folder / "study.yaml").exists()), path.parent)
    return hints.command("check", study, **more)


# -- what differs ------------------------------------------------------------------------------------------------------
def sums_in(path: Path) -> list[bytes]:
    """The checksums of a file's lines; of JSON Lines without one that a crash has torn."""
    with open(path, "rb") as lines:
        return [
            b"%08x" % zlib.crc32(line.removesuffix(b"\n"))
            for line in lines
            if line.endswith(b"\n") or path.suffix != ".jsonl"
        ]


def _lines_in(path: Path) -> int:
    """How many checksums `sums_in` gives, without reckoning them."""
    count, end = 0, b"\n"
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            count, end = count + block.count(b"\n"), block[-1:]
    return count + (end != b"\n" and path.suffix != ".jsonl")


def differences(path: Path, lines: Sequence[bytes] | None = None) -> list[str]:
    """What is otherwise in `path` than it was written, a clause each; [] where nothing is, or nobody can say."""
    path = Path(path)
    sums = read_sums(path)
    if sums is None:
        return []
    if lines is not None and _agrees(path, sums_of(lines), sums):
        return []
    if not path.exists():
        return ["it is gone"]
    have = sums_in(path)  # once more: another command may have gone on writing
    return [] if _agrees(path, have, sums) else _named(have, sums)


def sums_of(lines: Iterable[bytes]) -> list[bytes]:
    return [b"%08x" % crc for crc in map(zlib.crc32, lines)]


def _agrees(path: Path, have: list[bytes], sums: Sums) -> bool:
    """Whether the lines are those of the sums, or of those that are about to replace them. Lines behind the last sum
    are another matter."""
    if _begins_with(have, sums):
        return True
    other = _parsed(_next_path(path))
    return other is not None and _begins_with(have, other)


def _plainly_agrees(path: Path, lines: Sequence[bytes]) -> bool:
    """Whether each line has its sum, and nothing else is to be said of the file: quick, for it is nearly always so."""
    try:
        head, _, body = sums_path(path).read_bytes().partition(b"\n")
        due = array("I", bytes.fromhex(body.replace(STOP + b"\n", b"").decode("ascii")))
    except (FileNotFoundError, ValueError):
        return False
    if sys.byteorder == "little":
        due.byteswap()
    return head == HEAD and body.endswith(STOP + b"\n") and array("I", map(zlib.crc32, lines)) == due


def _begins_with(have: list[bytes], sums: Sums) -> bool:
    certain = len(sums.lines)
    further = have[certain : certain + len(sums.pending)]
    if have[:certain] != sums.lines or further != sums.pending[: len(further)]:
        return False
    return not _again(have[certain + len(further) :], sums)


def _again(behind: list[bytes], sums: Sums) -> bool:
    """Whether lines behind the last sum are doubles of others."""
    return bool(behind) and not set(behind).isdisjoint(sums.lines)


def _changes(have: list[bytes], sums: Sums) -> list[tuple[str, int, int, int]]:
    """What leads from the lines that were written to those there are: ("replace", "delete" or "insert", the first line
    from 0, how many lines there were, and are). Lines behind the last one with a sum are none, unless doubles."""
    due = sums.lines + sums.pending[: max(0, len(have) - len(sums.lines))]
    front = 0
    while front < min(len(have), len(due)) and have[front] == due[front]:
        front += 1
    back = 0
    while back < min(len(have), len(due)) - front and have[-1 - back] == due[-1 - back]:
        back += 1
    old, new = due[front : len(due) - back], have[front : len(have) - back]
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    found = [(kind, front + c, b - a, d - c) for kind, a, b, c, d in steps if kind != "equal"]
    kind, first, _, count = found[-1] if found else ("", 0, 0, 0)
    if kind == "insert" and first + count == len(have) and not _again(have[first:], sums):
        found.pop()
    return found


def _named(have: list[bytes], sums: Sums) -> list[str]:
    """Which lines were changed, taken out or put in, as far as sums can tell."""
    written, found = set(sums.lines), []
    for kind, first, were, times in _changes(have, sums):
        here, one = _lines(first + 1, times), times == 1
        if kind == "delete":
            found.append(f"{_count(were)} missing before line {first + 1}")
        elif kind == "replace" and were == times:
            found.append(f"{here} {'is' if one else 'are'} not what was written")
        elif kind == "replace":
            found.append(f"{here} {'stands' if one else 'stand'} where {_count(were)} stood")
        elif written.issuperset(have[first : first + times]):
            found.append(f"{here} {'is' if one else 'are'} there twice")
        else:
            found.append(f"{here} {'was' if one else 'were'} put in")
    more = len(found) - MOST_NAMED
    return found[:MOST_NAMED] + ([f"and so on, in {more} more places"] if more > 0 else [])


def _lines(first: int, count: int) -> str:
    return f"line {first}" if count == 1 else f"lines {first} to {first + count - 1}"


def _count(lines: int) -> str:
    return "1 line" if lines == 1 else f"{lines} lines"


def verify(path: Path, lines: Sequence[bytes] | None = None, remedy: str = "") -> None:
    """A `UserError` that says which lines of `path` are not what was written; `lines` where they were read already.

    `remedy` says how a file is made anew that follows from others.
    """
    found = [] if lines is not None and _plainly_agrees(Path(path), lines) else differences(path, lines)
    if found:
        raise UserError(
            f"{path}: changed since it was written: {'; '.join(found)}.",
            f"{remedy or 'Put a copy of the file back.'} Or, where you changed it yourself: "
            + _check(Path(path), accept=True),
        )


def edits(path: Path) -> str:
    """What came into `path` by hand, in words: lines that were accepted or have no sum; "" for nothing."""
    sums = read_sums(path)
    if sums is None or not Path(path).exists():
        return ""
    have = sums_in(Path(path)) if sums.marked else []
    without = max(0, (len(have) or _lines_in(Path(path))) - len(sums.lines) - len(sums.pending))
    told = {
        "changed or added": sum(line in sums.marked for line in have),
        "taken out": sums.gone,
        "added at the end, by hand or before a power cut": without,
    }
    return ", ".join(f"{_count(count)} {how}" for how, count in told.items() if count)


def accept(path: Path) -> str:
    """Take the file as it is, whoever changed it, and keep in mind what was changed; returns that in words."""
    path = Path(path)
    have = sums_in(path)
    try:
        before = read_sums(path) or Sums(have)
    except UserError:
        before = Sums()
    changes = _changes(have, before)
    new = {line for _, first, _, count in changes for line in have[first : first + count]}
    gone = before.gone + sum(max(0, were - count) for _, _, were, count in changes)
    marked = (before.marked | new | set(have[len(before.lines) + len(before.pending) :])) & set(have)
    files.write_bytes(sums_path(path), Sums(have, [], marked, gone).text())
    _next_path(path).unlink(missing_ok=True)
    return edits(path)


# -- reading and writing -----------------------------------------------------------------------------------------------
def read_jsonl(path: Path, *args: Any, **more: Any) -> list:
    """`files.read_jsonl`, and the lines are those that were written."""
    return files.read_jsonl(path, *args, **more, check=verify)


def read_journal(path: Path, parse: Callable[[dict, str], Any]) -> list:
    """The rows of a journal; [] where it has not begun. One that is gone is a `UserError`."""
    if Path(path).exists():
        return read_jsonl(path, parse, torn_tail=True)
    verify(path)
    return []


def read_json(path: Path, what: str = "file", remedy: str = "") -> Any:
    """`files.read_json`, and the lines are those that were written."""
    value = files.read_json(path, what, remedy)
    verify(path, remedy=remedy)
    return value


def write_jsonl(path: Path, rows: Iterable[Any]) -> None:
    """`files.write_jsonl`, with checksums."""
    write_text(path, "".join(files.dumps(row) + "\n" for row in rows))


def write_json(path: Path, value: Any) -> None:
    """`files.write_json`, with checksums."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """`files.write_text`, with checksums."""
    write_bytes(path, (text.encode("utf-8"),))


def write_anew(path: Path, value: Any) -> None:
    """`write_json` of what follows from other files: what was changed in it by hand is no more."""
    _remove_sums(path)
    write_json(path, value)


def remove(path: Path) -> None:
    """Remove a file, if it is there, and its sums."""
    _remove_sums(path)
    path.unlink(missing_ok=True)


def _remove_sums(path: Path) -> None:
    for sums in (_next_path(path), sums_path(path)):
        sums.unlink(missing_ok=True)


def write_bytes(path: Path, pieces: Iterable[bytes]) -> None:
    """`files.write_bytes`, with checksums."""
    path = Path(path)
    try:
        before = read_sums(path)
    except UserError:
        before = Sums()
    if before is None:  # what has no sums is not damaged by the lack of them
        files.write_bytes(path, pieces)
        files.write_bytes(sums_path(path), Sums(sums_in(path)).text())
        return
    whole = b"".join(pieces)
    have = sums_of(whole.split(b"\n")[: None if whole and not whole.endswith(b"\n") else -1])
    files.write_bytes(_next_path(path), Sums(have, [], before.marked & set(have), before.gone).text())
    files.write_bytes(path, whole)
    os.replace(_next_path(path), sums_path(path))


class Journal(files.Journal):
    """`files.Journal`, with checksums: what it is opened on must be what was written."""

    def __init__(self, path: Path):
        path = Path(path)
        if not path.exists():
            sums_path(path).unlink(missing_ok=True)
        super().__init__(path)
        try:
            verify(path)
            self._sums = self._opened()
        except BaseException:
            super().close()
            raise

    def _opened(self) -> Any:
        """The file of sums, for all lines that are there: those that had none are marked where others have."""
        have, known = sums_in(self.path), read_sums(self.path)
        whole = known is not None and have == known.lines and sums_path(self.path).read_bytes().endswith(STOP + b"\n")
        if not whole:
            sums = known or Sums(have)
            certain = len(sums.lines) + len(sums.pending)
            files.write_bytes(sums_path(self.path), Sums(have, [], sums.marked | set(have[certain:]), sums.gone).text())
        return open(sums_path(self.path), "ab", buffering=0)

    def append(self, *rows: Any) -> None:
        start = os.fstat(self._sums.fileno()).st_size
        lines = [files.dumps(row).encode("utf-8") for row in rows]
        self._sums.write(b"".join(one + b"\n" for one in sums_of(lines)))
        try:
            super().append(*rows)
        except BaseException:
            self._sums.truncate(start)
            raise
        self._sums.write(STOP + b"\n")

    def close(self) -> None:
        self._sums.close()
        super().close()
