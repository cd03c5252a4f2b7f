"""ParlAI Conversations files (what `parlai self_chat` and others write) as a study."""

from __future__ import annotations

import hashlib
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
    reader = _ConversationReader(domain, dict(names or {}), seed_exchanges)
    for path in map(Path, paths):
        reader.read(path)
    unused = sorted(set(reader.names) - reader.used)
    if unused:
        raise UserError(f"--names {unused[0]}: nobody bears that id.", nearest(unused[0], reader.used))
    found = numbered(reader.found)
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
        "conversations": len(found),
        "options": options,
        "notes": _seats(found),
    }
    return ImportedStudy(plan_of(found, domain, segments), found, SURVEY, (), (), about)


@dataclass
class _ConversationReader:
    """Reads files one after the other: `found` conversations, `used` ids of speakers, where each conversation stood."""

    domain: str
    names: dict[str, str]
    seed_exchanges: int
    found: list[Conversation] = field(default_factory=list)
    used: set[str] = field(default_factory=set)
    places: dict[str, str] = field(default_factory=dict)
    sha256: dict[str, str] = field(default_factory=dict)

    def read(self, path: Path) -> None:
        before = len(self.found)
        files.read_jsonl(path, self._add, "conversations file")
        if len(self.found) == before:
            raise UserError(f"{path}: is empty.", "Name a file with a conversation a line.")
        self.sha256[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()

    def _add(self, row: dict, where: str) -> None:
        turns = self._turns(row, where)
        entities = _entities(row, turns, self.names, where)
        seed = files.field(row, "seed_exchanges", int, where, self.seed_exchanges)
        if len(turns) < 2 * (seed + 1):
            raise UserError(
                f"{where}: {len(turns)} turns, no exchange after {seed} of the seed.", "Remove it, or the line's seed."
            )
        self.found.append(
            Conversation(
                conversation_id=identity(row.get("conversation_id"), self.places, where, (entities, turns)),
                domain=self.domain,
                pair=(min(entities), max(entities)),
                number=0,
                entities=entities,
                turns=tuple(turns),
                seed_exchanges=seed,
                seed_id=str(row.get("seed_id", "")),
                context=_context(row, entities, self.names, where),
            )
        )

    def _turns(self, row: dict, where: str) -> list[Turn]:
        turns = []
        for exchange, acts in enumerate(files.field(row, "dialog", list, where)):
            if not isinstance(acts, list) or not all(isinstance(act, dict) for act in acts):
                raise UserError(
                    f"{where}: field 'dialog', exchange {exchange}: expected a list of turns.", "Correct it."
                )
            for act in acts:
                speaker = files.field(act, "id", str, where)
                self.used.add(speaker)
                turns.append(Turn(self.names.get(speaker, speaker), files.field(act, "text", str, where)))
        return turns


def identity(given: object, places: dict[str, str], where: str, said: tuple[tuple[str, str], Sequence[Turn]]) -> str:
    """A conversation's own id, or one made of who `said` what; `places` holds where each was, and none may be there
    twice."""
    name = given
    if not isinstance(name, str) or not name:
        entities, turns = said
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
    return entities


def _context(row: dict, entities: tuple[str, str], names: dict, where: str) -> tuple[str, str]:
    told = ["", ""]
    for act in files.field(row, "context", list, where, []):
        if isinstance(act, dict) and names.get(act.get("id"), act.get("id")) in entities:
            place = entities.index(names.get(act["id"], act["id"]))
            place = 1 if told[place] and entities[0] == entities[1] else place
            told[place] = str(act.get("text", ""))
    return (told[0], told[1])


def _seats(found: Sequence[Conversation]) -> list[str]:
    """ParlAI's self_chat calls one bot NAME_1 and NAME_2 after its seats; whether it is one, only the user knows."""
    bots = sorted({name for c in found for name in c.entities})
    stems = [name.removesuffix("_1") for name in bots if name.endswith("_1") and f"{name[:-2]}_2" in bots]
    return [
        f"{stem}_1 and {stem}_2 count as two bots; if they are one in two seats, make another study with "
        f"--names {stem}_1={stem},{stem}_2={stem}"
        for stem in stems
    ]


def numbered(found: Sequence[Conversation]) -> list[Conversation]:
    """In canonical order, numbered within each pair; bots with people come after bots, and people last."""
    number: Counter[tuple[str, str]] = Counter()
    result = []
    for conversation in found:
        result.append(replace(conversation, number=number[conversation.pair]))
        number[conversation.pair] += 1
    return sorted(result, key=lambda c: (sum(c.is_human), c.pair, c.number))


def plan_of(found: Sequence[Conversation], domain: str, segments: Sequence[int] | None) -> Plan:
    """The plan of a study that holds these conversations; none of bots is a `UserError`."""
    bots = sorted({name for c in found for name in c.entities} - {HUMAN})
    if not bots:
        raise UserError(
            "All conversations are between people.", "Bring in the bots' with them: several files may be named."
        )
    exchanges = max(c.exchanges for c in found)
    chosen = tuple(sorted(segments)) if segments else tuple(k for k in SEGMENTS if k <= exchanges) or (exchanges,)
    per_pair = Counter(c.pair for c in found if HUMAN not in c.pair)
    with_people = Counter(c.pair for c in found if c.kind == "human_model")
    pairs = tuple(sorted(per_pair)) or (((bots[0], bots[0]),) if len(bots) == 1 else ())
    return Plan(
        domain=domain,
        contestants={bot: contestant(bot, "imported conversations") for bot in bots},
        conversations_per_pair=max((per_pair or with_people).values()),
        exchanges=exchanges,
        segments=chosen,
        human_conversations=sum(c.kind == "people" for c in found),
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
