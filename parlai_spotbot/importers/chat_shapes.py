"""Chats in other shapes than a list of messages in a row: several in an object, trees, question and answer, one text.

Each becomes a row with `messages`; which fields hold what stands in ``chats.yaml``. Of a tree one path is read: at each
message the reply of the best rank, else the last one.
"""

import operator
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from parlai_spotbot.importers.dataset_rows import UTTERANCE
from parlai_spotbot.reading import Malformed, own_data, parse_json

SHAPES = own_data(__file__, "chats.yaml")["shapes"]
COLUMNS = own_data(__file__, "chats.yaml")["columns"]["messages"]
"""Where messages are read without a change of the row."""
ROLES = own_data(__file__, "chats.yaml")["roles"]
SPOKEN = re.compile(
    r"(?:\A\s{0,9}|\n[ \t]{0,9})"
    r"(?P<role>human|user|person|customer|assistant|system|bot|agent|ai|chatbot|model)[ \t]?:",
    re.IGNORECASE,
)
"""Where a turn begins in a text of several: "Human: …", "Assistant: …"."""
PASSED_OVER = "messages_passed_over"
"""Key of a shaped row: how many messages and texts aren't read."""
IN_TURN = "in_turn"
"""Key of a message whose role nobody says."""
DEEPEST = 1000
"""Messages of one path of a tree."""

Row = dict[str, Any]


def chats_of(row: Row) -> Iterator[Row]:
    """Yield a row for each chat that a row holds; a row that has another shape is yielded as it is."""
    for key in SHAPES["lists_of_chats"]:
        chats = at(row, key)
        if isinstance(chats, list) and chats and all(isinstance(one, dict) for one in chats):
            whole = {name: value for name, value in row.items() if name != key.partition(".")[0]}
            yield from ({**whole, **one} for one in chats)
            return
    two = SHAPES["two_chats"]
    if two.keys() <= row.keys():
        name = row.get("id") or row.get("question_id")
        for messages, model in two.items():
            chat = {"messages": row[messages], "model": row.get(model)}
            if name:
                chat["conversation_id"] = f"{name}-{messages[-1]}"
            yield chat
        return
    named = [
        value for value in row.values() if isinstance(value, dict) and (_messages(value) or _listed(value, ["log"]))
    ]
    if row and len(named) == len(row):
        yield from ({"conversation_id": name, **value} for name, value in row.items())
        return
    yield row


def shaped(row: Row) -> Row:
    """Return the row of a chat with its `messages`, where they can be told from what it holds."""
    row = {name: _parsed(value) for name, value in row.items()}
    given = _messages(row)
    messages = given or _tree(row) or _spoken(row) or _question(row) or _listed(row, SHAPES["lists_of_texts"])
    if not messages:
        return row
    passed_over = int("rejected" in row and "chosen" in row)
    for key in ("replies", "children"):
        if any(_replies(message, key) for message in messages):
            path = _path(messages[0], key)
            passed_over = sum(_size(message, key) for message in messages) - len(path)
            messages = path
    answer = _answer(row, messages)
    if messages is given and not answer and any(at(row, key) is given for key in COLUMNS):
        return row
    return {**row, "messages": [*messages, *answer], PASSED_OVER: passed_over}


def _parsed(value: Any) -> Any:
    """Return the value of a text that is a JSON object or list; others as they are."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        with suppress(Malformed):
            return parse_json(value)
    return value


def _messages(row: Mapping[str, Any]) -> list[Row] | None:
    for key in SHAPES["messages"]:
        value = at(row, key)
        if isinstance(value, list) and value and all(isinstance(one, dict) for one in value):
            return value
    return None


def _first(row: Row, field: str) -> Any:
    """Return the value of the first of the field's columns that holds something."""
    for key in SHAPES[field]:
        value = at(row, key)
        if value not in (None, "", [], {}):
            return value
    return None


def _answer(row: Row, messages: list[Row]) -> list[Row]:
    """Return the messages of what was answered, where the last message is another's."""
    roles = [str(message.get("role") or message.get("from") or "").lower() for message in messages[-1:]]
    answer = _first(row, "answered")
    if answer is None or not {"user", "human"} & {*roles}:
        return []
    return _answers(answer)


def _answers(value: Any) -> list[Row]:
    """Return the messages in an answer: a text, a message, parts of one, the first of several choices, or a response
    that holds one of these."""
    if isinstance(value, str):
        spoken = SPOKEN.match(value)
        if spoken:
            value = value[spoken.end() :].strip()
        return [{"role": "assistant", "content": value}]
    if isinstance(value, list):
        objects = [one for one in value if isinstance(one, dict)]
        if any("message" in one or isinstance(one.get("content"), dict) for one in objects):
            return _answers(objects[0])
        if objects and not any("role" in one or one.get("type") == "message" for one in objects):
            return [{"role": "assistant", "content": objects}]
        return [message for one in objects for message in _answers(one)]
    if not isinstance(value, dict) or value.get("type", "message") not in ("message", "text"):
        return []
    for key in SHAPES["within_answers"]:
        inner = value.get(key)
        if isinstance(inner, dict) or (inner and "role" not in value and value.get("type") != "message"):
            return _answers(inner)
    if "role" in value or "content" in value:
        return [{**value, "role": "assistant"}]
    return []


def joined(traces: list[Row]) -> Row:
    """Return one chat from the traces of its turns, each with what was said before it, all or some of it, or not."""
    time = next((key for key in SHAPES["times"] if key in traces[0]), "")
    for kind in ((int, float), str):
        if all(isinstance(trace.get(time), kind) for trace in traces):
            traces = sorted(traces, key=operator.itemgetter(time))
    said: list[Row] = []
    for trace in traces:
        messages = trace["messages"]
        known = next((size for size in range(len(messages) - 1, 0, -1) if _same(said[-size:], messages[:size])), 0)
        said += messages[known:]
    return {**traces[0], "messages": said}


def _same(one: list[Row], other: list[Row]) -> bool:
    return [(a.get("role"), _plain(a)) for a in one] == [(b.get("role"), _plain(b)) for b in other]


def _plain(message: Row) -> str:
    """Return what a message holds, as one text without differences of blanks."""
    return " ".join(str(message.get("content") or message.get("parts")).split())


def session_of(row: Row) -> str:
    """Return the id of the session that a shaped row with an answer, a trace, is of; "" of what isn't one."""
    if PASSED_OVER not in row or _first(row, "answered") is None:
        return ""
    return str(_first(row, "sessions") or "")


def _spoken(row: Row) -> list[Row] | None:
    """Return the messages of a text in which roles stand before the turns, or turns end in a mark."""
    text = _first(row, "texts")
    if not isinstance(text, str):
        return None
    if UTTERANCE in text:
        return _in_turn([turn.strip() for turn in text.split(UTTERANCE) if turn.strip()])
    return _roles_in(text)


def _roles_in(text: str) -> list[Row] | None:
    """Return the messages of a text that begins with a role; None where it doesn't."""
    marks = [*SPOKEN.finditer(text)]
    if not marks or text[: marks[0].start()].strip():
        return None
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [
        {"role": SHAPES["speakers"].get(mark["role"].lower(), "assistant"), "content": text[mark.end() : end].strip()}
        for mark, end in zip(marks, ends, strict=True)
    ]


def _tree(row: Row) -> list[Row] | None:
    """Return the first message of a tree (OpenAssistant's export)."""
    root = row.get("prompt")
    if isinstance(root, dict) and "replies" in root:
        return [root]
    return None


def _question(row: Row) -> list[Row] | None:
    """Return the message of a question, of an instruction with its input; None where nothing answers it."""
    question = next((text for key in SHAPES["asked"] if isinstance(text := at(row, key), str) and text), None)
    if question is None or _first(row, "answered") is None:
        return None
    more = row.get("input")
    if "instruction" in row and more and isinstance(more, str):
        question = f"{question}\n{more}"
    before = at(row, "history")
    if not (isinstance(before, list) and all(isinstance(one, dict) for one in before)):
        before = _listed(row, ["history"]) or []
    spoken = _roles_in(question) or []
    if len(spoken) < 2:
        spoken = [{"role": "user", "content": question}]
    return [*before, *(message for message in spoken if message["content"])]


def _in_turn(texts: list[str]) -> list[Row]:
    """Return the messages of texts of which nobody says whose they are: the user's, the bot's, and so on."""
    return [{"role": ("user", "assistant")[place % 2], "content": text, IN_TURN: 1} for place, text in enumerate(texts)]


def _listed(row: Row, names: list[str]) -> list[Row] | None:
    """Return the messages of a list of texts, who take turns; of pairs of a question and its answer, or of role and
    text."""
    for name in names:
        values: Any = at(row, name)
        if name == "log" and isinstance(values, list):  # MultiWOZ
            values = [one.get("text") for one in values if isinstance(one, dict)]
        if not isinstance(values, list) or not values:
            continue
        if len(values) > 1 and all(isinstance(one, str) for one in values):
            return _in_turn(values)
        if all(isinstance(one, list) and len(one) == 2 and isinstance(one[0], str) for one in values):
            if all(one[0].lower() in ROLES for one in values):
                return [{"role": role, "content": text} for role, text in values]
            asked_and_said = [(("user", one[0]), ("assistant", one[1])) for one in values]
            return [{"role": role, "content": text} for pair in asked_and_said for role, text in pair]
    return None


def _size(root: Row, key: str) -> int:
    """Return the number of messages of a tree."""
    size = 0
    waiting = [root]
    while waiting:
        node = waiting.pop()
        size += 1
        waiting += _replies(node, key)
    return size


def _path(root: Row, key: str) -> list[Row]:
    """Return the messages of one path of a tree."""
    path = [root]
    replies = _replies(root, key)
    while replies and len(path) < DEEPEST:
        path.append(best(replies))
        replies = _replies(path[-1], key)
    return path


def _replies(message: Row, key: str) -> list[Row]:
    replies = message.get(key)
    if not isinstance(replies, list):
        return []
    return [reply for reply in replies if isinstance(reply, dict)]


def best(replies: list[Row]) -> Row:
    """Return the reply of the best rank, else the last one."""
    ranked = [reply for reply in replies if isinstance(reply.get("rank"), (int, float))]
    if ranked:
        return min(ranked, key=lambda reply: reply["rank"])
    return replies[-1]


def path_of(messages: list[Row]) -> list[Row]:
    """Return one path of a tree whose messages name their parents, in the order of the path; others as they are."""
    ids = {str(message.get("message_id")) for message in messages}
    children: dict[str, list[Row]] = {}
    for message in messages:
        parent = str(message.get("parent_id"))
        children.setdefault(parent if parent in ids else "", []).append(message)
    if len(children) == 1:
        return messages
    path: list[Row] = []
    replies = children.get("", [])
    while replies and len(path) < DEEPEST:
        path.append(best(replies))
        replies = children.get(str(path[-1].get("message_id")), [])
    return path


def at(row: Mapping[str, Any], path: str) -> Any:
    """Return the value of a key of a row, or of "a.b"; None where there is none."""
    if path in row:
        return row[path]
    value: Any = row
    for key in path.split("."):
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value
