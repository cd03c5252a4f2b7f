"""The data that *Spot The Bot* (Deriu et al., 2020) released: conversations, packages and annotations of one domain.

The dump is as it came out of the authors' database, with all that went wrong while it was collected. Each oddity is
handled by a stated rule and counted; `spotbot2020_oddities` lists them. Bots bear the paper's names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection as Names
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.files import field
from parlai_spotbot.importers.mongo_dump import DumpFile, read_dump_files
from parlai_spotbot.records import HUMAN, Conversation, Turn

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
    """What the paper says of a domain: its bots in the order of Table 1, and the segment lengths in exchanges."""

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
PREFERENCE = {(True, True): 0, (True, False): 1, (False, True): -1}
DEVELOPER = re.compile(r"[a-z]{2}")
"""The crowdsourcing platform's ids are capitals and digits; the developers' own (Annotator1, Ann1, …) are not."""

LEAVE_OUT = ("incomplete", "repeats", "developers")
DEFAULT_LEAVE_OUT = ("incomplete",)


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
        `parlai_spotbot.analysis.frames.annotations_frame`; `elapsed` (seconds as the dump has them; `seconds` lacks the
        absurd ones); `started` and `submitted` (ms since 1970, NaN where unknown); and what is odd about it:
        `incomplete` (the annotator did not finish the package), `repeat` (had answered this segment before),
        `developer`. Annotators are numbered in the order in which they appear.
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
    about = DOMAINS[domain]
    kinds = {kind: f"{kind}-dialogues-full-{domain}" for kind in ("sampled", "packed", "annotated")}
    files = read_dump_files(path, tuple(kinds.values()))
    systems = {**SYSTEMS, "huggingface": "HF" if domain == "convai2" else "GPT"}
    conversations, turns = _conversations(files[kinds["sampled"]], about, systems)
    packages = _packages(files[kinds["packed"]], conversations)
    annotations = _annotations(files[kinds["annotated"]], conversations, packages)
    sha256 = {f"{name}.json": collection.sha256 for name, collection in files.items()}
    return Dump(about, tuple(conversations.values()), packages, annotations, turns, sha256)


def select(dump: Dump, leave_out: Names[str] = DEFAULT_LEAVE_OUT) -> pd.DataFrame:
    """Return the annotations without those left out: "incomplete" (the paper's rule), "repeats", "developers".

    Of the annotations of a segment by one annotator that are left otherwise, all but the last are "repeats".
    """
    for reason in leave_out:
        if reason not in LEAVE_OUT:
            raise UserError(f"--leave-out {reason}: not known.", nearest(reason, LEAVE_OUT))
    flags = {"incomplete": "incomplete", "developers": "developer"}
    out = np.zeros(len(dump.annotations), dtype=bool)
    for reason in flags.keys() & set(leave_out):
        out |= dump.annotations[flags[reason]].to_numpy()
    kept = dump.annotations[~out]
    if "repeats" in leave_out:
        kept = kept.drop_duplicates(["worker_id", "conversation_id", "k"], keep="last")
    return kept.reset_index(drop=True)


def _conversations(
    collection: DumpFile, domain: PaperDomain, systems: dict[str, str]
) -> tuple[dict[str, Conversation], pd.DataFrame]:
    found, turns = [], []
    number: Counter[tuple[str, str]] = Counter()
    place = {name: i for i, name in enumerate((*domain.bots, HUMAN))}
    for where, row in collection.rows:
        conversation = _conversation(where, row, domain, systems, place)
        found.append(replace(conversation, number=number[conversation.pair]))
        number[conversation.pair] += 1
        for i, act in enumerate(row["convo"]):
            turns.append((conversation.conversation_id, i, conversation.entities[i % 2], act.get("exchange_nr")))
    found.sort(key=lambda c: (place[c.pair[0]], place[c.pair[1]], c.number))
    conversations = {c.conversation_id: c for c in found}
    if len(conversations) < len(found):
        twice = Counter(c.conversation_id for c in found).most_common(1)[0][0]
        raise UserError(f"{collection.where}: conversation '{twice}' stands in it twice.", "Download the data again.")
    frame = pd.DataFrame(turns, columns=["conversation_id", "turn", "speaker", "exchange_nr"])
    frame["text"] = [
        conversations[c].turns[t].text for c, t in zip(frame["conversation_id"], frame["turn"], strict=True)
    ]
    return conversations, frame


def _conversation(where: str, row: dict, domain: PaperDomain, systems: dict[str, str], place: dict) -> Conversation:
    entities = []
    for entity in (0, 1):
        system = field(row, f"system_type{entity}", str, where)
        if systems.get(system) not in place:
            known = [name for name, short in systems.items() if short in place]
            raise UserError(f"{where}: field 'system_type{entity}' is {system!r}.", nearest(system, known))
        if field(row, f"is_human{entity}", bool, where) != (system == "human"):
            raise UserError(f"{where}: field 'is_human{entity}' contradicts 'system_type{entity}'.", "Correct it.")
        entities.append(systems[system])
    acts = field(row, "convo", list, where)
    texts = [field(act, "text", str, f"{where}, turn {i}") for i, act in enumerate(acts)]
    # The seed exchange was the bots' context and is not in the dump, nor is the opening of people's conversations.
    return Conversation(
        conversation_id=field(row, "_id", str, where),
        domain=domain.name,
        pair=tuple(sorted(entities, key=place.__getitem__)),
        number=0,
        entities=(entities[0], entities[1]),
        # Even turns are entity 0's: `exchange_nr` is not to be relied on.
        turns=tuple(Turn(entities[i % 2], text) for i, text in enumerate(texts)),
        seed_exchanges=0,
        provenance={"system_name": [row.get("system_name0", ""), row.get("system_name1", "")]},
    )


def _packages(collection: DumpFile, conversations: dict[str, Conversation]) -> dict[str, dict[str, int]]:
    packages = {}
    for where, row in collection.rows:
        segments = {}
        for entry in field(row, "package", list, where):
            identity = _known(entry, "convo_id", conversations, where, "conversation")
            shown = field(entry, "start_turn", int, where) + 1  # it is the index of the last visible turn
            if shown < 2 or shown % 2 or shown > len(conversations[identity].turns):
                raise UserError(
                    f"{where}: field 'start_turn' is {shown - 1} for a conversation of "
                    f"{len(conversations[identity].turns)} turns, expected the last turn of an exchange.",
                    "Correct it.",
                )
            segments[identity] = shown // 2
        packages[field(row, "_id", str, where)] = segments
    return packages


def _known(row: dict, name: str, known: dict, where: str, what: str) -> str:
    value = field(row, name, str, where)
    if value not in known:
        raise UserError(f"{where}: field '{name}' is '{value}', and there is no such {what}.", "Use the whole dump.")
    return value


def _annotations(collection: DumpFile, conversations: dict, packages: dict) -> pd.DataFrame:
    workers: dict[str, str] = {}
    rows = []
    for where, row in collection.rows:
        conversation = conversations[_known(row, "convo_id", conversations, where, "conversation")]
        package = _known(row, "package_id", packages, where, "package")
        name = field(row, "user_name", str, where)
        worker = workers.setdefault(name, f"annotator-{len(workers) + 1:02d}")
        answers = _answers(row, where)
        exchanges = packages[package].get(conversation.conversation_id)
        if exchanges != answers["k"]:
            raise UserError(
                f"{where}: field 'decision_turn' is {2 * answers['k']}, but package {package} shows "
                f"{0 if exchanges is None else 2 * exchanges} turns of that conversation.",
                "Correct it.",
            )
        rows.append(
            {
                "annotation_id": field(row, "_id", str, where),
                "source": "human",
                "worker_id": worker,
                "unit_id": package,
                "item_id": f"{conversation.conversation_id}-{answers['k']}",
                "conversation_id": conversation.conversation_id,
                "a": conversation.entities[0],
                "b": conversation.entities[1],
                **answers,
                **_times(row, where),
                "developer": bool(DEVELOPER.search(name)),
            }
        )
    frame = pd.DataFrame(rows)
    hits = frame.groupby(["worker_id", "unit_id"])
    done = hits["conversation_id"].transform("nunique")
    frame["incomplete"] = done != frame["unit_id"].map({package: len(held) for package, held in packages.items()})
    frame["repeat"] = frame.duplicated(["worker_id", "conversation_id", "k"])
    return frame


def _answers(row: dict, where: str) -> dict:
    """Both natures, the preferences (+1 entity 0, -1 entity 1, 0 neither) and the exchanges shown."""
    entities = [field(row, f"entity{entity}_annotation", dict, where) for entity in (0, 1)]
    turns = [field(entity, "decision_turn", int, where) for entity in entities]
    if turns[0] != turns[1] or turns[0] % 2:
        raise UserError(f"{where}: field 'decision_turn' is {turns[0]} and {turns[1]}.", "Correct it.")
    answers: dict[str, str | int] = {"k": turns[0] // 2}
    for number, entity in enumerate(entities):
        answers[f"nature{number}"] = NATURE[field(entity, "is_human", (bool, type(None)), where)]
    for feature, theirs in FEATURES.items():
        both = tuple(field(entity, theirs, bool, where) for entity in entities)
        if both not in PREFERENCE:
            raise UserError(f"{where}: field '{theirs}' is false for both entities.", "A tie is true for both.")
        answers[feature] = PREFERENCE[both]
    return answers


def _times(row: dict, where: str) -> dict[str, float]:
    started = field(row, "start_time", int, where)
    elapsed = field(row, "elapsed_time", int, where) / 1000
    known = started >= 0  # where the page had lost its clock, `elapsed_time` is the time since 1970
    return {
        "seconds": elapsed if known else np.nan,
        "elapsed": elapsed,
        "started": float(started) if known else np.nan,
        "submitted": float(field(row, "end_time", int, where)),
    }
