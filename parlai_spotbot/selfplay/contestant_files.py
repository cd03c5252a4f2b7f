"""Checksums of the files that make a contestant: one whose file has changed is another bot, and takes another name."""

import hashlib
import importlib.util
from pathlib import Path

from parlai_spotbot import plugin
from parlai_spotbot.files import sha256
from parlai_spotbot.records import Contestant

VERSIONED = ("spotbot", "parlai", "parlai_spotbot")
"""Packages whose version is recorded."""


def source_files(contestant: Contestant) -> list[Path]:
    """Return the files of the user's module that a contestant names; of a package all its modules."""
    name, colon, _ = str(contestant.opt.get("plain_python") or contestant.model).partition(":")
    if not colon or name.split(".")[0] in VERSIONED:
        return []
    plugin.reach(contestant.code)
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):  # of a notebook, or gone: loading raises the error
        return []
    if spec is None or not spec.has_location:
        return []
    return sorted(path for folder in spec.submodule_search_locations or () for path in Path(folder).rglob("*.py")) or [
        Path(str(spec.origin))
    ]


def digests(contestant: Contestant, model_file: str) -> dict[str, str]:
    """Return the SHA-256 of the model file and of the contestant's own code, as far as there are such files."""
    sums = {}
    if model_file and Path(model_file).is_file():
        sums["model_sha256"] = sha256(Path(model_file))
    if sources := source_files(contestant):
        contents = hashlib.sha256()
        for path in sources:
            contents.update(path.read_bytes() + b"\0")
        sums["code_sha256"] = contents.hexdigest()
    return sums
