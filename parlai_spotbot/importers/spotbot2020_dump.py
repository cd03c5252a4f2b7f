"""The data that *Spot The Bot* (Deriu et al., 2020) released: conversations, packages and annotations of one domain.

The dump is as it came out of the authors' MongoDB, with all that went wrong while it was collected. Each oddity is
handled by a stated rule and counted; `spotbot2020_oddities` lists them. Bots bear the paper's names.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection as Names
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.reading import Malformed, parse_json, unpacked
from parlai_spotbot.records import HUMAN, Conversation, Turn
from parlai_spotbot.user_files import validated

REMEDY = "Download the data again, and name the whole dump."

SYSTEMS = {
    "bert_rank": "BR",
    "seq2seq_att": "S2",
    "suckybot": "DR",
    "model": "BL",
    "lost_in_conversation": "LC",
    "kvmemnn": "KV",
    "human": HUMAN,
}
"""The dump's names and the paper's; "huggingface" is GPT or, in PersonaChat, HF."""


@dataclass(frozen=True)
class PaperDomain:
    """Record of what the paper says of a domain: its bots in the order of Table 1, and the segment lengths in
    exchanges."""

    name: str
    title: str
    bots: tuple[str, ...]
    segments: tuple[int, ...]


DOMAINS = {
    "dailydialog": PaperDomain("dailydialog", "Dailydialog", ("GPT", "BR", "S2", "DR"), (2, 3, 5)),
    "empathetic": PaperDomain("empathetic", "Empathetic Dialogues", ("BL", "BR", "GPT", "S2", "DR"), (1, 2, 3)),
    "convai2": PaperDomain("convai2", "PersonaChat", ("BL", "LC", "KV", "HF", "BR", "DR"), (2, 3, 5)),
}

NATURE = {True: "human", False: "bot", None: "unsure"}
FEATURES = {"fluency": "fluencyValue", "sensibleness": "sensitivenessValue", "specificity": "specificityValue"}
DEVELOPER = re.compile(r"[a-z]{2}")
"""The crowdsourcing platform's ids are capitals and digits; the developers' own (Annotator1, Ann1, …) are not."""

LEAVE_OUT = ("incomplete", "repeats", "developers")
DEFAULT_LEAVE_OUT = ("incomplete",)


# -- rows of the files -----------------------------------------------------------------------------------------------
class DumpRow(BaseModel):
    """A row of one of the files."""

    model_config = ConfigDict(strict=True)


class DumpTurn(DumpRow):
    """A turn."""

    text: str
    exchange_nr: Any = None


class DumpConversation(DumpRow):
    """A conversation and who took part."""

    id: str = Field(alias="_id")
    system_type0: str
    system_type1: str
    convo: list[DumpTurn]
    system_name0: str = ""
    system_name1: str = ""


class DumpSegment(DumpRow):
    """A segment: `start_turn` is the number of its last visible turn, from 0."""

    convo_id: str
    start_turn: int


class DumpPackage(DumpRow):
    """Record of what an annotator does in one sitting."""

    id: str = Field(alias="_id")
    package: list[DumpSegment]


class DumpLabels(DumpRow):
    """Record of what an annotator says of one entity."""

    is_human: bool | None
    fluencyValue: bool
    sensitivenessValue: bool
    specificityValue: bool
    decision_turn: int


class DumpAnnotation(DumpRow):
    """One annotator's answers to one segment, with times in milliseconds since 1970."""

    id: str = Field(alias="_id")
    convo_id: str
    package_id: str
    user_name: str
    entity0_annotation: DumpLabels
    entity1_annotation: DumpLabels
    start_time: int
    end_time: int
    elapsed_time: int


KINDS = {"sampled": DumpConversation, "packed": DumpPackage, "annotated": DumpAnnotation}
WRAPPERS = {"$oid": str, "$numberLong": int, "$numberInt": int, "$numberDouble": float}
"""MongoDB's extended JSON: ``{"$oid": "5e…"}`` is the string, ``{"$numberLong": "7"}`` the number."""

Row = TypeVar("Row", bound=DumpRow)
Rows = list[tuple[str, Row]]
"""Each row with its place, "FILE, line N"."""


def _unwrap(value: dict) -> Any:
    key = next(iter(value), "")
    return WRAPPERS[key](value[key]) if len(value) == 1 and key in WRAPPERS else value


def _rows(where: str, raw: bytes, kind: type[Row]) -> Rows:
    rows = []
    for number, line in enumerate(raw.splitlines(), start=1):
        place = f"{where}, line {number}"
        try:
            value = parse_json(line, _unwrap)
        except (ValueError, TypeError) as err:
            raise UserError(f"{place}: not valid JSON: {err}.", REMEDY) from None
        rows.append((place, validated(kind, value, place, REMEDY)))
    if not rows:
        raise UserError(f"{where}: is empty.", REMEDY)
    return rows


def _files(path: Path, names: Names[str]) -> dict[str, tuple[str, bytes]]:
    """Return the place and the bytes of files in a zip file or a folder; subfolders are searched."""
    if not path.exists():
        raise UserError(f"{path}: no such file or folder.", "Name the zip file, or the folder it was unpacked to.")
    try:
        archive = None if path.is_dir() else zipfile.ZipFile(path)
        inside = [str(p) for p in sorted(path.rglob("*.json"))] if archive is None else archive.namelist()
        places = {Path(entry).name: entry for entry in inside}
        if lacking := [name for name in names if name not in places]:
            raise UserError(f"{path}: {lacking[0]} is missing.", REMEDY)
        if archive is None:
            return {name: (places[name], Path(places[name]).read_bytes()) for name in names}
        return {name: (f"{path}, {places[name]}", unpacked(archive, places[name])) for name in names}
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
        annotator did not finish the package), `repeat` (had answered this segment before), `developer`. Annotators are
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
    rows = {kind: _rows(*files[name], KINDS[kind]) for kind, name in names.items()}
    systems = {**SYSTEMS, "huggingface": "HF" if domain == "convai2" else "GPT"}
    conversations, turns = _conversations(rows["sampled"], about, systems)
    packages = _packages(rows["packed"], conversations)
    annotations = _annotations(rows["annotated"], conversations, packages)
    sha256 = {name: hashlib.sha256(raw).hexdigest() for name, (_, raw) in files.items()}
    return Dump(about, tuple(conversations.values()), packages, annotations, turns, sha256)


def select(dump: Dump, leave_out: Names[str] = DEFAULT_LEAVE_OUT) -> pd.DataFrame:
    """Return the annotations without those left out: "incomplete" (the paper's rule), "repeats", "developers".

    Of the annotations of a segment by one annotator that are left otherwise, all but the last are "repeats".
    """
    for reason in leave_out:
        if reason not in LEAVE_OUT:
            raise UserError(f"--leave-out {reason}: not known.", nearest(reason, LEAVE_OUT))
    flags = [
        flag for reason, flag in (("incomplete", "incomplete"), ("developers", "developer")) if reason in leave_out
    ]
    kept = dump.annotations[~dump.annotations[flags].any(axis=1)]
    if "repeats" in leave_out:
        kept = kept.drop_duplicates(["worker_id", "conversation_id", "k"], keep="last")
    return kept.reset_index(drop=True)


@contextmanager
def _released(where: str) -> Iterator[None]:
    """Turn an unknown name or id, or a contradiction, into a `UserError` that names the place."""
    try:
        yield
    except KeyError as err:
        raise UserError(f"{where}: {err} is not known in the release.", REMEDY) from None
    except ValueError as err:
        raise UserError(f"{where}: {err}.", REMEDY) from None


def _conversations(
    rows: Rows, domain: PaperDomain, systems: dict[str, str]
) -> tuple[dict[str, Conversation], pd.DataFrame]:
    kept_conversations, turns = [], []
    number: Counter[tuple[str, str]] = Counter()
    place = {name: i for i, name in enumerate((*domain.bots, HUMAN))}
    for where, row in rows:
        with _released(where):
            entities = (systems[row.system_type0], systems[row.system_type1])
            pair = tuple(sorted(entities, key=place.__getitem__))
        # The seed exchange was the bots' context and is not in the dump, nor is the opening of people's conversations.
        conversation = Conversation(
            conversation_id=row.id,
            domain=domain.name,
            pair=pair,
            number=number[pair],
            entities=entities,
            # Even turns are entity 0's: `exchange_nr` is not to be relied on.
            turns=tuple(Turn(entities[i % 2], act.text) for i, act in enumerate(row.convo)),
            seed_exchanges=0,
            provenance={"system_name": [row.system_name0, row.system_name1]},
        )
        kept_conversations.append(conversation)
        number[pair] += 1
        turns += [(row.id, i, entities[i % 2], act.exchange_nr, act.text) for i, act in enumerate(row.convo)]
    kept_conversations.sort(key=lambda c: (place[c.pair[0]], place[c.pair[1]], c.number))
    conversations = {c.conversation_id: c for c in kept_conversations}
    return conversations, pd.DataFrame(turns, columns=["conversation_id", "turn", "speaker", "exchange_nr", "text"])


def _packages(rows: Rows, conversations: dict[str, Conversation]) -> dict[str, dict[str, int]]:
    packages = {}
    for where, row in rows:
        with _released(where):
            packages[row.id] = {
                conversations[entry.convo_id].conversation_id: (entry.start_turn + 1) // 2 for entry in row.package
            }
    return packages


def _annotations(rows: Rows, conversations: dict, packages: dict) -> pd.DataFrame:
    workers: dict[str, str] = {}
    made = []
    for where, row in rows:
        with _released(where):
            entities, shown = conversations[row.convo_id].entities, packages[row.package_id][row.convo_id]
            answers = _answers(row, shown)
        elapsed = row.elapsed_time / 1000
        has_clock = row.start_time >= 0  # where the page had lost its clock, `elapsed_time` is the time since 1970
        made.append(
            {
                "annotation_id": row.id,
                "source": "human",
                "worker_id": workers.setdefault(row.user_name, f"annotator-{len(workers) + 1:02d}"),
                "unit_id": row.package_id,
                "item_id": f"{row.convo_id}-{shown}",
                "conversation_id": row.convo_id,
                "a": entities[0],
                "b": entities[1],
                "k": shown,
                **answers,
                "seconds": elapsed if has_clock else np.nan,
                "elapsed": elapsed,
                "started": float(row.start_time) if has_clock else np.nan,
                "submitted": float(row.end_time),
                "developer": bool(DEVELOPER.search(row.user_name)),
            }
        )
    frame = pd.DataFrame(made)
    done = frame.groupby(["worker_id", "unit_id"])["conversation_id"].transform("nunique")
    frame["incomplete"] = done != frame["unit_id"].map({package: len(held) for package, held in packages.items()})
    frame["repeat"] = frame.duplicated(["worker_id", "conversation_id", "k"])
    return frame


def _answers(row: DumpAnnotation, shown: int) -> dict:
    """Return both natures, and the preferences (+1 entity 0, -1 entity 1, 0 neither)."""
    entities = (row.entity0_annotation, row.entity1_annotation)
    turns = [entity.decision_turn for entity in entities]
    if turns != [2 * shown] * 2:
        raise ValueError(f"decision_turn: {turns[0]} and {turns[1]}, but the package shows {2 * shown} turns")
    answers: dict[str, str | int] = {f"nature{i}": NATURE[entity.is_human] for i, entity in enumerate(entities)}
    for feature, theirs in FEATURES.items():
        both = tuple(getattr(entity, theirs) for entity in entities)
        if both == (False, False):
            raise ValueError(f"{theirs}: false for both entities; a tie is true for both")
        answers[feature] = both[0] - both[1]
    return answers
