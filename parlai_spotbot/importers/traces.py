"""Chats out of what applications were watched with (Langfuse, LangSmith): records of calls, with input and output.

A record belongs to a trace, and a trace may belong to a session, which is a conversation: its traces one after the
other, where each either repeats what was said before or goes on from there. What a trace took in and gave out is the
chat; where that is none, the longest of its calls of a model is. Messages stand there in many forms, all of which
become a role and a content.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.importers.chats import ChatForm, ChatReader, at, study_of, sums
from parlai_spotbot.importers.contestant_names import ContestantNames, named_file
from parlai_spotbot.importers.dataset_rows import dataset_rows
from parlai_spotbot.importers.format import ImportRequest
from parlai_spotbot.importers.imported_study import ImportedStudy
from parlai_spotbot.importers.messages import FORM
from parlai_spotbot.importers.moments import moment
from parlai_spotbot.reading import Malformed, parse_json

ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant", "HumanMessageChunk": "user"}
"""What LangChain calls roles; others stand as they are."""
CLASSES = {"HumanMessage": "user", "AIMessage": "assistant", "SystemMessage": "system", "ToolMessage": "tool"}
TEXTS = ("content", "text", "output", "input", "question", "answer", "query", "response", "prompt", "completion")
"""Under which keys an input or output may hold its one text."""
PARTS = ("text", "input_text", "output_text", "image_url", "input_image")
"""Types of the parts of one message, where they stand without it."""
STEPS = ("reasoning", "function_call", "function_call_output")
"""Types of what stands among messages, but is said by nobody."""
DEEPEST = 8


@dataclass(frozen=True)
class TraceForm:
    """How a format calls things, each as the keys to try ("a.b": `b` of `a`).

    `calls` are the values of `kind` of records that are calls of a model; `holds` the keys under which a file or a
    session holds traces, `inside` those under which a record holds others of its trace.
    """

    name: str
    fields: Mapping[str, tuple[str, ...]]
    kind: str
    calls: frozenset[str]
    holds: tuple[str, ...]
    inside: tuple[str, ...]


UNKNOWN = datetime.min.replace(tzinfo=UTC)
"""Traces without a time come first, in the order of the file."""


@dataclass
class Trace:
    """The records of one trace with their places, in the order of the file."""

    records: list[tuple[str, dict]] = field(default_factory=list)
    session: str = ""
    time: datetime | None = None


# -- messages in whatever form -----------------------------------------------------------------------------------------
def messages_of(value: Any, role: str, depth: int = 0) -> list[dict] | None:
    """The messages that an input or output holds, None where it holds none; a text alone is `role`'s."""
    if depth > DEEPEST:
        return None
    if isinstance(value, str):
        if value[:1] in ("{", "["):
            try:
                return messages_of(parse_json(value), role, depth + 1)
            except Malformed:
                pass
        return [{"role": role, "content": value}] if value.strip() else None
    if isinstance(value, list):
        if value and all(isinstance(part, dict) and part.get("type") in PARTS for part in value):
            return [{"role": role, "content": value}]
        if len(value) == 1:  # a batch of one
            return messages_of(value[0], role, depth + 1)
        found = [_message(part) for part in value]
        return found if found and all(part is not None for part in found) else None
    if not isinstance(value, dict):
        return None
    one = _message(value)
    if one is not None:
        return [one]
    for key in ("messages", "generations", "choices", "message"):
        if key in value:
            return messages_of(value[key], role, depth + 1)
    texts = [value[key] for key in TEXTS if key in value]
    return messages_of(texts[0], role, depth + 1) if len(texts) == 1 else None


def _message(value: Any) -> dict | None:
    """A message of OpenAI's or LangChain's forms as role and content; None where it is none."""
    if not isinstance(value, dict):
        return None
    if value.get("type") in STEPS and "role" not in value:
        return {"role": "tool", "content": ""}
    if isinstance(value.get("message"), dict):  # of a list of generations or choices
        return _message(value["message"])
    kwargs, data, path = value.get("kwargs"), value.get("data"), value.get("id")
    if isinstance(kwargs, dict):
        name = str(path[-1]).removesuffix("Chunk") if isinstance(path, list) and path else ""
        return _message({"role": CLASSES.get(name, kwargs.get("type"))} | kwargs)
    if isinstance(data, dict) and "content" in data:
        return _message({"role": value.get("type")} | data)
    role = value.get("role") or value.get("type")
    role = ROLES.get(role, role) if isinstance(role, str) else None
    if role not in FORM.roles or not {"content", "tool_calls", "refusal"} & value.keys():
        return None
    return value | {"role": role, "content": value.get("content")}


def joined(before: list[dict], after: list[dict]) -> list[dict]:
    """What was said in both: `after` alone, where it repeats all of `before`."""
    said = [[(m["role"], m.get("content")) for m in part if m["role"] != "system"] for part in (before, after)]
    if said[1][: len(said[0])] == said[0]:
        return after
    return before + [m for m in after if m["role"] != "system"]


# -- records -----------------------------------------------------------------------------------------------------------
@dataclass
class TraceReader:
    """Groups the records of files to traces and sessions, and these to chats; counts what isn't taken."""

    form: TraceForm
    fields: Mapping[str, tuple[str, ...]]
    traces: dict[str, Trace] = field(default_factory=dict)
    without: list[str] = field(default_factory=list)

    def get(self, row: Mapping[str, Any], name: str) -> Any:
        """The first value that a field's keys lead to; None where there is none."""
        values = (at(row, key) for key in self.fields[name])
        return next((value for value in values if value not in (None, "")), None)

    def add(self, row: dict, where: str, within: str | None = None, depth: int = 0) -> None:
        """Take a record in, and those that it holds; `within` is the trace that it is of, where that is known."""
        name = within or str(self.get(row, "trace") or where)
        if any(self.get(row, key) is not None for key in ("input", "output")):
            trace = self.traces.setdefault(name, Trace())
            trace.records.append((where, row))
            trace.session = trace.session or str(self.get(row, "session") or "")
            trace.time = min(filter(None, (trace.time, self._time(row, where))), default=None)
        elif not any(isinstance(row.get(key), list) for key in (*self.form.holds, *self.form.inside)):
            self.without.append(where)
        for key in (*self.form.holds, *self.form.inside):
            for number, part in enumerate(row[key] if isinstance(row.get(key), list) else (), start=1):
                place = f"{where}: field '{key}', entry {number}"
                if isinstance(part, dict) and depth < DEEPEST:
                    self.add(part, place, name if key in self.form.inside else None, depth + 1)
                elif not isinstance(part, str):  # a text is the id of a record that stands elsewhere
                    what = type(part).__name__ if depth < DEEPEST else "records within records"
                    raise UserError(f"{place}: expected an object, found {what}.", "Export the file anew.")

    def _time(self, row: Mapping[str, Any], where: str) -> datetime | None:
        for key in self.fields["time"]:
            if (value := at(row, key)) not in (None, ""):
                return moment(value, f"{where}: field '{key}'")
        return None

    def chats(self) -> Iterator[tuple[str, dict]]:
        """Each conversation as a row of messages, with its place; sessions in the order of their first traces."""
        sessions: dict[str, list[tuple[str, Trace]]] = {}
        for name, trace in self.traces.items():
            sessions.setdefault(f"session {trace.session}" if trace.session else f"trace {name}", []).append(
                (name, trace)
            )
        for own in sessions.values():
            said: list[dict] = []
            model, first = None, ""
            for name, trace in sorted(own, key=lambda entry: entry[1].time or UNKNOWN):
                where, messages = self._chat(trace)
                if not messages:
                    self.without.append(trace.records[0][0])
                    continue
                said = joined(said, messages)
                model = model or self._model(trace)
                first = first or (trace.session or name, where)
            if said:
                yield first[1], {"messages": said, "model": model, "id": first[0]}

    def _chat(self, trace: Trace) -> tuple[str, list[dict]]:
        """What the trace took in and gave out, or the longest of its calls, with its place; [] where all is none."""
        found = [(where, said, row) for where, row in trace.records if (said := self._said(row))]
        whole = [one for one in found if not self._is_call(one[2]) and self.get(one[2], "parent") is None]
        calls = [one for one in found if self._is_call(one[2])]
        return max(whole[:1] or calls or found, key=lambda one: len(one[1]), default=("", [], {}))[:2]

    def _is_call(self, row: Mapping[str, Any]) -> bool:
        kind = row.get(self.form.kind)
        return isinstance(kind, str) and kind in self.form.calls

    def _said(self, row: Mapping[str, Any]) -> list[dict]:
        taken = messages_of(self.get(row, "input"), "user")
        given = messages_of(self.get(row, "output"), "assistant")
        return joined(taken, given) if taken and given else []

    def _model(self, trace: Trace) -> str | None:
        models = (self.get(row, "model") for _, row in trace.records)
        return next((model for model in models if isinstance(model, str)), None)


def _rows(path: Path) -> Iterable[tuple[str, dict]]:
    """The rows of a file: also of one that is one JSON object."""
    if path.suffix.lower() == ".json" and path.is_file():
        try:
            whole = parse_json(path.read_bytes())
        except Malformed:
            whole = None  # JSON Lines, or cut off: then that is said
        if isinstance(whole, dict):
            return [(str(path), whole)]
    return dataset_rows(path)


def traces(request: ImportRequest, form: TraceForm) -> ImportedStudy:
    """A study of the chats in exported traces: ``--data FILE`` or ``NAME=FILE``, several joined by commas.

    --columns tells fields of other names (`input`, `output`, `session`, `model`, `trace`, `time`), as "a.b" for `b` of
    `a`; --names as for chats.

    Raises
    ------
    UserError
        Names file, line and field; or says of which records no chat can be read, where there is none at all.
    """
    columns = request.pairs("columns")
    for ours, theirs in columns.items():
        if ours not in form.fields:
            raise UserError(f"--columns {ours}={theirs}: there is no field '{ours}'.", nearest(ours, form.fields))
    fields = {**form.fields, **{ours: () if theirs == "-" else (theirs,) for ours, theirs in columns.items()}}
    chat_form: ChatForm = replace(FORM, name=form.name)
    names = ContestantNames(request.pairs("names"))
    reader = ChatReader(chat_form, request["domain"] or "imported", names, {}, request["seed_exchanges"])
    sources: dict[str, str] = {}
    without = records = 0
    for name, path, given in map(named_file, request.paths):
        own = TraceReader(form, fields)
        for where, row in _rows(path):
            own.add(row, where)
        read = 0
        for where, row in own.chats():
            reader.read(row, where, name, given)
            read += 1
        if not read:
            where = own.without[0] if own.without else str(path)
            raise UserError(
                f"{where}: no chat in it: fields {_told(fields, 'input')} and {_told(fields, 'output')} hold neither "
                "messages of role and content nor a text.",
                "Tell where they are: --columns input=KEY.KEY,output=KEY.KEY.",
            )
        records += len(own.traces)
        without += len(own.without)
        sources |= sums(path)
    made = study_of(reader, request, sources, columns)
    if without:
        made.about["unusable"]["record without a chat in its input and output"] = without
        what = "records without a chat in their input and output"
        made.about["oddities"].append({"what": what, "count": without, "of": records, "rule": "left out"})
    return made


def _told(fields: Mapping[str, tuple[str, ...]], name: str) -> str:
    return " or ".join(f"'{key}'" for key in fields[name]) or f"({name} left out)"
