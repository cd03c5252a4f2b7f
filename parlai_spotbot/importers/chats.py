"""Chats as messages with roles (OpenAI's, ShareGPT's and their like) as conversations of a person and a bot.

Only what one of the two said becomes a turn. Everything else that such files hold is kept or left out by a rule, and
counted: prompts of the system, calls of tools, pictures, one speaker twice in a row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, ValidationError

from parlai_spotbot import files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.importers.contestant_names import ContestantNames, named_file
from parlai_spotbot.importers.conversations import identity, numbered, plan_of
from parlai_spotbot.importers.dataset_rows import dataset_rows
from parlai_spotbot.importers.format import ImportRequest
from parlai_spotbot.importers.imported_study import ImportedStudy
from parlai_spotbot.importers.validation import user_error
from parlai_spotbot.records import HUMAN, NAME, Conversation, Turn

USER, BOT, SYSTEM, TOOL = "user", "assistant", "system", "tool"

RULES = {
    "system": ("messages of the system in front", "kept as what the bot was told, never shown"),
    "system_later": ("messages of the system later on", "left out"),
    "tools": ("messages of tools, and calls of tools without a text", "left out"),
    "calls": ("calls of tools beside a text", "left out; the text is kept"),
    "parts": ("parts of messages that are no text (pictures, sound, files, reasoning)", "left out"),
    "empty": ("messages in which nothing is said", "left out"),
    "joined": ("messages by who had spoken before", "joined to one turn, with a line break between"),
    "open": ("last messages without an answer", "kept, but not shown: segments are whole exchanges"),
    "short": ("conversations without an exchange", "left out"),
}
"""What is counted, as it is told, and what is done about it."""
OF_CONVERSATIONS = ("open", "short")


ContestantName = Annotated[str, Field(pattern=NAME.pattern)]


class OwnFields(BaseModel):
    """Record of what our own files say beside the messages: as in our conversations, but `context` as two texts."""

    entities: tuple[ContestantName, ContestantName] | None = None
    seed_exchanges: int | None = Field(None, ge=0)
    seed_id: str = ""
    context: tuple[str, str] | None = None


@dataclass(frozen=True)
class ChatForm:
    """Description of how a format calls things: its columns of `messages` and of the system's prompt, the `role` and
    `text` of a message, and which of its `roles` is a user, assistant, system or tool."""

    name: str
    messages: str
    role: str
    text: str
    roles: Mapping[str, str]
    prompt: str = ""


COLUMNS = {"model": ("model", "metadata.model"), "conversation_id": ("conversation_id", "id")}
"""Where fields stand that may be missing; "a.b" is `b` of the object `a`."""


@dataclass
class ChatReader:
    """Makes conversations of rows; `places` are where each was, `counts` what happened (see `RULES`)."""

    form: ChatForm
    domain: str
    names: ContestantNames
    columns: Mapping[str, str] = field(default_factory=dict)
    seed_exchanges: int = 0
    found: list[Conversation] = field(default_factory=list)
    places: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    used: set[str] = field(default_factory=set)

    def read(self, row: Mapping[str, Any], where: str, default: str, only: bool = False) -> None:
        """Take a row in; the bot is called by its column `model`, else `default`, which goes first where `only`."""
        messages, place = self._messages(row, where)
        model = default if only else self._value(row, "model", where) or default
        fields = self._own(row, where)
        told, said = self._said(messages, place, empty=fields.entities is not None)
        prompt = row.get(self.form.prompt) if self.form.prompt else None
        if isinstance(prompt, str) and prompt:
            self.counts["messages"] += 1
            self.counts["system"] += 1
            told.insert(0, prompt)
        self.counts["conversations"] += 1
        seed = self.seed_exchanges if fields.seed_exchanges is None else fields.seed_exchanges
        if len(said) < 2 * (seed + 1):
            self.counts["short"] += 1
            return
        self.counts["open"] += len(said) % 2
        entities = fields.entities or self._entities(said[0][0], model, where)
        turns = tuple(Turn(entities[i % 2], text) for i, (_, text) in enumerate(said))
        name = identity(self._value(row, "conversation_id", where), self.places, where, (entities, turns))
        self.found.append(
            Conversation(
                conversation_id=name,
                domain=self.domain,
                pair=(min(entities), max(entities)),
                number=0,
                entities=entities,
                turns=turns,
                seed_exchanges=seed,
                seed_id=fields.seed_id,
                context=fields.context or tuple("\n".join(told) * (role == BOT) for role, _ in said[:2]),
            )
        )

    def _messages(self, row: Mapping[str, Any], where: str) -> tuple[list, str]:
        """The messages of a row, and their place."""
        column = self.columns.get("messages", self.form.messages)
        if not isinstance(row.get(column), list):
            value = f"is {type(row[column]).__name__}" if column in row else "is missing"
            lists = [key for key, value in row.items() if isinstance(value, list)]
            objects = f"objects with '{self.form.role}' and '{self.form.text}'"
            raise UserError(
                f"{where}: field '{column}' {value}, expected a list of {objects}.",
                f"Name the column: --columns messages=THEIRS. {nearest(column, lists, 20)}",
            )
        return row[column], f"{where}: field '{column}'"

    def _entities(self, first: str, model: str, where: str) -> tuple[str, str]:
        """Return who opens and who answers: the user is a person, but where --names says otherwise."""
        self.used.add(model)
        bot, user = self.names.of(model, where), HUMAN
        for role in self.names.given:
            if self.form.roles.get(role) == USER:
                self.used.add(role)
                user = self.names.given[role]
        if not NAME.match(user):
            raise UserError(f"--names: {user!r} can't be a contestant's name.", "Use letters, digits and . _ + -.")
        return (user, bot) if first == USER else (bot, user)

    def _value(self, row: Mapping[str, Any], name: str, where: str) -> str:
        """A column's value as text, "" where there is none; "-" leaves the column out."""
        column = self.columns.get(name)
        if column == "-":
            return ""
        values = {key: at(row, key) for key in ((column,) if column else COLUMNS[name])}
        key, value = next(((key, value) for key, value in values.items() if value not in (None, "")), (column, None))
        if value is None and column is not None and column.partition(".")[0] not in row:
            raise UserError(f"{where}: field '{column}' is missing (--columns {name}).", nearest(column, row, 20))
        if isinstance(value, bool) or not isinstance(value, (str, int, type(None))):
            raise UserError(
                f"{where}: field '{key}' is {value!r}, expected a text.",
                f"Name another column, or leave it out: --columns {name}=-.",
            )
        return "" if value is None else str(value)

    # -- messages ----------------------------------------------------------------------------------------------------
    def _said(self, messages: list, where: str, empty: bool) -> tuple[list[str], list[tuple[str, str]]]:
        """Return what the bot was told in front, and who said what, the two in turn; nothing said is a turn where
        `empty`."""
        contexts: list[str] = []
        turns: list[tuple[str, str]] = []
        for number, message in enumerate(messages, start=1):
            place = f"{where}, message {number}"
            if not isinstance(message, dict):
                raise UserError(f"{place}: expected an object, found {type(message).__name__}.", "Correct it.")
            self.counts["messages"] += 1
            role = self._role(message, place)
            text = "" if role == TOOL else self._text(message, place)
            calls = bool(message.get("tool_calls") or message.get("function_call"))
            if role == SYSTEM and text.strip():
                self.counts["system_later" if turns else "system"] += 1
                if not turns:
                    contexts.append(text)
            elif role == TOOL or (calls and not text.strip()):
                self.counts["tools"] += 1
            elif not text.strip() and (not empty or role == SYSTEM):
                self.counts["empty"] += 1
            else:
                self.counts["calls"] += calls
                if turns and turns[-1][0] == role:
                    self.counts["joined"] += 1
                    turns[-1] = (role, f"{turns[-1][1]}\n{text}")
                else:
                    turns.append((role, text))
        return contexts, turns

    def _role(self, message: dict, where: str) -> str:
        role = files.field(message, self.form.role, str, where)
        if role not in self.form.roles:
            raise UserError(
                f"{where}: field '{self.form.role}' is {role!r}.",
                f"{nearest(role, self.form.roles)} Call it one of these, or take the message out.",
            )
        return self.form.roles[role]

    def _text(self, message: dict, where: str) -> str:
        """Return what a message says: its text, or its parts of text, a line each; what was refused is said too."""
        name = self.form.text
        value = message.get(name)
        if value is None:
            if isinstance(message.get("refusal"), str):
                return message["refusal"]
            if name in message or message.get("tool_calls") or message.get("function_call"):
                return ""
        value = files.field(message, name, (str, list), where)
        if isinstance(value, str):
            return value
        texts = []
        for place, part in enumerate(value, start=1):
            if isinstance(part, str):
                part = {"type": "text", "text": part}
            if not isinstance(part, dict):
                raise UserError(
                    f"{where}: field '{name}', part {place}: expected an object, found {type(part).__name__}.",
                    "Correct it.",
                )
            kind = part.get("type", "text")
            if kind in ("text", "input_text", "output_text", "refusal"):
                texts.append(
                    files.field(part, "refusal" if kind == "refusal" else "text", str, f"{where}, part {place}")
                )
            else:
                self.counts["parts"] += 1
        return "\n".join(texts)

    # -- our own files -----------------------------------------------------------------------------------------------
    def _own(self, row: Mapping[str, Any], where: str) -> OwnFields:
        """Return what our own export says beside the messages; of others' files, which lack `entities`, nothing."""
        entities = row.get("entities")
        if not isinstance(entities, list) or list(map(type, entities)) != [str, str]:
            return OwnFields()
        self.used.update(entities)
        own = {name: row[name] for name in OwnFields.model_fields if row.get(name) is not None}
        try:
            return OwnFields(**own | {"entities": [self.names.given.get(name, name) for name in entities]})
        except ValidationError as err:
            raise user_error(err, where, "Correct it, or take the field out.") from None

    def oddities(self) -> list[dict[str, Any]]:
        """Return what was kept or left out by which rule, and how often."""
        rows = []
        for name, (what, rule) in RULES.items():
            count = self.counts["conversations" if name in OF_CONVERSATIONS else "messages"]
            if self.counts[name]:
                rows.append({"what": what, "count": self.counts[name], "of": count, "rule": rule})
        return rows


def at(row: Mapping[str, Any], path: str) -> Any:
    """Return what is in a row under a key, or "a.b"; None where there is nothing."""
    value: Any = row
    for key in [path] if path in row else path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def chats(request: ImportRequest, form: ChatForm) -> ImportedStudy:
    """A study of chats: ``--data FILE`` or ``NAME=FILE``, several joined by commas.

    The bot is called by ``NAME=``, else by the row's column `model`, else by the file; the user is a person. --names
    says otherwise: a model's name, or the user's role -> our name. --columns: `messages`, `model`,
    `conversation_id` -> the file's column, "-" for none.

    Raises
    ------
    UserError
        Names file, line, message and field, and what was expected.
    """
    columns, names = request.pairs("columns"), request.pairs("names")
    field_names = ("messages", *COLUMNS)
    for field_name, theirs in columns.items():
        if field_name not in field_names:
            raise UserError(
                f"--columns {field_name}={theirs}: there is no field '{field_name}'.", nearest(field_name, field_names)
            )
    if request["seed_exchanges"] < 0:
        raise UserError(
            f"--seed-exchanges {request['seed_exchanges']}: expected a whole number from 0 up.", "0 is the default."
        )
    domain = request["domain"] or "imported"
    reader = ChatReader(form, domain, ContestantNames(names), columns, request["seed_exchanges"])
    sources: dict[str, str] = {}
    for name, path, given in map(named_file, request.paths):
        before = reader.counts["conversations"]
        for where, row in dataset_rows(path):
            reader.read(row, where, name, given)
        if reader.counts["conversations"] == before:
            raise UserError(f"{path}: is empty.", "Name a file with a conversation a row.")
        sources |= _checksums(path)
    return _study_of(reader, request, sources, columns)


def _checksums(path: Path) -> dict[str, str]:
    """SHA-256 of a file, or of each file of a folder, by its name."""
    files_read = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    return {
        file.name if file == path else str(file.relative_to(path.parent)): files.sha256(file) for file in files_read
    }


def _study_of(
    reader: ChatReader, request: ImportRequest, sources: Mapping[str, str], columns: Mapping[str, str]
) -> ImportedStudy:
    """Return the study of what a reader found; names that nobody bears, and nothing to show, are a `UserError`."""
    unused = sorted(set(reader.names.given) - reader.used)
    if unused:
        raise UserError(f"--names {unused[0]}: nobody bears that name.", nearest(unused[0], reader.used, 20))
    if not reader.found:
        raise UserError(
            f"{request['data']}: none of {reader.counts['conversations']} conversations holds an exchange.",
            "Name a file in which user and assistant both speak.",
        )
    numbered_conversations = numbered(reader.found)
    options = {
        "domain": reader.domain,
        "names": dict(reader.names.given),
        "columns": dict(columns),
        "seed_exchanges": reader.seed_exchanges,
        "segments": request.segments and list(request.segments),
    }
    about = {
        "format": reader.form.name,
        "source": sorted(sources),
        "sha256": dict(sources),
        "conversations": len(numbered_conversations),
        "options": options,
        "notes": reader.names.notes(),
        "oddities": reader.oddities(),
        "unusable": {"conversation without an exchange": reader.counts["short"]} if reader.counts["short"] else {},
    }
    plan = plan_of(numbered_conversations, reader.domain, request.segments)
    survey = "spot_the_bot" if any(c.kind == "pairs" for c in numbered_conversations) else "acute_eval"
    survey = survey if len(plan.contestants) > 1 else "dialogue_likert"
    return ImportedStudy(replace(plan, surveys=(survey,)), numbered_conversations, survey, (), (), about)
