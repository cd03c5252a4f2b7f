"""ParlAI Conversations files (what `parlai self_chat` and others write) as a study."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.importers.format import ImportRequest, study_format
from parlai_spotbot.importers.imported_study import ImportedStudy, contestant
from parlai_spotbot.records import HUMAN, NAME, Conversation, Turn
from parlai_spotbot.study_plan import Plan

SURVEY = "spot_the_bot"
SEGMENTS = (2, 3, 5)
CONTEXT = "context"
"""The id under which ParlAI's worlds tell a bot its persona."""


def conversations(
    paths: Sequence[Path | str],
    domain: str,
    *,
    names: Mapping[str, str] | None = None,
    seed_exchanges: int = 0,
    segments: Sequence[int] | None = None,
) -> ImportedStudy:
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
        Names file, line and field: not JSON, turns that don't alternate, a third speaker, …
    """
    if seed_exchanges < 0:
        raise UserError(f"--seed-exchanges {seed_exchanges}: expected a whole number from 0 up.", "0 is the default.")
    reader = ConversationReader(domain, dict(names or {}), seed_exchanges)
    for path in map(Path, paths):
        reader.read(path)
    unused = sorted(set(reader.names) - reader.used)
    if unused:
        raise UserError(f"--names {unused[0]}: nobody bears that id.", nearest(unused[0], reader.used))
    numbered_conversations = numbered(reader.found)
    options = {
        "domain": domain,
        "names": reader.names,
        "seed_exchanges": seed_exchanges,
        "segments": None if segments is None else list(segments),
    }
    about = {
        "format": "conversations",
        "source": sorted(reader.sha256),
        "sha256": reader.sha256,
        "conversations": len(numbered_conversations),
        "options": options,
        "notes": _seats(numbered_conversations),
    }
    return ImportedStudy(
        plan_of(numbered_conversations, domain, segments), numbered_conversations, SURVEY, (), (), about
    )


@dataclass
class ConversationReader:
    """Reads files one after the other: `found` conversations, `used` ids of speakers, `sha256` of the files."""

    domain: str
    names: dict[str, str] = field(default_factory=dict)
    seed_exchanges: int = 0
    found: list[Conversation] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    places: dict[str, str] = field(default_factory=dict)
    sha256: dict[str, str] = field(default_factory=dict)

    def read(self, path: Path, bot: str = "") -> None:
        """Read a file; `bot`: both speakers of its conversations are this contestant, whatever their ids."""
        before = len(self.found)
        files.read_jsonl(path, lambda row, where: self._add(row, where, bot, before), "conversations file")
        if len(self.found) == before:
            raise UserError(f"{path}: is empty.", "Name a file with a conversation a line.")
        self.sha256[path.name] = files.sha256(path)

    def _add(self, row: dict, where: str, bot: str, before: int) -> None:
        contexts, turns = _acts(row, where)
        self.used.update(speaker for speaker, _ in turns)
        entities = self._entities(row, turns, where, bot)
        seed = files.field(row, "seed_exchanges", int, where, self.seed_exchanges)
        if len(turns) < 2 * (seed + 1):
            raise UserError(
                f"{where}: {len(turns)} turns, no exchange after {seed} of the seed.", "Remove it, or the line's seed."
            )
        spoken = tuple(Turn(entities[i % 2] if bot else self._name(who), text) for i, (who, text) in enumerate(turns))
        given = f"{bot}:{bot}:{len(self.found) - before:04d}" if bot else row.get("conversation_id")
        self.found.append(
            Conversation(
                conversation_id=identity(given, self.places, where, (entities, spoken)),
                domain=self.domain,
                pair=(min(entities), max(entities)),
                number=0,
                entities=entities,
                turns=spoken,
                seed_exchanges=seed,
                seed_id=str(row.get("seed_id", "")),
                context=self._context(contexts, entities, bot),
            )
        )

    def _name(self, speaker: str) -> str:
        return self.names.get(speaker, speaker)

    def _entities(self, row: dict, turns: list[tuple[str, str]], where: str, bot: str) -> tuple[str, str]:
        """Return who has the even and who the odd turns; everyone must keep to theirs, but for the seed's context."""
        speakers = [who if bot else self._name(who) for who, _ in turns]
        if isinstance(row.get("entities"), list) and len(row["entities"]) == 2 and not bot:
            entities = tuple(self._name(str(name)) for name in row["entities"])
        else:
            entities = (speakers[0], speakers[1]) if len(turns) > 1 else ("", "")
            wrong = next((i for i, speaker in enumerate(speakers) if speaker != entities[i % 2]), None)
            if wrong is not None:
                raise UserError(
                    f"{where}: field 'dialog', turn {wrong} is by '{speakers[wrong]}', expected "
                    f"'{entities[wrong % 2]}'.",
                    "Two speakers take turns; give two ids of one bot the same name with --names.",
                )
        if bot:
            if len({re.sub(r"_[12]$", "", who) for who in entities}) > 1 and bot != HUMAN:
                raise UserError(
                    f"{where}: field 'dialog' is of '{entities[0]}' with '{entities[1]}', which is no bot with itself.",
                    "Bring conversations of two bots in with --format conversations.",
                )
            return bot, bot
        for name in entities:
            if not NAME.match(name):
                raise UserError(
                    f"{where}: field 'id' is {name!r}, which can't be a contestant's name.",
                    "Give it one with --names ID=NAME.",
                )
        return entities

    def _context(self, contexts: list[tuple[str, str]], entities: tuple[str, str], bot: str) -> tuple[str, str]:
        """Return what each speaker was told before: of a bot with itself in the order of the file, else by ids."""
        context = ["", ""]
        for number, (who, text) in enumerate(contexts):
            if bot and number < 2:
                context[number] = text
            elif not bot and self._name(who) in entities:
                place = entities.index(self._name(who))
                context[1 if context[place] and entities[0] == entities[1] else place] = text
        return context[0], context[1]


def _acts(row: dict, where: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Return (id, text) of what was told before, and of each turn."""
    acts = [(act, f"{where}: field 'context'") for act in files.field(row, "context", list, where, [])]
    for exchange, own in enumerate(files.field(row, "dialog", list, where)):
        place = f"{where}: field 'dialog', exchange {exchange}"
        if not isinstance(own, list):
            raise UserError(f"{place}: expected a list of turns.", "Correct it.")
        acts += [(act, place) for act in own]
    contexts, turns = [], []
    for act, place in acts:
        if not isinstance(act, dict):
            raise UserError(f"{place}: {act!r}, expected an object with 'id' and 'text'.", "Correct it.")
        who, text = files.field(act, "id", str, place), files.field(act, "text", str, place)
        (contexts if who == CONTEXT or place.endswith("'context'") else turns).append((who, text))
    return contexts, turns


def identity(given: object, places: dict[str, str], where: str, spoken: tuple[tuple[str, str], Sequence[Turn]]) -> str:
    """A conversation's own id, or one made of who `spoken` what; `places` holds where each was, and none may be there
    twice."""
    name = given
    if not isinstance(name, str) or not name:
        entities, turns = spoken
        text = files.dumps([entities, [[turn.speaker, turn.text] for turn in turns]])
        stem = name = hashlib.sha256(text.encode()).hexdigest()[:16]
        again = 1
        while name in places:
            again += 1
            name = f"{stem}-{again}"
    elif name in places:
        raise UserError(
            f"{where}: field 'conversation_id' is '{name}', as in {places[name]}.",
            "Give each conversation an id of its own.",
        )
    places[name] = where
    return name


def _seats(kept_conversations: Sequence[Conversation]) -> list[str]:
    """ParlAI's self_chat calls one bot NAME_1 and NAME_2 after its seats; whether it is one, only the user knows."""
    bots = sorted({name for c in kept_conversations for name in c.entities})
    stems = [name.removesuffix("_1") for name in bots if name.endswith("_1") and f"{name[:-2]}_2" in bots]
    return [
        f"{stem}_1 and {stem}_2 count as two bots; if they are one in two seats, make another study with "
        f"--names {stem}_1={stem},{stem}_2={stem}"
        for stem in stems
    ]


def numbered(kept_conversations: Sequence[Conversation]) -> list[Conversation]:
    """In canonical order, numbered within each pair; bots with people come after bots, and people last."""
    number: Counter[tuple[str, str]] = Counter()
    result = []
    for conversation in kept_conversations:
        result.append(replace(conversation, number=number[conversation.pair]))
        number[conversation.pair] += 1
    return sorted(result, key=lambda c: (sum(c.is_human), c.pair, c.number))


def plan_of(kept_conversations: Sequence[Conversation], domain: str, segments: Sequence[int] | None) -> Plan:
    """The plan of a study that holds these conversations; none of bots is a `UserError`."""
    bots = sorted({name for c in kept_conversations for name in c.entities} - {HUMAN})
    if not bots:
        raise UserError(
            "All conversations are between people.", "Bring in the bots' with them: several files may be named."
        )
    exchanges = max(c.exchanges for c in kept_conversations)
    chosen = tuple(sorted(segments)) if segments else tuple(k for k in SEGMENTS if k <= exchanges) or (exchanges,)
    per_pair = Counter(c.pair for c in kept_conversations if HUMAN not in c.pair)
    with_people = Counter(c.pair for c in kept_conversations if c.kind == "human_model")
    pairs = tuple(sorted(per_pair)) or (((bots[0], bots[0]),) if len(bots) == 1 else ())
    return Plan(
        domain=domain,
        contestants={bot: contestant(bot, "imported conversations") for bot in bots},
        conversations_per_pair=max((per_pair or with_people).values()),
        exchanges=exchanges,
        segments=chosen,
        human_conversations=sum(c.kind == "people" for c in kept_conversations),
        pairs=() if set(pairs) == set(combinations(bots, 2)) else pairs,
    ).check("--segments" if segments else "import")


def _read(request: ImportRequest) -> ImportedStudy:
    return conversations(
        request.paths,
        request["domain"] or "imported",
        names=request.pairs("names"),
        seed_exchanges=request["seed_exchanges"],
        segments=request.segments,
    )


FORMAT = study_format(_read)
