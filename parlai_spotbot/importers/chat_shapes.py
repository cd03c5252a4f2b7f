"""Chats in other shapes than a list of messages in a row: several in an object, trees, question and answer, one text.

Each becomes a row with `messages`; which fields hold what stands in ``chats.yaml``. Of a tree one path is read: at each
message the reply of the best rank, else the last one.
"""

import ast
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.dataset_rows import Row, at, is_list_of, spelling
from parlai_spotbot.importers.several_in_a_row import rows_of_answers
from parlai_spotbot.importers.transcripts import BRACKETED, COUNTED, NAMED, SPOKEN
from parlai_spotbot.reading import Malformed, own_data, parse_json

SHAPES = own_data(__file__, "chats.yaml")["shapes"]
COLUMNS = own_data(__file__, "chats.yaml")["columns"]["messages"]
"""Where messages are read without a change of the row."""
ROLES = own_data(__file__, "chats.yaml")["roles"]
SENT_AT = "timestamp_ms"
"""Key of the time of messages in exports of Facebook and Instagram, which begin with the latest."""
PASSED_OVER = "messages_passed_over"
"""Key of a shaped row: how many messages and texts aren't read."""
SPEAKS = {"role", "from"}
"""Keys of who says a message."""
SAID = {*SHAPES["asked"], *SHAPES["answered"]}
"""Columns of texts that may be JSON themselves."""
HOLDS = (
    {path.rpartition(".")[2] for path in (*SAID, *SHAPES["messages"], *SHAPES["within_answers"])} - {"q", "a"}
    | SPEAKS
    | {"type"}
)
"""Keys of objects that hold messages or what was said."""
IN_TURN = "in_turn"
"""Key of a message whose role nobody says."""
COLUMN = "read_from"
"""Key of a message that is one by the name of its column alone: the option that names another column, and this one."""
Messages = list[Row]
"""Messages of one chat."""
DEEPEST = 1000
"""Messages of one path of a tree."""

KNOWN = {*COLUMNS, *SHAPES["messages"], *SHAPES["lists_of_texts"], *SHAPES["asked"], *SHAPES["answered"]}
"""Fields that are no names of chats."""
MOST_OF_A_LITERAL = 1 << 20
"""Characters of a list as Python writes it; to parse it takes some hundred times that memory."""
BETWEEN_LINES = re.compile(r"\}\s*\n\s*\{")
"""Where NumPy, which writes lists without commas, begins a line. Within texts line ends are escaped."""
NUMBERED = re.compile(SHAPES["numbered"], re.IGNORECASE)
MARKS = re.compile(SHAPES["marks"])
SPACE = re.compile(r":\s+")
SEVERAL = re.compile(SHAPES["several_answers"])


def chats_of(row: Row, number: str) -> Iterator[Row]:
    """Yield a row for each chat that a row, the file's `number`th, holds; one of another shape is yielded as it is."""
    answers = []
    if "the_answer" not in row:
        answers = rows_of_answers(row, number)
    if answers:
        yield from answers
        return
    for key in SHAPES["lists_of_chats"]:
        chats = _separate(at(row, key), row)
        if "*" in key:
            chats = [{"messages": value} for value in _each(row, key.split(".")) if value]
        if is_list_of(chats, dict) and any(map(is_chat, chats)):
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
    if row and KNOWN.isdisjoint(row):
        named = [chat for name, value in row.items() for chat in _named(name, value)]
        if _are_rows(row, named):
            yield from named
            return
        lists = [value for value in row.values() if is_list_of(value, dict) and any(map(is_chat, value))]
        if len(lists) == 1:  # of a report
            yield from (chat for one in lists[0] for chat in chats_of(one, number))
            return
    yield row


def _are_rows(row: Row, named: Messages) -> bool:
    """Return True if what a row holds under names is a row each: chats, or objects with the same columns."""
    values = [*row.values()]
    if 1 < len(values) == len(named) and is_list_of(values, dict) and len({*map(tuple, values)}) == 1:
        return True
    return any(map(is_chat, named)) and all(is_chat(chat) or chat.get("messages") == [] for chat in named)


def _separate(chats: Any, row: Row) -> Any:
    """Return lists of the texts of a chat each as chats: some have more than a question and its answer, or `row` says
    what they are about (ChatterBot)."""
    listed = isinstance(chats, list) and chats and all(is_list_of(one, str) and len(one) > 1 for one in chats)
    if listed and ("categories" in row or any(len(one) > 2 for one in chats)):
        return [{"dialog": one} for one in chats]
    return chats


def _each(row: Row, path: list[str]) -> list[Any]:
    """Return the values at a path in which "*" is each key of an object."""
    values: list[Any] = [row]
    for key in path:
        objects = [value for value in values if isinstance(value, dict)]
        values = [inner for value in objects for name, inner in value.items() if key in ("*", name)]
    return values


def _named(name: str, value: Any) -> Messages:
    """Return the chats under a name: one, or those of a part of a data set ("train")."""
    chats = [value]
    if isinstance(value, dict) and KNOWN.isdisjoint(value) and is_list_of([*value.values()], dict):
        return [chat for inner, one in value.items() for chat in _named(inner, one)]
    if is_list_of(value, list) or (is_list_of(value, dict) and all(map(is_chat, value))):
        chats = value
    rows = [{"messages": chat} if isinstance(chat, list) else chat for chat in chats]
    if not is_list_of(rows, dict):
        return [{}]
    if len(rows) == 1:
        return [{"conversation_id": name, **rows[0]}]
    return rows


def is_chat(row: Row) -> bool:
    """Return True if an object holds a chat, and is no message."""
    if not SPEAKS.isdisjoint(row):
        return False
    held = messages_of(row, SHAPES["messages"])[1] or _questions_and_answers(row)
    return bool(held or _listed(row, SHAPES["lists_of_texts"]) or _question(row) or _spoken(row))


def shaped(row: Row) -> Row:
    """Return the row of a chat with its `messages`, where they can be told from what it holds."""
    row = {name: parsed(value, name in SAID) for name, value in row.items() if not _of_a_question(name, value)}
    given = _given(row)
    messages = (
        _exchanges(given or [])
        or _questions_and_answers(row)
        or given
        or _spoken(row)
        or _question(row)
        or _listed(row, SHAPES["lists_of_texts"])
        or _numbered(row)
    )
    if not messages:
        return row
    path = messages
    if any(map(_replies, messages)):
        path = _path(messages[:1], _replies)
    for key in SHAPES["passed_over"]:
        path = [one for one in path if one.get(key) is not False]
    passed_over = _size(messages) - len(path) + ("rejected" in row and "chosen" in row)
    for key, kind in SHAPES["participants"].items():
        if isinstance(row.get(key), list):
            kinds = {str(one.get("id")): one.get(kind) for one in row[key] if isinstance(one, dict)}
            path = [{"role": kinds.get(str(one.get("userId"))), **one} for one in path]
    answer = _answer(row, path)
    alternatives = _first(row, "answered")
    if answer and isinstance(alternatives, list) and all(map(_is_choice, alternatives)):
        passed_over += len(alternatives) - 1
    if path == given and not answer and any(at(row, key) is given for key in COLUMNS):
        return row
    return {**row, "messages": [*path, *answer], PASSED_OVER: passed_over}


def _of_a_question(name: str, value: Any) -> bool:
    """Return True for the texts that a question offers, none of which is a bot's answer."""
    return name == "choices" and is_list_of(value, str)


def _given(row: Row) -> Messages | None:
    """Return the list of messages that a row holds, from the first on; None where it holds none."""
    key, given = messages_of(row, SHAPES["messages"])
    opening = at(row, SHAPES["openings"].get(key, ""))
    if given and isinstance(opening, dict):
        given = [opening, *given]
    elif given and all(isinstance(one.get(SENT_AT), int) for one in given):
        given.reverse()
        given = row[key] = sorted(given, key=operator.itemgetter(SENT_AT))
    return given


def messages_of(row: Row, keys: Sequence[str]) -> tuple[str, Messages | None]:
    """Return the key and the messages of a row, of the first key that holds some; an empty list where one holds that,
    None where none is a list of objects."""
    found = (keys[0], None)
    for key in keys:
        value = parsed(at(row, key))
        if isinstance(value, dict) and key == "mapping" and value:
            value = branch(value, row.get("current_node", [*value][-1]))
        elif isinstance(value, dict) and "replies" in value:  # OpenAssistant's root of a tree
            value = [value]
        value = _innermost(value)
        if value and is_list_of(value, dict):
            return key, value
        if value == [] and found[1] is None:
            found = (key, value)
    return found


def _innermost(value: Any) -> Any:
    """Return the list in a list of one list (LangChain's batches)."""
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    return value


def parsed(value: Any, is_said: bool = False) -> Any:
    """Return the value of a text that is JSON, or a list as Python and pandas write it; others, and what was asked or
    answered in JSON, as they are."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    inner: Any = value
    try:
        inner = parse_json(value)
    except Malformed:
        with suppress(ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            inner = ast.literal_eval(BETWEEN_LINES.sub("}, {", value[:MOST_OF_A_LITERAL]))
        if not isinstance(inner, list):
            return value
    held = _innermost(inner if isinstance(inner, list) else [inner])
    if is_said and not any(isinstance(one, dict) and not HOLDS.isdisjoint(one) for one in held):
        return value
    return inner


def branch(nodes: dict, last: Any) -> list:
    """Return the messages of a tree (ChatGPT's export: answers again, messages changed) from its root to `last`."""
    results = []
    node = nodes.get(str(last))
    while isinstance(node, dict) and len(results) < len(nodes):
        results.append(node.get("message"))
        node = nodes.get(str(node.get("parent")))
    return [message for message in reversed(results) if message is not None]


def _alternating(pairs: Iterable[Sequence]) -> Messages:
    """Return the messages of pairs of what was asked and answered."""
    roles = ("user", "assistant")
    return [{"role": role, "content": text} for pair in pairs for role, text in zip(roles, pair, strict=True)]


def _exchanges(given: Messages) -> Messages:
    """Return the messages of exchanges, each an object with what was asked and answered; none of other objects."""
    pairs = []
    for one in given:
        asked = _first(one, "asked_within")
        answered = _first(one, "answered_within")
        if is_list_of(answered, dict):
            answered = [part for part in answered if "kind" not in part]
        if not isinstance(asked, str) or not isinstance(answered, (str, list)) or not SPEAKS.isdisjoint(one):
            return []
        pairs.append((asked, answered))
    return _alternating(pairs)


def _questions_and_answers(row: Row) -> Messages:
    """Return the messages of two lists of the same length, questions and their answers."""
    for answered, asked in SHAPES["of_same_length"].items():
        questions, answers = at(row, asked), at(row, answered)
        if isinstance(questions, list) and isinstance(answers, list) and len(questions) == len(answers):
            return _exchanges([{"question": one, "answer": two} for one, two in zip(questions, answers, strict=True)])
    return []


def _numbered(row: Row) -> Messages | None:
    """Return the messages of columns that are numbered ("sentence1", "sentence2", …), three or more."""
    places = {int(place[1]): name for name in row if (place := NUMBERED.fullmatch(name))}
    texts = [row[places[place]] for place in sorted(places)]
    while texts and not str(texts[-1] or "").strip():
        texts.pop()
    if len(texts) < 3 or not is_list_of(texts, str) or not any(" " in text.strip() for text in texts):
        return None
    return [{**one, COLUMN: ("messages", places[min(places)])} for one in _in_turn(texts)]


def _first(row: Row, field: str) -> Any:
    """Return the value of the first of the field's columns that holds something."""
    return first_of(row, SHAPES[field])[1]


def first_of(row: Row, keys: Sequence[str]) -> tuple[str, Any]:
    """Return the first of the keys that holds something, and what it holds; the first and None where none does."""
    held = ((key, at(row, key)) for key in keys)
    return next((one for one in held if one[1] not in (None, "", [], {})), (keys[0], None))


def _answer(row: Row, messages: Messages) -> Messages:
    """Return the messages of what was answered, where the last message is another's."""
    last = next((at(messages[-1], key) for key in ("role", "from", "kwargs.type") if at(messages[-1], key)), "")
    column, answer = first_of(row, SHAPES["answered"])
    if answer is None or str(last).lower() not in ("user", "human"):
        return []
    answers = _answers(answer)
    if isinstance(answer, str):
        answers[0][COLUMN] = ("answer", column)
    if _same(answers[: len(messages)], messages):  # what was asked goes before what was answered
        return answers[len(messages) :]
    return answers


def _answers(value: Any) -> Messages:
    """Return the messages in an answer: a text, a message, parts of one, the first of several choices, or a response
    that holds one of these."""
    value = _innermost(value)
    if isinstance(value, str):
        spoken = SPOKEN.match(value)
        return [{"role": "assistant", "content": value[spoken.end() :].strip() if spoken else value}]
    if isinstance(value, list):
        objects = [one for one in value if isinstance(one, dict)]
        if value and (is_list_of(value, str) or any(_is_choice(one) for one in objects)):
            return _answers((objects or value)[0])
        if objects and not any("role" in one or one.get("type") == "message" for one in objects):
            return [{"role": "assistant", "content": objects}]
        return [message for one in objects for message in _answers(one)]
    if not isinstance(value, dict) or value.get("type", "message") not in SHAPES["answer_types"]:
        return []
    for key in SHAPES["within_answers"]:
        inner = value.get(key)
        if isinstance(inner, dict) or (inner and value.keys().isdisjoint(SPEAKS) and value.get("type") != "message"):
            return _answers(inner)
    role = value.get("role") or value.get("from") or at(value, "kwargs.type")
    if value.keys().isdisjoint(SPEAKS | {"content", "kwargs"}):
        return []
    if ROLES.get(str(role).lower()) != "user":
        role = "assistant"
    return [{**value, "role": role}]


def _is_choice(value: Any) -> bool:
    """Return True for one of several answers, of which the first is read."""
    if not isinstance(value, dict):
        return isinstance(value, str)
    return "message" in value or "answer_text" in value or isinstance(value.get("content"), dict)


def joined(traces: Messages) -> Row:
    """Return one chat from the traces of its turns, each with what was said before it, all or some of it, or not."""
    time = next((key for key in [*SHAPES["turns"], *SHAPES["times"]] if key in traces[0]), "")
    for kind in ((int, float), str):
        if all(isinstance(trace.get(time), kind) for trace in traces):
            traces = sorted(traces, key=operator.itemgetter(time))
    joined_messages: Messages = []
    for trace in traces:
        messages = trace["messages"]
        overlap = next(
            (size for size in range(len(messages) - 1, 0, -1) if _same(joined_messages[-size:], messages[:size])), 0
        )
        joined_messages += messages[overlap:]
    return {**traces[0], "messages": joined_messages}


def _same(one: Messages, other: Messages) -> bool:
    return [(a.get("role"), _plain(a)) for a in one] == [(b.get("role"), _plain(b)) for b in other]


def _plain(message: Row) -> str:
    """Return what a message holds, as one text without differences of blanks."""
    held = message.get("content") or message.get("parts") or at(message, "kwargs.content")
    return " ".join(str(held).split())


def several_answers(row: Row) -> list[str]:
    """Return the columns of a row that hold answers of several to one question ("answer_model1"); none of one alone."""
    names = {spelling(name): name for name in row if SEVERAL.fullmatch(spelling(name)) and isinstance(row[name], str)}
    return list(names.values()) * (len(names) > 1)


def session_of(row: Row) -> str:
    """Return the id of the session that a shaped row with an answer, a trace, is of; "" of what isn't one."""
    if PASSED_OVER not in row or _first(row, "answered") is None:
        return ""
    field = "sessions"
    if "run_type" in row:  # of LangSmith, whose session is the project
        field = "threads"
    elif _first(row, "contexts") is None and not {*SHAPES["turns"]}.isdisjoint(row):
        field = "of_turns"
    return str(_first(row, field) or "")


def _spoken(row: Row) -> Messages | None:
    """Return the messages of a text in which roles stand before the turns, or turns end in a mark."""
    text = _first(row, "texts")
    if not isinstance(text, str):
        return None
    if BRACKETED.match(text):
        text = BRACKETED.sub(r"\n\1: ", text).strip()
    answered = _first(row, "answered") is not None
    of_an_answer = text is row.get("context") and not answered  # which isn't there
    messages = ([] if of_an_answer else _split(text, row)) or _roles_in(text)
    if messages or answered:
        return messages
    return _by_name([line for line in COUNTED.sub("", text).splitlines() if line.strip()])


def _split(text: str, row: Row) -> Messages:
    """Return the messages of a text whose turns end in a mark; none where it holds no mark."""
    turns = [turn.strip() for turn in MARKS.split(text) if turn.strip()]
    if not MARKS.search(text):
        return []
    return _by_name(turns) or _in_turn(turns, row)


def _by_name(turns: list[str]) -> Messages | None:
    """Return the messages of turns that begin with their speakers' names; None where they don't, or nobody has two."""
    spaced = [SPACE.sub(": ", turn, count=1) for turn in turns]
    messages = [
        {"role": name["speaker"], "content": turn[name.start("text") :]}
        for turn in spaced
        if (name := NAMED.match(turn))
    ]
    speakers = {one["role"] for one in messages}
    known = len(messages) > 1 and all(speaker.lower() in ROLES for speaker in speakers)
    if len(messages) < len(turns) or (len(speakers) == len(messages) and not known):
        return None
    return messages


def _roles_in(text: str, least: int = 3) -> Messages | None:
    """Return the messages of a text that begins with a role, or has so many turns at least after a preamble; None of
    others."""
    before, *parts = SPOKEN.split(text)
    preamble = before.strip()
    if len(parts) < 2 * least * bool(preamble) or not parts:
        return None
    said = zip(parts[::2], map(str.strip, parts[1::2]), strict=True)
    speakers = SHAPES["speakers"]
    messages = [
        {"role": speakers.get(role.lower(), "assistant"), "content": words} for role, words in said if words != "None"
    ]
    if preamble:
        messages.insert(0, {"role": "system", "content": preamble})
    return messages


def _question(row: Row) -> Messages | None:
    """Return the messages of a question, of an instruction with its input, or of what was said before an answer; None
    where nothing answers it."""
    if _first(row, "answered") is None:
        return None
    question = next((text for key in SHAPES["asked"] if isinstance(text := at(row, key), str) and text), None)
    if question is None:
        before = _first(row, "contexts")
        if isinstance(before, str):
            return _split(before, row) or [{"role": "user", "content": before}]
        if isinstance(before, list) and len(before) == 1 and isinstance(before[0], str):
            return _in_turn(before)
        return _listed(row, SHAPES["contexts"])
    lists = [one for one in (parsed(question), parsed(_first(row, "answered"))) if is_list_of(one, str)]
    if len(lists) == 2 and len(lists[0]) == len(lists[1]) > 1 and "the_question" not in row:
        raise UserError(
            f"holds {len(lists[0])} questions and answers, in two lists.",
            "Make a row of each; where the lists are texts: --columns question=THEIRS,answer=THEIRS.",
        )
    more = row.get("input")
    if "instruction" in row and more and isinstance(more, str):
        question = f"{question}\n{more}"
    before = _first(row, "before")
    if not is_list_of(before, dict):
        before = _listed(row, SHAPES["before"]) or []
    # a text that quotes a dialogue doesn't end where the bot is to go on
    spoken = _roles_in(question, 2 if question.rstrip().endswith(":") else len(question)) or []
    if len(spoken) < 2:
        spoken = [{"role": "user", "content": question}]
    return [*before, *(message for message in spoken if message["content"])]


def _in_turn(texts: list[str], row: Row | None = None) -> Messages:
    """Return the messages of texts of which nobody says whose they are: the user's, the bot's, and so on; where the row
    holds an answer, the last is the user's."""
    roles = ["user", "assistant"]
    if row and len(texts) % 2 == 0 and _first(row, "answered") is not None:
        roles.reverse()
    return [{"role": roles[place % 2], "content": text, IN_TURN: 1} for place, text in enumerate(texts)]


def _listed(row: Row, names: list[str]) -> Messages | None:
    """Return the messages of a list of texts, who take turns unless each begins with its role; of pairs of a question
    and its answer, or of role and text."""
    for name in names:
        values: Any = at(row, name)
        if name == "log" and isinstance(values, list):  # MultiWOZ
            values = [one.get("text") for one in values if isinstance(one, dict)]
        if not isinstance(values, list) or not values:
            continue
        if len(values) > 1 and is_list_of(values, str) and name not in SHAPES["lists_of_pairs"]:
            if all(map(SPOKEN.match, values)):
                return _roles_in("\n".join(values))
            named = _named_in_turn(values, row)
            if named:
                return named
            messages = _in_turn(values, row)
            if _first(row, "answered") is None:  # what goes before answers is there for each
                messages = [{**one, COLUMN: ("messages", name)} for one in messages]
            return messages
        if all(isinstance(one, list) and len(one) > 1 and isinstance(one[0], str) for one in values):
            if all(one[0].lower() in ROLES for one in values):
                return [{"role": one[0], "content": one[1]} for one in values]
            if all(len(one) == 2 for one in values):
                return _alternating(values)
    return None


def _named_in_turn(texts: list[str], row: Row) -> Messages | None:
    """Return the messages of texts that begin with the names of two who take turns, or of roles; None of others."""
    messages = _by_name(texts)
    if not messages or all(one["role"].lower() in ROLES for one in messages):
        return messages
    names = [one["role"] for one in messages]
    if len({*names[::2]}) == len({*names[1::2]}) == 1 and names[0] != names[1]:
        return _in_turn([one["content"] for one in messages], row)
    return messages


def _size(messages: Messages) -> int:
    """Return the number of messages, those of trees among them."""
    nodes = [*messages]
    for node in nodes:  # which grows
        nodes += _replies(node)
    return len(nodes)


def _path(replies: Messages, replies_of: Callable[[Row], Messages]) -> Messages:
    """Return the messages of one path of a tree, which begins with one of `replies`."""
    path: Messages = []
    while replies and len(path) < DEEPEST:
        path.append(best(replies))
        replies = replies_of(path[-1])
    return path


def _replies(message: Row) -> Messages:
    """Return the replies to a message of a tree."""
    given = [message[key] for key in SHAPES["replies"] if isinstance(message.get(key), list)]
    return [reply for replies in given for reply in replies if isinstance(reply, dict)]


def best(replies: Messages) -> Row:
    """Return the reply of the best rank, else the last one."""
    ranked = [reply for reply in replies if isinstance(reply.get("rank"), (int, float))]
    if ranked:
        return min(ranked, key=lambda reply: reply["rank"])
    return replies[-1]


def path_of(messages: Messages) -> Messages:
    """Return one path of a tree whose messages name their parents, in the order of the path; others as they are."""
    ids = {str(message.get("message_id")) for message in messages}
    children: dict[str, Messages] = {}
    for message in messages:
        parent = str(message.get("parent_id"))
        children.setdefault(parent if parent in ids else "", []).append(message)
    if len(children) == 1:
        return messages
    return _path(children.get("", []), lambda message: children.get(str(message.get("message_id")), []))
