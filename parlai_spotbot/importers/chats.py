"""Chats as messages with roles (OpenAI's, ShareGPT's and their like) as conversations of a person and a bot.

Only texts of the two speakers become turns. Everything else that such files hold is kept or left out by a rule, and
counted: prompts of the system, calls of tools, pictures, one speaker twice in a row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from parlai_spotbot import files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.importers.contestant_names import named_file
from parlai_spotbot.importers.conversations import Reading, reading_of
from parlai_spotbot.importers.dataset_rows import check_columns, dataset_rows
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.importers.imported_study import ImportedStudy
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import counted

USER, BOT, SYSTEM, TOOL = "user", "assistant", "system", "tool"

RULES = {
    "system": ("messages of the system in front", "kept as the bot's context, never shown"),
    "left_out": ("messages of tools, of the system later on, and without a text", "left out"),
    "parts": ("parts of messages that are no text (pictures, sound, files, reasoning)", "left out"),
    "joined": ("messages by the speaker before", "joined to one turn, with a line break between"),
    "short": ("conversations without an exchange", "left out"),
}
"""What is counted, and the rule for it."""


@dataclass(frozen=True)
class ChatForm:
    """Names of a format: its columns of `messages` and of the system's prompt, the `role` and `text` of a message, and
    which of its `roles` is a user, assistant, system or tool."""

    name: str
    messages: str
    role: str
    text: str
    roles: Mapping[str, str]
    prompt: str = ""


COLUMNS = {"model": ("model", "metadata.model"), "conversation_id": ("conversation_id", "id")}
"""Where fields stand that may be missing; "a.b" is `b` of the object `a`."""
TEXTS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
"""The types of parts that are texts, and their field."""


@dataclass
class ChatReader:
    """Adds conversations of rows to `reading`; `counts` says what happened (see `RULES`)."""

    form: ChatForm
    reading: Reading
    columns: Mapping[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)

    def read(self, row: Mapping[str, Any], where: str, default: str, only: bool = False) -> None:
        """Take a row in; the bot is called by its column `model`, else `default`, which goes first where `only`."""
        told, said = self._said(row, where)
        seed = self.reading.seed_exchanges
        entities = None
        if isinstance(row.get("entities"), list) and len(row["entities"]) == 2:  # as spotbot_export writes
            entities = tuple(self.reading.names.of(str(name), where, people=True) for name in row["entities"])
            seed = files.field(dict(row), "seed_exchanges", int, where, seed)
        self.counts["conversations"] += 1
        if len(said) < 2 * (seed + 1):
            self.counts["short"] += 1
            return
        if entities is None:
            bot = self.reading.names.of((not only and self._value(row, "model", where)) or default, where)
            entities = (self._user(where), bot) if said[0][0] == USER else (bot, self._user(where))
        self.reading.add(
            where,
            entities,
            [text for _, text in said],
            seed,
            conversation_id=self._value(row, "conversation_id", where),
            context=tuple("\n".join(told) * (role == BOT) for role, _ in said[:2]),
        )

    def _user(self, where: str) -> str:
        """Return who the user is: a person, unless --names names the user's role."""
        names = self.reading.names
        role = next((role for role in names.given if self.form.roles.get(role) == USER), None)
        return HUMAN if role is None else names.of(role, where, people=True)

    def _value(self, row: Mapping[str, Any], name: str, where: str) -> str:
        """Return a column's value as text, "" where there is none; "-" leaves the column out."""
        column = self.columns.get(name)
        if column == "-":
            return ""
        values = {key: at(row, key) for key in ((column,) if column else COLUMNS[name])}
        key, value = next(((key, value) for key, value in values.items() if value not in (None, "")), (column, ""))
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            remedy = f"Name another column, or leave it out: --columns {name}=-."
            raise UserError(f"{where}: field '{key}' is {value!r}, expected a text.", remedy)
        return str(value)

    # -- messages ----------------------------------------------------------------------------------------------------
    def _said(self, row: Mapping[str, Any], where: str) -> tuple[list[str], list[tuple[str, str]]]:
        """Return the bot's contexts, and (role, text) of the turns, the two roles in turn."""
        column = self.columns.get("messages", self.form.messages)
        if not isinstance(row.get(column), list):
            lists = [key for key, value in row.items() if isinstance(value, list)]
            raise UserError(
                f"{where}: field '{column}' is no list of objects with '{self.form.role}' and '{self.form.text}'.",
                f"Name the column: --columns messages=THEIRS. {nearest(column, lists, 20)}",
            )
        prompt = row.get(self.form.prompt) if self.form.prompt else None
        contexts = [prompt] if isinstance(prompt, str) and prompt else []
        self.counts["system"] += len(contexts)
        turns: list[tuple[str, str]] = []
        for number, message in enumerate(row[column], start=1):
            place = f"{where}: field '{column}', message {number}"
            if not isinstance(message, dict):
                raise UserError(f"{place}: expected an object, found {type(message).__name__}.", "Correct it.")
            self.counts["messages"] += 1
            role = files.field(message, self.form.role, str, place)
            if role not in self.form.roles:
                remedy = f"{nearest(role, self.form.roles)} Call it one of these, or take the message out."
                raise UserError(f"{place}: field '{self.form.role}' is {role!r}.", remedy)
            role = self.form.roles[role]
            text = "" if role == TOOL else self._text(message, place)
            if not text.strip() or (role == SYSTEM and turns):
                self.counts["left_out"] += 1
            elif role == SYSTEM:
                self.counts["system"] += 1
                contexts.append(text)
            elif turns and turns[-1][0] == role:
                self.counts["joined"] += 1
                turns[-1] = (role, f"{turns[-1][1]}\n{text}")
            else:
                turns.append((role, text))
        return contexts, turns

    def _text(self, message: dict, where: str) -> str:
        """Return the text of a message, or its parts of text, a line each; a refusal is a text."""
        name = self.form.text
        if message.get(name) is None:
            refusal = message.get("refusal")
            return refusal if isinstance(refusal, str) else ""
        value = files.field(message, name, (str, list), where)
        texts = []
        for place, part in enumerate([value] if isinstance(value, str) else value, start=1):
            if isinstance(part, str):
                texts.append(part)
            elif isinstance(part, dict) and (key := TEXTS.get(str(part.get("type", "text")))):
                texts.append(files.field(part, key, str, f"{where}, part {place}"))
            else:
                self.counts["parts"] += 1
        return "\n".join(texts)

    def oddities(self) -> list[dict[str, Any]]:
        """Return what was kept or left out by which rule, and how often."""
        return [
            {"what": what, "count": count, "of": self.counts["conversations" if key == "short" else "messages"]}
            | {"rule": rule}
            for key, (what, rule) in RULES.items()
            if (count := self.counts[key])
        ]


def at(row: Mapping[str, Any], path: str) -> Any:
    """Return the value of a key of a row, or of "a.b"; None where there is none."""
    value: Any = row
    for key in [path] if path in row else path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def chats(request: ImportRequest, form: ChatForm) -> ImportedStudy:
    """Return a study of chats: ``--data FILE`` or ``NAME=FILE``, several joined by commas.

    The bot is called by ``NAME=``, else by the row's column `model`, else by the file; the user is a person. --names
    changes this: a model's name, or the user's role -> our name. --columns: `messages`, `model`, `conversation_id` ->
    the file's column, "-" for none.

    Raises
    ------
    UserError
        Names file, line, message and field, and what was expected.
    """
    columns = request.pairs("columns")
    check_columns(columns, ("messages", *COLUMNS), request.data, columns.values())
    reader = ChatReader(form, reading_of(request), columns)
    for name, path, given in map(named_file, request.paths):
        before = reader.counts["conversations"]
        for where, row in dataset_rows(path):
            reader.read(row, where, name, given)
        if reader.counts["conversations"] == before:
            raise UserError(f"{path}: is empty.", "Name a file with a conversation a row.")
        reader.reading.add_checksums(path)
    if not reader.reading.found:
        what = counted(reader.counts["conversations"], "conversation")
        raise UserError(f"{request.data}: none of {what} holds an exchange.", "Name a file of chats of two.")
    short = {"conversation without an exchange": reader.counts["short"]} if reader.counts["short"] else {}
    about = {"notes": reader.reading.names.notes(), "oddities": reader.oddities(), "unusable": short}
    return reader.reading.study(request, form.name, **about)
