"""A user's own domain: a description (YAML) that names a ParlAI task or files of conversations, or such a file alone.

A study keeps a copy of it in its folder ``domain/``, with checksums, so that it goes on when the user's file has moved.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from parlai_spotbot import files
from parlai_spotbot.domains import folding
from parlai_spotbot.domains.conversation_files import ConversationRow, read_rows
from parlai_spotbot.domains.parlai_tasks import FOLDS, Episode
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import NAME
from parlai_spotbot.study_plan import check_segments
from parlai_spotbot.user_files import read_file

OF_TASK = ("options", "situation")
SUFFIXES = (".yaml", ".yml", ".jsonl", ".json")
COPY = "domain"
"""The folder of a study that keeps its domain."""

DESCRIPTION = "domain.yaml"
EXAMPLE = "A description is for example 'name: cafe' and 'conversations: cafe.jsonl'."

NOTES = {
    "split": "Folds follow the splits of the data and share no conversation",
    "people": "The folds share no person and no conversation",
    "hash": "Folds follow a hash of the turns and share no conversation; they may share people",
}


@dataclass(frozen=True)
class DomainDescription:
    """A domain as its description says; `paths` holds (split, file, SHA-256), with "" for a file of all splits."""

    name: str
    description: str = ""
    task: str = ""
    options: tuple[tuple[str, str], ...] = ()
    paths: tuple[tuple[str, Path, str], ...] = ()
    segments: tuple[int, ...] = (2, 3, 5)
    contexts: bool = True
    situation: str = ""
    folds: str = "split"
    hidden_test: bool = False

    def plain(self) -> dict:
        """The description as it is written into a study, with the copies' names and checksums."""
        row: dict[str, Any] = {"name": self.name, "description": self.description}
        if self.task:
            row |= {"task": self.task, "options": dict(self.options), "situation": self.situation}
        else:
            row["conversations"] = {split: copy_name(split) for split, _, _ in self.paths if split} or copy_name("")
            row["sha256"] = {copy_name(split): digest for split, _, digest in self.paths}
        row |= {"segments": list(self.segments), "contexts": self.contexts, "folds": self.folds}
        return row | {"hidden_test": self.hidden_test}


def copy_name(split: str) -> str:
    return f"{split or 'conversations'}.jsonl"


def is_file(name: str) -> bool:
    """Return True if `name` is a file rather than a task."""
    return Path(name).suffix.lower() in SUFFIXES


def describe(path: Path) -> DomainDescription:
    """Read a description, or make one for a file of conversations; everything in it is checked.

    Raises `UserError` naming file, line and field.
    """
    path = Path(path).expanduser()
    if path.suffix.lower() in (".yaml", ".yml"):
        described = _from_description(path)
    else:
        described = DomainDescription(
            _name_of(path), f"Conversations from {path.name}.", paths=(("", path, _checksum(path)),), folds=""
        )
    return described if described.task else _settled(described)


def _name_of(path: Path) -> str:
    return re.sub(r"[^A-Za-z0-9_.+-]+", "-", path.stem).lstrip("_.+-") or "conversations"


def _settled(described: DomainDescription) -> DomainDescription:
    """The description with its way of folding, where none was chosen; reads and checks all conversations."""
    rows = _rows(described.paths, described.name)
    if not described.folds:
        whole = all(row.split for row in rows), all(all(row.episode.people) for row in rows)
        described = replace(described, folds="split" if whole[0] else "people" if whole[1] else "hash")
    has_context = any(any(row.episode.context) for row in rows)
    described = replace(described, contexts=described.contexts and has_context)
    folds, _ = folds_of(described)
    if not folds["seeds"]:
        sizes = ", ".join(f"{fold} {len(episodes)}" for fold, episodes in folds.items())
        way = "Name a split 'test', or 'seeds'" if described.folds == "split" else "Add conversations"
        raise UserError(
            f"domain '{described.name}': no conversation is left for seeds ({sizes}).",
            f"{way}; or say 'folds: hash', or, with split valid, 'hidden_test: true', in its description.",
        )
    return described


# -- the description -------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class DescriptionFile:
    """The keys of a description, as its file holds them."""

    name: str
    description: str = ""
    task: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    conversations: str | dict[str, str] = ""
    segments: list[int] | None = None
    contexts: bool = True
    situation: str = ""
    folds: str = ""
    hidden_test: bool = False
    sha256: dict[str, str] = field(default_factory=dict)


def _from_description(path: Path) -> DomainDescription:
    row, where = read_file(DescriptionFile, path, EXAMPLE), str(path)
    if not NAME.match(row.name):
        raise UserError(f"{where}: field 'name' is '{row.name}'.", "Use letters, digits and . _ + -")
    if bool(row.task) == bool(row.conversations):
        raise UserError(f"{where}: expected one of the fields 'task' and 'conversations'.", EXAMPLE)
    for key in OF_TASK if not row.task else ():
        if getattr(row, key):
            raise UserError(f"{where}: field '{key}' goes with a task, not with files.", "Remove it.")
    folds = row.folds or ("split" if row.task else "")
    if folds and folds not in (("split",) if row.task else folding.WAYS):
        hint = "A task's folds follow its splits." if row.task else nearest(folds, folding.WAYS)
        raise UserError(f"{where}: field 'folds' is '{folds}'.", hint)
    if row.hidden_test and folds != "split":
        raise UserError(f"{where}: field 'hidden_test' goes with folds by split.", "Add 'folds: split', or remove it.")
    return DomainDescription(
        name=row.name,
        description=row.description,
        task=row.task,
        options=tuple((key, str(value)) for key, value in row.options.items()),
        paths=() if row.task else _paths(row, path),
        segments=(2, 3, 5) if row.segments is None else check_segments(row.segments, where),
        contexts=row.contexts,
        situation=row.situation,
        folds=folds,
        hidden_test=row.hidden_test,
    )


def _paths(row: DescriptionFile, path: Path) -> tuple[tuple[str, Path, str], ...]:
    """Return the files that a description names, relative to itself; where it holds checksums they must be right."""
    named = {"": row.conversations} if isinstance(row.conversations, str) else row.conversations
    files_found = []
    for split, name in named.items():
        if split and split not in (*folding.SPLITS, *FOLDS):
            raise UserError(
                f"{path}: field 'conversations' names the split '{split}'.", nearest(split, (*folding.SPLITS, *FOLDS))
            )
        file = path.parent / Path(name).expanduser()
        digest = _checksum(file)
        if row.sha256.get(name, digest) != digest:
            raise UserError(
                f"{file}: has changed since {path} was written (its SHA-256 is another one).",
                "Put the old file back, or make a new study with the new one.",
            )
        files_found.append((split, file.resolve(), digest))
    return tuple(files_found)


def _checksum(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{path}: no such file of conversations.", "Correct its name.") from None
    except IsADirectoryError:
        raise UserError(f"{path}: is a folder, expected a file of conversations.", "Name the file.") from None
    except OSError as err:
        raise UserError(f"{path}: can't be read: {err.strerror or err}.", "Correct its name.") from None


# -- the conversations -----------------------------------------------------------------------------------------------
@lru_cache(maxsize=8)
def _rows(paths: tuple[tuple[str, Path, str], ...], name: str) -> tuple[ConversationRow, ...]:
    return tuple(row for split, path, _ in paths for row in read_rows(path, name, split))


@lru_cache(maxsize=8)
def folds_of(described: DomainDescription) -> tuple[dict[str, tuple[Episode, ...]], str]:
    """The conversations of each fold, and what is promised about them; each conversation is in one fold only."""
    rows, seen = [], set()
    for row in _rows(described.paths, described.name):
        if row.episode.turns not in seen:
            seen.add(row.episode.turns)
            rows.append(row if described.contexts else replace(row, episode=replace(row.episode, context=("", ""))))
    _check_ids(rows)
    chosen = _chosen(described, rows)
    folds: dict[str, list[Episode]] = {fold: [] for fold in FOLDS}
    for row, fold in zip(rows, chosen, strict=True):
        if fold:
            folds[fold].append(row.episode)
    double = len(_rows(described.paths, described.name)) - len(rows)
    note = _note(described.folds, folds, sum(fold is None for fold in chosen), double)
    return {fold: tuple(episodes) for fold, episodes in folds.items()}, note


def _note(way: str, folds: dict[str, list[Episode]], lost: int, double: int) -> str:
    """Return what is promised about the folds, and what they leave out."""
    note = NOTES[way]
    if way == "split":
        people = [{p for e in episodes for p in e.people} for episodes in folds.values()]
        shared = sum(count > 1 for count in Counter(p for person in people for p in person if p).values())
        unknown = any("" in person for person in people)
        reason = "the data do not say who spoke, so they may share people"
        note += f"; {reason}" if unknown else f"; they share {shared} people"
    if lost:
        note += f"; {lost} conversations between people of different folds are left out"
    if double:
        note += f"; {double} that stood there before count once"
    return f"{note}."


def _check_ids(rows: Sequence[ConversationRow]) -> None:
    places: dict[str, str] = {}
    for row in rows:
        identity = row.episode.episode_id
        if identity in places:
            raise UserError(f"{row.where}: field 'id' is '{identity}', as in {places[identity]}.", "Give each its own.")
        places[identity] = row.where


def _chosen(described: DomainDescription, rows: Sequence[ConversationRow]) -> list[str | None]:
    episodes = [row.episode for row in rows]
    needs = {"split": lambda row: row.split, "people": lambda row: all(row.episode.people)}
    lacking = next((row for row in rows if described.folds in needs and not needs[described.folds](row)), None)
    if lacking is not None:
        raise UserError(
            f"{lacking.where}: field '{described.folds}' is missing, but folds go by {described.folds}.",
            "Add it to every line, or say 'folds: hash' in the description of the domain.",
        )
    if described.folds == "split":
        return list(folding.by_split(episodes, [row.split for row in rows], described.hidden_test))
    return folding.by_people(episodes) if described.folds == "people" else list(folding.by_hash(episodes))


# -- a study's own copy ----------------------------------------------------------------------------------------------
def keep(described: DomainDescription, study: Path) -> None:
    """Write the domain into the study's folder, whole or not at all: the description, which counts, comes last."""
    folder = Path(study) / COPY
    folder.mkdir(parents=True, exist_ok=True)
    for split, path, digest in described.paths:
        copy = folder / copy_name(split)
        if not copy.exists() or _checksum(copy) != digest:
            partial = copy.with_suffix(".tmp")
            try:
                shutil.copyfile(path, partial)
            except OSError as err:
                partial.unlink(missing_ok=True)
                remedy = files.disk_remedy(err, "choose another folder")
                raise UserError(f"{copy}: cannot write: {err.strerror or err}.", f"{remedy}.") from err
            partial.replace(copy)
    text = yaml.safe_dump(described.plain(), sort_keys=False, allow_unicode=True)
    files.write_text(
        folder / DESCRIPTION, "# The domain of this study, kept so that it goes on wherever it is.\n" + text
    )


def kept(study: Path) -> Path | None:
    """Return the path of the study's own description of its domain; None for a known domain."""
    path = Path(study) / COPY / DESCRIPTION
    return path if path.exists() else None


def differences(one: DomainDescription, other: DomainDescription) -> list[str]:
    """The fields in which two domains differ, wherever their files are."""
    a, b = one.plain(), other.plain()
    return [key for key in a | b if key != "description" and a.get(key) != b.get(key)]
