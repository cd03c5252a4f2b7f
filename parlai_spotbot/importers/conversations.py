"""ParlAI Conversations files, this package's own among them, as a study that can be packed."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.contestant_names import ContestantNames, named_file
from parlai_spotbot.importers.dataset_rows import dataset_rows
from parlai_spotbot.importers.format import study_format
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.importers.imported_study import ImportedStudy, contestant
from parlai_spotbot.records import HUMAN, Conversation, Turn
from parlai_spotbot.study_plan import Plan, check_segments
from parlai_spotbot.user_files import validated

SURVEY = "spot_the_bot"
SEGMENTS = (2, 3, 5)
CONTEXT = "context"
"""The id under which ParlAI's worlds tell a bot its persona."""


class Act(BaseModel):
    """A turn, or a context that a speaker was given."""

    id: str
    text: str


class ConversationRow(BaseModel):
    """A line of a Conversations file; the fields with defaults are those of this package's own files."""

    dialog: list[list[Act]]
    context: list[Act] = []
    conversation_id: str | int | None = None
    entities: tuple[str, str] | None = None
    seed_exchanges: int | None = Field(None, ge=0)
    seed_id: str = ""


@dataclass
class Reading:
    """Conversations that an importer has read: `found` in the order of the files, `places` by id, files' `sha256`."""

    domain: str
    names: ContestantNames
    seed_exchanges: int = 0
    found: list[Conversation] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    sha256: dict[str, str] = field(default_factory=dict)

    def add(self, where: str, entities: tuple[str, str], texts: Sequence[str], seed: int, **more: Any) -> None:
        """Add a conversation whose speakers take turns; `conversation_id` is the file's, or "" for one of its turns."""
        turns = tuple(Turn(entities[i % 2], text) for i, text in enumerate(texts))
        name = more.pop("conversation_id")
        if not name:
            text = files.dumps([entities, [[turn.speaker, turn.text] for turn in turns]])
            stem = name = hashlib.sha256(text.encode()).hexdigest()[:16]
            again = 1
            while name in self.places:
                again += 1
                name = f"{stem}-{again}"
        elif name in self.places:
            raise UserError(
                f"{where}: field 'conversation_id' is '{name}', as in {self.places[name]}.",
                "Give each conversation an id of its own.",
            )
        self.places[name] = where
        pair = (min(entities), max(entities))
        self.found.append(Conversation(name, self.domain, pair, 0, entities, turns, seed_exchanges=seed, **more))

    def add_checksums(self, path: Path) -> None:
        """Record the SHA-256 of a file, or of each file of a folder."""
        for file in sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]:
            self.sha256[file.name if file == path else str(file.relative_to(path.parent))] = files.sha256(file)

    def study(self, request: ImportRequest, name: str, **about: Any) -> ImportedStudy:
        """Return the study of the conversations; unused --names, and nothing to show, are a `UserError`."""
        self.names.check_used()
        conversations = numbered(self.found)
        own = ("domain", "names", "columns", "seed_exchanges", "segments")
        about = {
            "format": name,
            "source": sorted(self.sha256),
            "sha256": self.sha256,
            "conversations": len(conversations),
            "options": {option: getattr(request, option) for option in own},
            **about,
        }
        plan = plan_of(conversations, self.domain, request.segments)
        survey = SURVEY if any(c.kind == "pairs" for c in conversations) else "acute_eval"
        survey = survey if survey == SURVEY or len(plan.contestants) > 1 else "dialogue_likert"
        return ImportedStudy(replace(plan, surveys=(survey,)), conversations, survey, (), (), about)


def reading_of(request: ImportRequest) -> Reading:
    """Return an empty `Reading` by the options of a request."""
    if request.seed_exchanges < 0:
        problem = f"--seed-exchanges {request.seed_exchanges}: expected a whole number from 0 up."
        raise UserError(problem, "0 is the default.")
    names = ContestantNames(request.pairs("names"))
    return Reading(request.domain or "imported", names, request.seed_exchanges)


def conversations(request: ImportRequest) -> ImportedStudy:
    """Read ParlAI Conversations files: rows with `dialog`, a list of exchanges of turns ``{"id", "text"}``.

    Both speakers of ``NAME=FILE`` are the contestant NAME, whatever their ids, as in files of ``parlai self_chat``.

    Raises
    ------
    UserError
        Names file, line and field: not JSON, turns that don't alternate, a third speaker, …
    """
    reading = reading_of(request)
    for name, path, given in map(named_file, request.paths):
        before = len(reading.found)
        for where, values in dataset_rows(path):
            _add(reading, validated(ConversationRow, values, where), where, name if given else "")
        if len(reading.found) == before:
            raise UserError(f"{path}: is empty.", "Name a file with a conversation a line.")
        reading.add_checksums(path)
    return reading.study(request, "conversations", notes=reading.names.notes())


def _add(reading: Reading, row: ConversationRow, where: str, bot: str) -> None:
    acts = [act for exchange in row.dialog for act in exchange]
    contexts = row.context + [act for act in acts if act.id == CONTEXT]
    acts = [act for act in acts if act.id != CONTEXT]
    seed = reading.seed_exchanges if row.seed_exchanges is None else row.seed_exchanges
    if len(acts) < 2 * (seed + 1):
        problem = f"{where}: {len(acts)} turns, no exchange after {seed} of the seed."
        raise UserError(problem, "Remove it, or the line's seed.")
    ids = row.entities or (acts[0].id, acts[1].id)
    wrong = None if row.entities else next((i for i, act in enumerate(acts) if act.id != ids[i % 2]), None)
    if wrong is not None:
        raise UserError(
            f"{where}: field 'dialog', turn {wrong} is by '{acts[wrong].id}', expected '{ids[wrong % 2]}'.",
            "Two speakers take turns; where both are one bot, write --data NAME=FILE.",
        )
    first, second = (bot or reading.names.of(who, where, people=True) for who in ids)
    context = ["", ""]
    for number, act in enumerate(contexts[:2]):
        taken = ids[0] == ids[1] and context[0]
        context[ids.index(act.id) + bool(taken) if act.id in ids else number] = act.text
    more = {
        "conversation_id": str(row.conversation_id or ""),
        "seed_id": row.seed_id,
        "context": (context[0], context[1]),
    }
    reading.add(where, (first, second), [act.text for act in acts], seed, **more)


def numbered(kept_conversations: Sequence[Conversation]) -> list[Conversation]:
    """In canonical order, numbered within each pair; bots with people come after bots, and people last."""
    number: Counter[tuple[str, str]] = Counter()
    result = []
    for conversation in kept_conversations:
        result.append(replace(conversation, number=number[conversation.pair]))
        number[conversation.pair] += 1
    return sorted(result, key=lambda c: (sum(c.is_human), c.pair, c.number))


def plan_of(kept_conversations: Sequence[Conversation], domain: str, segments: Sequence[int] | None) -> Plan:
    """Return the plan of a study that holds these conversations; none of bots is a `UserError`."""
    segments = None if segments is None else check_segments(tuple(segments), "--segments")
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


FORMAT = study_format(conversations)
