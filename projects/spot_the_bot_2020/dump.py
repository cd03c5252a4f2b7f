"""The data that *Spot The Bot* (Deriu et al., 2020) released: conversations, packages and annotations of one domain.

The dump is as it came out of the authors' MongoDB, with all that went wrong while it was collected. Each oddity is
handled by a stated rule and counted; `oddities` lists them. Bots bear the paper's names.
"""

import hashlib
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from collections.abc import Collection as Names
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from pydantic import TypeAdapter

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.reading import Malformed, own_data, parse_json, regular, unpacked
from parlai_spotbot.records import HUMAN, Conversation, Turn, indexed

REMEDY = "Download the data again, and name the whole dump."


@dataclass(frozen=True)
class PaperDomain:
    """A domain as in the paper: its bots in the order of Table 1, and the segment lengths in
    exchanges."""

    name: str
    title: str
    bots: tuple[str, ...]
    segments: tuple[int, ...]


TABLES = own_data(__file__)
DOMAINS = TypeAdapter(dict[str, PaperDomain]).validate_python(TABLES["domains"])

NATURE = {True: "human", False: "bot", None: "unsure"}
PREFERENCE = {(True, True): 0, (True, False): 1, (False, True): -1}
DEVELOPER = re.compile(r"[a-z]{2}")
"""The crowdsourcing platform's ids are capitals and digits; the developers' own (Annotator1, Ann1, …) are not."""

LEAVE_OUT = ("incomplete", "repeats", "developers")
DEFAULT_LEAVE_OUT = ("incomplete",)


KINDS = ("sampled", "packed", "annotated")
"""Files of conversations, of packages (what an annotator does in one sitting), and of annotations."""

WRAPPERS = {"$oid": str, "$numberLong": int, "$numberInt": int, "$numberDouble": float}
"""MongoDB's extended JSON: ``{"$oid": "5e…"}`` is the string, ``{"$numberLong": "7"}`` the number."""


Made = TypeVar("Made")


# -- rows of the files -----------------------------------------------------------------------------------------------
def _unwrap(value: dict) -> Any:
    key = next(iter(value), "")
    return WRAPPERS[key](value[key]) if len(value) == 1 and key in WRAPPERS else value


def _records(file: tuple[str, bytes], make: Callable[[dict], Made]) -> list[Made]:
    """Make something of each row of a file; an unexpected value is a `UserError` that names the line."""
    (where, raw), made = file, []
    for number, line in enumerate(raw.splitlines(), start=1):
        try:
            made.append(make(parse_json(line, _unwrap)))
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as err:
            problem = f"{where}, line {number}: not as released: {type(err).__name__}: {err}."
            raise UserError(problem, REMEDY) from None
    if not made:
        raise UserError(f"{where}: is empty.", REMEDY)
    return made


def _files(path: Path, names: Names[str]) -> dict[str, tuple[str, bytes]]:
    """Return the place and the bytes of files in a zip file or a folder; subfolders are searched."""
    if not path.exists():
        raise UserError(f"{path}: no such file or folder.", "Name the zip file, or the folder it was unpacked to.")
    try:
        if path.is_dir():
            places, read = [str(file) for file in sorted(path.rglob("*.json"))], lambda place: Path(place).read_bytes()
        else:
            archive = zipfile.ZipFile(regular(path))
            places, read = archive.namelist(), partial(unpacked, archive)
        place_of = {Path(place).name: place for place in places}
        if lacking := [name for name in names if name not in place_of]:
            raise UserError(f"{path}: {lacking[0]} is missing.", REMEDY)
        return {name: (f"{path}, {place_of[name]}", read(place_of[name])) for name in names}
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, Malformed) as err:
        raise UserError(f"{path}: not a zip file that can be read: {err}.", REMEDY) from None


# -- a domain --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Dump:
    """One domain of the released data.

    Attributes
    ----------
    conversations : tuple of Conversation
        In canonical order: by pair, then in the order of the dump, people last. Their ids are the dump's.
    packages : dict
        Package id -> {conversation id: exchanges shown}, in the order shown.
    annotations : frame
        One row an annotation, in the order of the dump: the columns of
        `parlai_spotbot.analysis.frames.joined`; `elapsed` (seconds as the dump has them; `seconds` lacks the
        absurd ones); `started` and `submitted` (ms since 1970, NaN where unknown); and its flags: `incomplete` (the
        annotator did not finish the package), `repeat` (had answered this segment before), `developers`. Annotators are
        numbered in the order in which they appear.
    turns : frame
        One row a turn: conversation_id, turn, speaker, exchange_nr (the dump's), text.
    sha256 : dict
        File -> checksum.
    """

    domain: PaperDomain
    conversations: tuple[Conversation, ...]
    packages: dict[str, dict[str, int]]
    annotations: pd.DataFrame
    turns: pd.DataFrame
    sha256: dict[str, str]


def read_dump(path: Path | str, domain: str) -> Dump:
    """Read one domain ("dailydialog", "empathetic" or "convai2") from the zip file or its unpacked folder.

    Raises
    ------
    UserError
        Names the file, line and field that is missing or is not as the release has it.
    """
    if domain not in DOMAINS:
        raise UserError(f"--domain {domain}: the released data have no such domain.", nearest(domain, DOMAINS))
    about, names = DOMAINS[domain], {kind: f"{kind}-dialogues-full-{domain}.json" for kind in KINDS}
    files = _files(Path(path), names.values())
    sampled, packed, annotated = (files[names[kind]] for kind in KINDS)
    conversations, turns = _conversations(sampled, about)
    packages = dict(_records(packed, partial(_package, conversations)))
    annotations = _annotations(annotated, conversations, packages)
    sha256 = {name: hashlib.sha256(raw).hexdigest() for name, (_, raw) in files.items()}
    return Dump(about, tuple(conversations.values()), packages, annotations, turns, sha256)


def select(dump: Dump, leave_out: Names[str] = DEFAULT_LEAVE_OUT) -> pd.DataFrame:
    """Return the annotations without those left out: "incomplete" (the paper's rule), "repeats", "developers".

    Of the annotations of a segment by one annotator that are left otherwise, all but the last are "repeats".
    """
    for reason in leave_out:
        if reason not in LEAVE_OUT:
            raise UserError(f"--leave-out {reason}: not known.", nearest(reason, LEAVE_OUT))
    flags = [flag for flag in ("incomplete", "developers") if flag in leave_out]
    kept = dump.annotations[~dump.annotations[flags].any(axis=1)]
    if "repeats" in leave_out:
        kept = kept.drop_duplicates(["worker_id", "conversation_id", "k"], keep="last")
    return kept.reset_index(drop=True)


def _conversations(file: tuple[str, bytes], domain: PaperDomain) -> tuple[dict[str, Conversation], pd.DataFrame]:
    systems = TABLES["systems"] | {"huggingface": "HF" if domain.name == "convai2" else "GPT"}
    place = {name: i for i, name in enumerate((*domain.bots, HUMAN))}
    number = Counter()
    turns: list[tuple] = []

    def conversation(row: dict) -> Conversation:
        entities = (systems[row["system_type0"]], systems[row["system_type1"]])
        pair = tuple(sorted(entities, key=place.__getitem__))
        number[pair] += 1
        spoken = tuple(Turn(entities[i % 2], act["text"]) for i, act in enumerate(row["convo"]))
        numbers = [act.get("exchange_nr") for act in row["convo"]]
        turns.extend((row["_id"], i, turn.speaker, numbers[i], turn.text) for i, turn in enumerate(spoken))
        # The seed exchange was the bots' context and is not in the dump, nor is the opening of people's conversations.
        # Even turns are entity 0's: `exchange_nr` is not to be relied on.
        names = {"system_name": [row.get("system_name0", ""), row.get("system_name1", "")]}
        return Conversation(row["_id"], domain.name, pair, number[pair] - 1, entities, spoken, 0, provenance=names)

    records_made = _records(file, conversation)
    records_made.sort(key=lambda c: (place[c.pair[0]], place[c.pair[1]], c.number))
    frame = pd.DataFrame(turns, columns=["conversation_id", "turn", "speaker", "exchange_nr", "text"])
    return indexed(records_made), frame


def _package(conversations: dict[str, Conversation], row: dict) -> tuple[str, dict[str, int]]:
    """Return a package's id, and how many exchanges it shows of which conversation."""
    shown = {entry["convo_id"]: (entry["start_turn"] + 1) // 2 for entry in row["package"]}
    return row["_id"], {conversations[identity].conversation_id: k for identity, k in shown.items()}


def _annotations(file: tuple[str, bytes], conversations: dict, packages: dict) -> pd.DataFrame:
    workers = {}

    def annotation(row: dict) -> dict:
        identity = row["convo_id"]
        entities, shown = conversations[identity].entities, packages[row["package_id"]][identity]
        elapsed, user = row["elapsed_time"] / 1000, row["user_name"]
        has_clock = row["start_time"] >= 0  # where the page had lost its clock, `elapsed_time` is the time since 1970
        return {
            "annotation_id": row["_id"],
            "source": "human",
            "worker_id": workers.setdefault(user, f"annotator-{len(workers) + 1:02d}"),
            "unit_id": row["package_id"],
            "item_id": f"{identity}-{shown}",
            "conversation_id": identity,
            "a": entities[0],
            "b": entities[1],
            "k": shown,
            **_answers([row["entity0_annotation"], row["entity1_annotation"]], shown),
            "seconds": elapsed if has_clock else np.nan,
            "elapsed": elapsed,
            "started": float(row["start_time"]) if has_clock else np.nan,
            "submitted": float(row["end_time"]),
            "developers": bool(DEVELOPER.search(user)),
        }

    frame = pd.DataFrame(_records(file, annotation))
    done = frame.groupby(["worker_id", "unit_id"])["conversation_id"].transform("nunique")
    frame["incomplete"] = done != frame["unit_id"].map({package: len(held) for package, held in packages.items()})
    frame["repeat"] = frame.duplicated(["worker_id", "conversation_id", "k"])
    return frame


def _answers(entities: list[dict], shown: int) -> dict[str, str | int]:
    """Return both natures, and the preferences (+1 entity 0, -1 entity 1, 0 neither)."""
    turns = [entity["decision_turn"] for entity in entities]
    if turns != [2 * shown] * 2:
        raise ValueError(f"decision_turn is {turns[0]} and {turns[1]}, but the package shows {2 * shown} turns")
    answers = {f"nature{i}": NATURE[entity["is_human"]] for i, entity in enumerate(entities)}
    return answers | {
        feature: PREFERENCE[entities[0][theirs], entities[1][theirs]] for feature, theirs in TABLES["features"].items()
    }
