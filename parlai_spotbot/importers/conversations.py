"""ParlAI Conversations files, this package's own among them, as a study that can be packed."""

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.contestant_names import ContestantNames, named_file
from parlai_spotbot.importers.dataset_rows import dataset_rows, unread_note
from parlai_spotbot.importers.format import study_format
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.importers.imported_study import ImportedStudy, growing, numbered, plan_of, unused_name
from parlai_spotbot.importers.left_out import SHORT, Unusable
from parlai_spotbot.outside import cleaned, without_calls, without_reasoning
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import HUMAN, Conversation, Turn, until_stop
from parlai_spotbot.user_files import validated

CHAT_WORDS = own_data(__file__, "chats.yaml")
"""Names that formats of chats have, and the rules for what is odd in them."""
CONTEXT = "context"
"""The id under which ParlAI's worlds tell a bot its persona."""
PERSONA = re.compile(r"(?:(?:your|partner's) persona:[^\n]*(?:\n|$)|__SILENCE__\s*)+")
"""How teachers tell it, in front of the first message to that bot; and a first message that says nothing."""
SIMULATED = (
    "users are read as people, though marks that end conversations are programs'; a simulator has a name by --names "
    "user=NAME, of tau2 by --data NAME=FILE"
)
END = re.compile(r"\[(?:DONE|EXIT)\]")
"""What the last message of a chat says in ParlAI's logs."""


MOST_UNKNOWN = 1000
"""So many rows without messages are looked at; if all are, so are the others."""
UNKNOWN = "row without messages"
"""The reason of a row of which it isn't known where messages are."""


class FileAct(BaseModel):
    """A turn, or a context that a speaker was given."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    id: str = Field(validation_alias=AliasChoices("id", "agent_idx"))
    text: str | None = None


class FileRow(BaseModel):
    """A line of a Conversations file; the fields with defaults are those of this package's own files."""

    dialog: list[list[FileAct] | FileAct]
    context: list[FileAct] | None = None
    conversation_id: str | int | None = None
    entities: tuple[str, str] | None = None
    seed_exchanges: int | None = Field(None, ge=0)
    seed_id: str = ""


class Reading:
    """Reader of a request's files into conversations: `found` by id, in the order of the files; `known` are those of
    the study to which they are added; `counts` says what was odd (the rules of chats.yaml)."""

    def __init__(self, request: ImportRequest):
        if request.seed_exchanges < 0:
            problem = f"--seed-exchanges {request.seed_exchanges}: expected a whole number from 0 up."
            raise UserError(problem, "0 is the default.")
        self.request = request
        self.names = ContestantNames(request.pairs("names"))
        self.domain = request.domain or "imported"
        there = growing(request.study, self.domain)
        self.known = {}
        self.segments = request.segments or None
        if there:
            self.known = {c.conversation_id: replace(c, number=0) for c in there.conversations()}
            self.segments = request.segments or there.plan.segments
        self.found = {}
        self.counts = Counter()
        self.is_read: Counter[str] = Counter()
        """Columns of the files: in how many rows more than not what they hold is read."""

    take: Any = None
    """Method that reads a row: ``take(row, where, name, given)``, the name of the bot, which the user gave, or the
    file's."""

    def read_note(self) -> str:
        """Return what a summary says of columns that are read for what their names say; "" of none."""
        return ""

    rows: Any = iter
    """Method that gives the rows that `take` reads of those of a file."""

    def text(self, text: str, bot: bool) -> str:
        """Return a message without what no page can show; a bot's also without its reasoning and calls."""
        clean = cleaned(text)
        self.counts["cleaned"] += clean != text
        if not bot:
            return clean
        spoken = without_reasoning(clean)
        answer = without_calls(spoken)
        self.counts["reasoning"] += spoken != clean
        self.counts["calls"] += answer != spoken
        return answer

    def add(self, where: str, entities: tuple, texts: list, seed: int | None, identity: tuple, **more: Any) -> None:
        """Add a conversation whose speakers take turns; `identity` is the field of its id and the id, None for one of
        its turns.
        """
        if seed is None:
            seed = self.request.seed_exchanges
        turns_said = list(map(Turn, cycle(entities), texts))
        turns = until_stop(turns_said)
        self.counts["stopped"] += turns != turns_said
        if len(turns) < 2 * (seed + 1):
            raise Unusable(
                SHORT,
                f"{where}: {len(turns)} turns with a text, no exchange after {seed} of the seed.",
                "Remove it, or the seed.",
            )
        column, name = identity
        name = name or self._unused_id(entities, turns)
        pair = (min(entities), max(entities))
        conversation = Conversation(name, self.domain, pair, 0, entities, tuple(turns), seed_exchanges=seed, **more)
        problem = f"{where}: field '{column}' is '{name}', as of another conversation"
        earlier = self.found.get(name)
        if earlier is not None and _goes_on(earlier, conversation):
            self.counts["shorter"] += 1
            self.found[name] = max(earlier, conversation, key=lambda talk: len(talk.turns))
            return
        if conversation != self.found.get(name, self.known.get(name, conversation)):
            raise UserError(
                f"{problem} with other contents.",
                "Give each an id of its own; chats of roles can do without: --columns conversation_id=-.",
            )
        if name in self.found:
            raise Unusable("copy of a conversation", f"{problem} with the same contents.", "Remove one of them.")
        self.found[name] = conversation

    def _unused_id(self, entities: tuple, turns: Sequence[Turn]) -> str:
        """Return an id of a conversation that has none: a checksum of what was said."""
        text = files.dumps([entities, [[turn.speaker, turn.text] for turn in turns]])
        name = hashlib.sha256(text.encode()).hexdigest()[:16]
        self.counts["alike"] += name in self.found
        return unused_name(name, self.found)

    def study(self, name: str) -> ImportedStudy:
        """Read the files and return their study; unused --names, and nothing to show, are a `UserError`."""
        sha256 = self._read_files()
        self.names.check_used()
        notes = self.names.notes()
        people_named = any(file.startswith(f"{HUMAN}=") for file in self.request.paths)
        with_people = any(HUMAN in talk.entities for talk in self.found.values())
        if self.counts["stopped"] and with_people and not people_named:
            notes.append(SIMULATED)
        notes += filter(None, [self.read_note(), unread_note(-self.is_read, ())])
        if self.known:
            notes.append(f"{len(self.found)} of them are in --data")
        about = {
            "format": name,
            "source": sorted(sha256),
            "sha256": sha256,
            "conversations": len(self.found),
            "options": self._options(),
            "notes": notes,
            "oddities": [
                {"what": what, "count": self.counts[key], "of": self.counts[of], "rule": rule}
                for key, (what, of, rule) in CHAT_WORDS["rules"].items()
                if self.counts[key]
            ],
        }
        conversations = numbered((self.known | self.found).values())
        plan = plan_of(conversations, self.domain, self.segments)
        survey = "dialogue_likert"
        if any(c.kind == "pairs" for c in conversations):
            survey = "spot_the_bot"
        elif len(plan.contestants) > 1:
            survey = "acute_eval"
        return ImportedStudy(replace(plan, surveys=(survey,)), conversations, survey, (), (), about)

    def _read_files(self) -> dict[str, str]:
        """Read the conversations of all files; return the files' checksums by name."""
        left_out = self.request.left_out
        sha256 = {}
        for bot, path, given in map(named_file, self.request.paths):
            before = left_out.rows
            unnamed = self.counts["unnamed"]
            for where, row in self.rows(dataset_rows(path, self.request.pairs("columns"))):
                with left_out.row():
                    self.take(row, where, bot, given)
                if left_out.rows == MOST_UNKNOWN == left_out.counts[UNKNOWN]:
                    left_out.check(f"{path}, the first {MOST_UNKNOWN:,} rows")
            if self.counts["unnamed"] > unnamed:
                self.names.check_file(bot, path)
            if left_out.rows == before:
                raise UserError(f"{path}: is empty.", "Name a file with a conversation a row.")
            for file in sorted(filter(Path.is_file, path.rglob("*"))) or [path]:
                label = unused_name(str(file.relative_to(path.parent)), sha256)  # others may be of another folder
                sha256[label] = files.sha256(file)
        left_out.check(self.request.data)
        self.counts["conversations"] = left_out.rows
        if not self.counts["named"]:
            del self.counts["unnamed"]
        return sha256

    def _options(self) -> dict[str, Any]:
        """Return the options of the request, for provenance.json."""
        request = self.request
        options = {name: getattr(request, name) for name in ("domain", "names", "columns", "seed_exchanges")}
        options["segments"] = request.segments and list(request.segments)
        bots = [part.partition("=")[0] for part in request.paths if "=" in part]
        if request.roles:
            options["roles"] = request.roles
        if bots:
            options["bots"] = bots
        return options


def _goes_on(one: Conversation, other: Conversation) -> bool:
    """Return True if one of two conversations is the beginning of the other, as in a log of each turn."""
    if one.pair != other.pair:
        return False
    said, more = sorted(([turn.text for turn in talk.turns] for talk in (one, other)), key=len)
    return len(said) < len(more) and said == more[: len(said)]


class ConversationReader(Reading):
    """Reader of ParlAI Conversations files: rows with `dialog`, a list of exchanges of turns ``{"id", "text"}``.

    Both speakers of ``NAME=FILE`` are the contestant NAME, whatever their ids, as in files of ``parlai self_chat``.
    """

    def take(self, row: dict, where: str, name: str, given: bool) -> None:
        """Read a row; turns that don't alternate, a third speaker and turns without a text are `Unusable`."""
        try:
            talk = validated(FileRow, row, where)
        except UserError as err:
            raise Unusable("row that is no conversation", err.problem, err.remedy) from None
        acts, contexts = self._acts_and_contexts(talk)
        ids = talk.entities or (*(act.id for act in acts[:2]), HUMAN, HUMAN)[:2]
        entities = [name, name]
        if not given:
            entities = [self.names.of(who, where, people=True) for who in ids]
        said = [self.text(act.text or "", who != HUMAN) for act, who in zip(acts, cycle(entities), strict=False)]
        for number, (act, text, who) in enumerate(zip(acts, said, cycle(ids), strict=False)):
            if not talk.entities and (act.id != who or not text.strip()):
                raise Unusable(
                    "conversation with a turn that is empty or by another speaker",
                    f"{where}: field 'dialog', turn {number} is by '{act.id}', expected a text by '{who}'.",
                    "Two speakers take turns; where both are one bot, write --data NAME=FILE.",
                )
        self.counts["one_id"] += ids[0] == ids[1] != HUMAN and not (given or talk.entities)
        identity = ("conversation_id", talk.conversation_id and str(talk.conversation_id))
        context = _context_of(ids, contexts)
        self.add(where, tuple(entities), said, talk.seed_exchanges, identity, seed_id=talk.seed_id, context=context)

    def _acts_and_contexts(self, talk: FileRow) -> tuple[list[FileAct], list[FileAct]]:
        """Return the turns of a row and the contexts, of which some stand in turns; what was odd is counted."""
        acts = []
        for exchange in talk.dialog:
            if isinstance(exchange, FileAct):
                acts.append(exchange)
            else:
                acts += exchange
        contexts = (talk.context or []) + [act for act in acts if act.id == CONTEXT]
        acts = [act for act in acts if act.id != CONTEXT]
        self.counts["messages"] += len(acts)
        while acts and END.fullmatch(acts[-1].text or ""):
            acts.pop()
            self.counts["ended"] += 1
        for act, listener in list(zip(acts[:2], acts[1::-1], strict=True)):
            message = PERSONA.match(act.text or "")
            if message:
                self.counts["persona"] += 1
                contexts.append(FileAct(id=listener.id, text=message[0].replace("__SILENCE__", "").strip()))
                act.text = message.string[message.end() :]
                if not act.text:
                    acts.remove(act)
        return acts, contexts


def _context_of(ids: Sequence[str], contexts: Sequence[FileAct]) -> tuple[str, ...]:
    """Return what each of two speakers was given: by its id, or else in the order of the contexts."""
    context = ["", ""]
    for number, act in enumerate(contexts[:2]):
        place = number
        if act.id in ids:
            second = ids[0] == ids[1] and context[0]
            place = ids.index(act.id) + bool(second)
        context[place] = cleaned(act.text or "")
    return tuple(context)


FORMAT = study_format(lambda request: ConversationReader(request).study("conversations"))
