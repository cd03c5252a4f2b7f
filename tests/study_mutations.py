"""Damage to the files of a study, one file at a time: what disks, editors and people do to them."""

import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

VALUES = (None, True, -1, 0, 1.5, "", "x", [], {}, [[]], {"a": 1}, 10**400, "\ud800", float("nan"), float("inf"))


def _lines(change: Callable[[list[bytes], random.Random], object]) -> Callable[[bytes, random.Random], bytes]:
    def changed(raw: bytes, chance: random.Random) -> bytes:
        lines = raw.splitlines(keepends=True)
        change(lines, chance)
        return b"".join(lines)

    return changed


def _swap(lines: list[bytes], chance: random.Random) -> None:
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]


def _places(value: object, place: tuple = ()) -> list[tuple]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place, *(found for key, one in inner for found in _places(one, (*place, key)))]


def _value(raw: bytes, chance: random.Random) -> bytes:
    """Put another value into a line of JSON, or into a JSON file; YAML gets a line of its own."""
    lines = raw.splitlines(keepends=True)
    number = chance.randrange(len(lines))
    whole = raw.startswith(b"{\n")
    try:
        row = json.loads(raw if whole else lines[number])
    except ValueError:
        return raw.replace(b": ", b": [", 1)
    *above, last = chance.choice(_places(row)[1:] or [(None,)])
    inner = row
    for key in above:
        inner = inner[key]
    if last is None or chance.random() < 0.05:
        row = chance.choice(VALUES)
    elif chance.random() < 0.2 and isinstance(inner, dict):
        del inner[last]
    else:
        inner[last] = chance.choice(VALUES)
    text = json.dumps(row, indent=2 if whole else None).encode() + b"\n"
    return text if whole else b"".join([*lines[:number], text, *lines[number + 1 :]])


def _flip(raw: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(raw))
    return raw[:place] + bytes([raw[place] ^ 1 << chance.randrange(8)]) + raw[place + 1 :]


CONTENT: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "cut": lambda raw, chance: raw[: chance.randrange(len(raw))],
    "flip": _flip,
    "empty": lambda raw, chance: b"",
    "line gone": _lines(lambda lines, chance: lines.pop(chance.randrange(len(lines)))),
    "line twice": _lines(lambda lines, chance: lines.insert(0, chance.choice(lines))),
    "lines swapped": _lines(_swap),
    "value": _value,
    "another value": _value,
    "nested": lambda raw, chance: b"[" * 5000 + raw,
    "garbage": lambda raw, chance: raw + bytes(chance.randrange(256) for _ in range(40)),
    "row": lambda raw, chance: raw + raw.splitlines(keepends=True)[-1],
    "NaN": lambda raw, chance: raw.replace(b": 1", b": NaN", 1),
    "BOM": lambda raw, chance: b"\xef\xbb\xbf" + raw,
    "CRLF": lambda raw, chance: raw.replace(b"\n", b"\r\n"),
    "UTF-16": lambda raw, chance: raw.decode().encode("utf-16"),
}
PLACE: dict[str, Callable[[Path], object]] = {
    "gone": lambda path: None,
    "folder": os.mkdir,
    "pipe": os.mkfifo,
    "loop": lambda path: path.symlink_to(path),
    "device": lambda path: path.symlink_to("/dev/zero"),
}
ADDED = (
    "surveys/acute_eval/judgements.jsonl",
    "surveys/spot_the_bot/judges/other.json",
    "surveys/spot_the_bot/training.jsonl",
    "analysis/methods.json",
    "failures.jsonl",
    "history.jsonl",
    "nuc/questions.jsonl",
)


def mutate(study: Path, names: list[str], chance: random.Random) -> str:
    """Damage one file of a study, or add one; returns what was done."""
    name, how = chance.choice(names), chance.choice([*CONTENT, *PLACE, "added", "folder gone"])
    path = study / name
    if how == "added":
        source, name = path.read_bytes(), chance.choice([name for name in ADDED if not (study / name).exists()])
        (study / name).parent.mkdir(parents=True, exist_ok=True)
        (study / name).write_bytes(source)
    elif how == "folder gone" and path.parent != study:
        shutil.rmtree(path.parent)
    elif how in CONTENT:
        raw = path.read_bytes()
        changed = CONTENT[how](raw, chance)
        path.write_bytes(changed if changed != raw else raw + b"NaN")
    else:
        path.unlink()
        PLACE.get(how, PLACE["gone"])(path)
    return f"{name}: {how}"
