"""ParlAI Conversations files (what `parlai self_chat` and others write) as a study, or added to an imported one."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.importers.writing import Imported, contestant
from parlai_spotbot.records import HUMAN, NAME, Conversation, Turn
from parlai_spotbot.study import Plan

SURVEY = "spot_the_bot"
SEGMENTS = (2, 3, 5)


def conversations(
    paths: Sequence[Path | str],
    domain: str,
    *,
    names: Mapping[str, str] | None = None,
    seed_exchanges: int = 0,
    segments: Sequence[int] | None = None,
) -> Imported:
    """Read ParlAI Conversations files: JSON Lines with `dialog`, a list of exchanges of turns ``{"id", "text"}``.

    Parameters
    ----------
    names : mapping
        The files' speaker ids -> contestants' names ("human" for people); ids that aren't in it keep theirs.
    seed_exchanges : int
        How many exchanges at the front are context that is never shown. A file that was written by this package says so
        itself.
    segments : sequence of int, optional
        Segment lengths; by default those of 2, 3, 5 that fit.

    Raises
    ------
    UserError
        Names file, line and field: not JSON, turns that don't alternate, a third speaker, a person with a bot, …
    """
    names = dict(names or {})
    if seed_exchanges < 0:
        raise UserError(f"--seed-exchanges {seed_exchanges}: expected a whole number from 0 up.", "0 is the default.")
    read: list[tuple[str, Conversation]] = []
    seen: Counter[str] = Counter()
    used: set[str] = set()
    checks = {}
    for path in map(Path, paths):
        rows = files.read_jsonl(path, lambda row, where: (where, row), "conversations file")
        if not rows:
            raise UserError(f"{path}: is empty.", "Name a file with a conversation a line.")
        checks[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
        for where, row in rows:
            read.append((where, _conversation(row, where, domain, names, used, seed_exchanges, seen)))
    unused = sorted(set(names) - used)
    if unused:
        raise UserError(f"--names {unused[0]}: nobody bears that id.", nearest(unused[0], used))
    _unique(read)
    found = _numbered([conversation for _, conversation in read])
    about = {
        "format": "conversations", "source": sorted(checks), "sha256": checks, "conversations": len(found),
        "options": {"domain": domain, "names": names, "seed_exchanges": seed_exchanges,
                    "segments": None if segments is None else list(segments)},
    }  # fmt: skip
    return Imported(_plan(found, domain, segments), found, SURVEY, (), (), about)


def _conversation(
    row: dict, where: str, domain: str, names: dict, used: set, seed_exchanges: int, seen: Counter
) -> Conversation:
    turns = []
    for exchange, acts in enumerate(files.field(row, "dialog", list, where)):
        if not isinstance(acts, list) or not all(isinstance(act, dict) for act in acts):
            raise UserError(f"{where}: field 'dialog', exchange {exchange}: expected a list of turns.", "Correct it.")
        for act in acts:
            speaker = files.field(act, "id", str, where)
            used.add(speaker)
            turns.append(Turn(names.get(speaker, speaker), files.field(act, "text", str, where)))
    entities = _entities(row, turns, names, where)
    known = files.field(row, "seed_exchanges", int, where, seed_exchanges)
    if len(turns) < 2 * (known + 1):
        raise UserError(
            f"{where}: {len(turns)} turns, no exchange after {known} of the seed.", "Remove it, or the line's seed."
        )
    identity = row.get("conversation_id")
    if not isinstance(identity, str) or not identity:
        said = files.dumps([entities, [[turn.speaker, turn.text] for turn in turns]])
        identity = hashlib.sha256(said.encode()).hexdigest()[:16]
        seen[identity] += 1
        identity += f"-{seen[identity]}" if seen[identity] > 1 else ""
    return Conversation(
        conversation_id=identity, domain=domain, pair=tuple(sorted(entities)), number=0, entities=entities,
        turns=tuple(turns), seed_exchanges=known, seed_id=str(row.get("seed_id", "")),
        context=_context(row, entities, names, where),
    )  # fmt: skip


def _entities(row: dict, turns: list[Turn], names: dict, where: str) -> tuple[str, str]:
    """Who has the even and who the odd turns; everyone must keep to theirs, but for the context of the seed."""
    if isinstance(row.get("entities"), list) and len(row["entities"]) == 2:
        entities = tuple(names.get(name, name) for name in map(str, row["entities"]))
    else:
        entities = (turns[0].speaker, turns[1].speaker) if len(turns) > 1 else ("", "")
        wrong = next((i for i, turn in enumerate(turns) if turn.speaker != entities[i % 2]), None)
        if wrong is not None:
            raise UserError(
                f"{where}: field 'dialog', turn {wrong} is by '{turns[wrong].speaker}', "
                f"expected '{entities[wrong % 2]}'.",
                "Two speakers take turns; give two ids of one bot the same name with --names.",
            )
    for name in entities:
        if not NAME.match(name):
            raise UserError(
                f"{where}: field 'id' is {name!r}, which can't be a contestant's name.",
                "Give it one with --names ID=NAME.",
            )
    if (entities[0] == HUMAN) != (entities[1] == HUMAN):
        raise UserError(
            f"{where}: a conversation of {entities[0]} with {entities[1]}.", "Only two bots, or two people, are judged."
        )
    return entities


def _context(row: dict, entities: tuple[str, str], names: dict, where: str) -> tuple[str, str]:
    told = ["", ""]
    for act in files.field(row, "context", list, where, []):
        if isinstance(act, dict) and names.get(act.get("id"), act.get("id")) in entities:
            place = entities.index(names.get(act["id"], act["id"]))
            place = 1 if told[place] and entities[0] == entities[1] else place
            told[place] = str(act.get("text", ""))
    return (told[0], told[1])


def _unique(read: list[tuple[str, Conversation]]) -> None:
    seen: dict[str, str] = {}
    for where, conversation in read:
        if conversation.conversation_id in seen:
            raise UserError(
                f"{where}: field 'conversation_id' is '{conversation.conversation_id}', as in "
                f"{seen[conversation.conversation_id]}.", "Give each conversation an id of its own.",
            )  # fmt: skip
        seen[conversation.conversation_id] = where


def _numbered(found: Sequence[Conversation]) -> list[Conversation]:
    """In canonical order, numbered within each pair; people come last."""
    number: Counter[tuple[str, str]] = Counter()
    result = []
    for conversation in found:
        result.append(replace(conversation, number=number[conversation.pair]))
        number[conversation.pair] += 1
    return sorted(result, key=lambda c: (HUMAN in c.pair, c.pair, c.number))


def _plan(found: Sequence[Conversation], domain: str, segments: Sequence[int] | None) -> Plan:
    bots = sorted({name for c in found for name in c.entities} - {HUMAN})
    if not bots:
        raise UserError(
            "All conversations are between people.", "Bring in the bots' with them: several files may be named."
        )
    exchanges = max(c.exchanges for c in found)
    chosen = tuple(sorted(segments)) if segments else tuple(k for k in SEGMENTS if k <= exchanges) or (exchanges,)
    per_pair = Counter(c.pair for c in found if HUMAN not in c.pair)
    every = tuple(combinations(bots, 2))
    return Plan(
        domain=domain,
        contestants={bot: contestant(bot, "imported conversations") for bot in bots},
        conversations_per_pair=max(per_pair.values()),
        exchanges=exchanges,
        segments=chosen,
        human_conversations=sum(HUMAN in c.pair for c in found),
        pairs=() if set(per_pair) == set(every) else tuple(sorted(per_pair)),
    ).check("--segments" if segments else "import")
