"""Whether a study's files are what was written, and can be read: what is wrong, where, and how to mend it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError
from parlai_spotbot.reading import parse_json
from parlai_spotbot.study import Study


@dataclass(frozen=True)
class CheckedFile:
    """A file, and what is `said` of it. With a `problem` it can't be used as it is; `remedy` is what to do."""

    path: Path
    said: str = ""
    problem: str = ""
    remedy: str = ""


def checked(path: Path, read: Callable[[], Any]) -> CheckedFile:
    """What `read` makes of the file: a sentence, or an error."""
    try:
        return CheckedFile(path, said=str(read() or ""))
    except UserError as err:
        return CheckedFile(path, problem=err.problem, remedy=err.remedy)
    except Exception as err:  # whatever stands in the file
        return CheckedFile(path, problem=f"{path}: cannot be read: {type(err).__name__}.", remedy="Put a copy back.")


def check_study(folder: Path | str) -> Iterator[CheckedFile]:
    """Every file of a study that a command wrote, the plan first; the crowd's own files are another matter."""
    folder = Path(folder)
    opened = checked(folder / "study.yaml", lambda: _sums(folder / "study.yaml", Study.open(folder)))
    yield opened
    study = Study(folder, None, None)  # its paths, whatever the plan says
    rows = {study.history_path: None, study.conversations_path: study.conversations}
    for units in sorted(folder.glob("surveys/*")):
        name = units.name
        rows[study.units_path(name)] = lambda name=name: study.units(name)
        rows[study.judgements_path(name)] = lambda name=name: study.judgements(name)
    further = {*study.summed(), *folder.glob("*.jsonl"), *folder.glob("surveys/*/*.jsonl"), *folder.glob("*.json")}
    further |= {
        *folder.glob("surveys/*/*.json"),
        *folder.glob("surveys/*/analysis/**/*.json"),
        *folder.glob("analysis/**/*.json"),
        *folder.glob("nuc/**/*.json*"),
    }
    for path in sorted((rows.keys() | further) - {opened.path}):
        if path.exists() or checksums.sums_path(path).exists():
            yield checked(path, lambda path=path: _sums(path, (rows.get(path) or (lambda: _parsed(path)))()))


def _parsed(path: Path) -> list | None:
    if not path.exists():
        return None
    if path.suffix == ".jsonl":
        return files.read_jsonl(path, lambda row, where: row, torn_tail=True)
    return None if path.suffix != ".json" else parse_json(path.read_bytes()) and None


def _sums(path: Path, found: Any) -> str:
    """What the checksums say; `found` are the rows, where there are any."""
    checksums.verify(path)
    told = [f"{len(found):,} rows"] if isinstance(found, list) else []
    edits = checksums.edits(path)
    if checksums.read_sums(path) is None:
        told.append("no checksums, so only its form can be checked")
    return "; ".join(told + ([f"by hand: {edits}"] if edits else []))


def accept_edits(study: Study | Path) -> dict[str, str]:
    """Take the files as they are, whoever changed them; returns what was changed, by path in the study."""
    folder = study.path if isinstance(study, Study) else study
    unread = Study(folder, None, None)
    found = {}
    for path in unread.summed():
        if not path.exists():
            checksums.sums_path(path).unlink()
            found[path.relative_to(folder).as_posix()] = "taken out whole"
        elif checked(path, lambda path=path: checksums.verify(path)).problem:
            found[path.relative_to(folder).as_posix()] = checksums.accept(path)
    opened = Study.open(folder)
    if found:
        opened.record("accepted", {**opened.provenance().get("accepted", {}), **found})
    return found
