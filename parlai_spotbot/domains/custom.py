"""A user's own domain: a description (YAML) that names a ParlAI task or files of conversations, or such a file alone.

A study keeps a copy of it in its folder ``domain/``, with checksums, so that it goes on when the user's file has moved.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import yaml

from parlai_spotbot import checksums, files
from parlai_spotbot.domains.conversation_files import ConversationRow, Split
from parlai_spotbot.domains.domain import HIDDEN_NOTE, SPLIT_NOTE, Domain, Files, copy_name, folds_of, rows_of
from parlai_spotbot.errors import UserError
from parlai_spotbot.names import STEM, plain
from parlai_spotbot.reading import regular
from parlai_spotbot.study_plan import check_segments
from parlai_spotbot.user_files import read_file

SEGMENTS = (2, 3, 5)
OF_TASK = ("options", "situation")
SUFFIXES = (".yaml", ".yml", ".jsonl", ".json")
COPY = "domain"
"""The folder of a study that keeps its domain."""

DESCRIPTION = "domain.yaml"
WITHOUT_SEEDS = {
    "split": "Name a split 'test', or 'seeds'; or, with split valid, say 'hidden_test: true' in its description",
    "people": "Add conversations of other people; or say 'folds: hash' in its description",
    "hash": "Add conversations",
}
"""What to do where no conversation is left for seeds, by the way of folding."""

EXAMPLE = "A description is for example 'name: cafe' and 'conversations: cafe.jsonl'."


def is_file(name: str) -> bool:
    """Return True if `name` is a file rather than a task."""
    return Path(name).suffix.lower() in SUFFIXES


def describe(path: Path) -> Domain:
    """Read a description, or make one for a file of conversations; everything in it is checked.

    Raises `UserError` naming file, line and field.
    """
    path = path.expanduser()
    if path.suffix.lower() in (".yaml", ".yml"):
        domain = _from_description(path)
    else:
        paths = (("", path, _checksum(path)),)
        domain = Domain(_name_of(path), "", SEGMENTS, True, f"Conversations from {path.name}.", paths=paths)
    if domain.task:
        return domain
    return _settled(domain)


def _name_of(path: Path) -> str:
    return plain(path.stem).lstrip("_.+-") or "conversations"


def _settled(domain: Domain) -> Domain:
    """The domain with its way of folding, where none was chosen; reads and checks all conversations."""
    rows = rows_of(domain.paths, domain.name)
    if not domain.folds:
        domain = replace(domain, folds=_way_of_folding(rows))
    has_context = any(any(row.episode.context) for row in rows)
    domain = replace(domain, contexts=domain.contexts and has_context)
    folds, note = folds_of(domain)
    if not folds["seeds"]:
        sizes = ", ".join(f"{fold} {len(episodes)}" for fold, episodes in folds.items())
        raise UserError(
            f"domain '{domain.name}': no conversation is left for seeds ({sizes}).", f"{WITHOUT_SEEDS[domain.folds]}."
        )
    return replace(domain, fold_note=note)


def untrained(domain: Domain) -> Domain:
    """Return a user's domain without a fold for bots, as no contestant learns from it; itself where its data have
    splits, where it says who learns, and if it isn't a user's."""
    if not domain.paths or domain.folds == "split" or domain.trained is not None:
        return domain
    return _settled(replace(domain, trained=False))


def _way_of_folding(rows: Sequence[ConversationRow]) -> str:
    """Return the first way of folding for which all rows have what it needs."""
    if all(row.split for row in rows):
        return "split"
    if all(all(row.episode.people) for row in rows):
        return "people"
    return "hash"


# -- the description -------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class DescriptionFile:
    """The keys of a description, as its file holds them."""

    name: str
    description: str = ""
    task: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    conversations: str | dict[Split, str] = ""
    segments: list[int] | None = None
    contexts: bool = True
    situation: str = ""
    folds: Literal["", "split", "people", "hash"] = ""
    hidden_test: bool = False
    trained: bool | None = None
    sha256: dict[str, str] = field(default_factory=dict)


def _from_description(path: Path) -> Domain:
    row = read_file(DescriptionFile, path, EXAMPLE)
    where = str(path)
    if not STEM.match(row.name):
        raise UserError(f"{where}: field 'name' is '{row.name}'.", "Use letters, digits and . _ + -")
    if bool(row.task) == bool(row.conversations):
        raise UserError(f"{where}: expected one of the fields 'task' and 'conversations'.", EXAMPLE)
    for key in OF_TASK:
        if not row.task and getattr(row, key):
            raise UserError(f"{where}: field '{key}' goes with a task, not with files.", "Remove it.")
    if row.task and row.folds not in ("", "split"):
        raise UserError(f"{where}: field 'folds' is '{row.folds}'.", "A task's folds follow its splits.")
    folds = row.folds
    if row.task:
        folds = "split"
    if row.hidden_test and folds != "split":
        raise UserError(f"{where}: field 'hidden_test' goes with folds by split.", "Add 'folds: split', or remove it.")
    if row.trained is not None and folds == "split":
        raise UserError(f"{where}: field 'trained' goes with folds by people or hash.", "Remove it.")
    note = SPLIT_NOTE
    if row.task and row.hidden_test:
        note = HIDDEN_NOTE
    paths = ()
    if not row.task:
        paths = _paths(row, path)
    segments = SEGMENTS
    if row.segments is not None:
        segments = check_segments(row.segments, where)
    return Domain(
        **{
            name: getattr(row, name)
            for name in ("name", "task", "description", "contexts", "situation", "hidden_test", "trained")
        },
        options=tuple((key, str(value)) for key, value in row.options.items()),
        paths=paths,
        segments=segments,
        folds=folds,
        fold_note=note,
    )


def _paths(row: DescriptionFile, path: Path) -> Files:
    """Return the files that a description names, relative to itself; where it holds checksums they must be right."""
    named = row.conversations
    if isinstance(named, str):
        named = {"": named}
    files_found = []
    for split, name in named.items():
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
        return files.sha256(regular(path, "file of conversations"))
    except (FileNotFoundError, NotADirectoryError):
        raise UserError(f"{path}: no such file of conversations.", "Correct its name.") from None
    except OSError as err:
        raise UserError(f"{path}: can't be read: {err.strerror or err}.", "Correct its name.") from None


# -- a study's own copy ----------------------------------------------------------------------------------------------
def keep(domain: Domain, study: Path) -> None:
    """Write the domain into the study's folder, whole or not at all: the description, which counts, comes last."""
    folder = study / COPY
    for split, path, digest in domain.paths:
        copy = folder / copy_name(split)
        if not copy.exists() or _checksum(copy) != digest:
            files.write_bytes(copy, path.read_bytes())
    text = yaml.safe_dump(domain.plain(), sort_keys=False, allow_unicode=True)
    checksums.write_text(
        folder / DESCRIPTION, "# The domain of this study, kept so that it goes on wherever it is.\n" + text
    )


def kept(study: Path) -> Path | None:
    """Return the path of the study's own description of its domain; None for a known domain."""
    path = study / COPY / DESCRIPTION
    if not path.exists():
        return None
    return path


def differences(one: Domain, other: Domain) -> list[str]:
    """The fields in which two domains differ, wherever their files are."""
    a = one.plain()
    b = other.plain()
    ignored = {"description"}
    if None in (one.trained, other.trained):
        ignored.add("trained")
    return [key for key in a | b if key not in ignored and a.get(key) != b.get(key)]
