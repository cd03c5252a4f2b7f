"""Chats as messages with roles as conversations of a person and a bot: OpenAI's, ShareGPT's and their like, exports of
ChatGPT and Claude, tables of turns.

Only texts of the two speakers become turns. Everything else that such files hold is kept or left out by a rule, and
counted: prompts of the system, calls of tools, pictures, one speaker twice in a row. Names are in ``chats.yaml``.
"""

import math
import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from html import unescape
from itertools import chain, groupby, pairwise
from typing import Any

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.importers.chat_shapes import (
    COLUMN,
    IN_TURN,
    PASSED_OVER,
    Messages,
    chats_of,
    first_of,
    is_chat,
    joined,
    messages_of,
    path_of,
    session_of,
    several_answers,
    shaped,
)
from parlai_spotbot.importers.conversations import CHAT_WORDS, UNKNOWN, Reading
from parlai_spotbot.importers.dataset_rows import (
    ELSEWHERE,
    LABEL,
    at,
    check_columns,
    flat,
    has_part,
    is_list_of,
    plain_text,
    spelling,
    spelt_columns,
    without,
)
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.importers.left_out import Unusable
from parlai_spotbot.importers.spans import spans_of
from parlai_spotbot.importers.survey_tools import rejected
from parlai_spotbot.importers.times import utc_time
from parlai_spotbot.outside import cleaned
from parlai_spotbot.records import HUMAN
from parlai_spotbot.user_files import read_fields
from parlai_spotbot.wording import listed

USER = "user"
BOT = "assistant"
SYSTEM = "system"
TOOL = "tool"
LAST = ("id", "uuid")
"""Ids of a turn, where another field holds the conversation's."""
OTHERS = {USER: BOT, BOT: USER}
OTHERWISE = "*"
"""The word of --roles for all that are no other's."""
CHAT, TURN, TRACE = "chat", "turn", "trace"
Talks = dict[str, tuple[str, Messages]]
"""Place and messages of a chat, by its id."""
LINE_END = re.compile(r"<br[^<>]*>|</(?:p|div|li|h\d)>", re.IGNORECASE)
BLOCK = re.compile(r"<(?:p|div|h\d|ul|ol|table|pre|br)\b", re.IGNORECASE)
"""How a text of HTML begins; others may hold reasoning between marks of the like."""
MARKUP = re.compile(r"</?[a-z][^<>]*>", re.IGNORECASE)
FIELDS = {"messages": "messages", "question": "the_question", "answer": "the_answer"}
"""What --columns may name, and the field by which `shaped` finds it."""
FEW = 6
"""Texts of which it can be told whether they are labels, or names."""
BOTS = {*CHAT_WORDS["of_bots"]}
NAMING = BOTS | {*CHAT_WORDS["naming"]}
TELLING = 100
"""Rows whose columns are looked at for what isn't read."""


class ChatReader(Reading):
    """Reader of chats with roles. --columns: a field of chats.yaml -> the file's column, "-" for none. --roles: user,
    assistant, system or tool -> a word of the file.

    The bot is called by ``NAME=``, else by the row's column `model`, else by the file; the user is a person. --names
    changes this: a model's name, or the user's role -> our name.
    """

    def __init__(self, request: ImportRequest):
        super().__init__(request)
        columns = request.pairs("columns")
        check_columns(columns, CHAT_WORDS["columns"], request.data, columns.values())
        self.columns = columns
        self.keys = CHAT_WORDS["columns"] | {name: [theirs] for name, theirs in columns.items()}
        paths = chain(*without(self.keys, ("messages",)).values())
        self.no_texts = {path.partition(".")[0] for path in paths} | {PASSED_OVER, "entry", "", *columns.values()}
        """Columns that say who speaks, when, of what: known by their names."""
        if "messages" in columns:
            self.keys["messages"] = [*self.keys["messages"], "messages"]
        self.roles = [*self.keys["role"], *CHAT_WORDS["flags"]]
        self.role_of = dict(CHAT_WORDS["roles"])
        for theirs, ours in request.pairs("roles").items():
            if ours not in CHAT_WORDS["roles"].values():
                raise UserError(
                    f"--roles {ours}={theirs}: no such role.", nearest(ours, {*CHAT_WORDS["roles"].values()})
                )
            self.role_of[theirs.casefold()] = ours
        self.heads: dict[str, str] = {}
        """Columns by their spelling, or by the field for which they are taken as a part of their name is known."""
        self.bot_word = ""
        """The word for the bot's role in the chat that is read, where it is a name."""
        self.held: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        """What columns hold that are turns, or may say which bot it was (model), by their names alone: by the option
        that names another column, this one, and the bot."""
        self.user = next((name for name in self.names.given if self.role_of.get(name.casefold()) == USER), HUMAN)
        """The user's role where --names names it."""

    def take(self, row: dict | list, where: str, name: str, given: bool) -> None:
        """Read a row of messages, or rows of one turn each."""
        if isinstance(row, list):
            row = self._chat_of(row, where)
        contexts, role_texts = self._said(row, where)
        seed = None
        entities = row.get("entities")
        if isinstance(entities, list) and len(entities) == 2:  # as spotbot_export writes
            entities = [self.names.of(str(name), where, people=True) for name in entities]
            exported = {"seed_exchanges": row.get("seed_exchanges")}
            (seed,) = read_fields(exported, where, seed_exchanges=int | None)
        else:
            bot, user = self._bot_and_user(row, where, name, given)
            entities = [self.names.of(speaker, where, people=True) for speaker in (bot, user)]
            if role_texts and role_texts[0][0] == USER:
                entities.reverse()
        identity = self._identity(row, where, name, given)
        context = tuple("\n".join(contexts) * (role == BOT) for role, _ in role_texts[:2])
        texts = [text for _, text in role_texts]
        about = {"context": context, "seed_id": self._task(row, where), "provenance": self._provenance(row, entities)}
        self.add(where, tuple(entities), texts, seed, identity, **about)
        if self.request.left_out.rows <= TELLING:
            self._note_columns(row, [*contexts, *texts])

    def _note_columns(self, row: dict, texts: Sequence[str]) -> None:
        """Note of each column of a row whether it is known to be no text, or mostly holds a line of what was said."""
        lines = "\n".join(texts).split("\n")
        heads = {_spelt(name): name for name in row}
        self.heads = heads | self.heads
        for spelt, name in heads.items():
            known = not self.no_texts.isdisjoint((spelt, name))
            held = plain_text(row[name])
            if held:
                is_read = known or any(line and line in held for line in lines)
                self.is_read[name] += 2 * is_read - 1

    def _bot_and_user(self, row: dict, where: str, name: str, given: bool) -> tuple[str, str]:
        """Return the names of a row's bot and user; `name` is the file's, or that which --data gives the bot."""
        if not given:
            named = plain_text(self._find_text(row, "model", where)[1]) or self._participant(row) or self.bot_word
            self.counts["unnamed"] += not named
            self.counts["named"] += bool(named)
            if not named:
                self._note_names(row, name)
            name = named or name
        return name, self._user(row)

    def _participant(self, row: dict) -> str:
        """Return the id of the bot among those who take part, "" where a row doesn't list them."""
        lists = [row.get(key) or [] for key in CHAT_WORDS["shapes"]["participants"]]
        for part in chain(row.values(), *lists):
            if isinstance(part, dict):
                kind = first_of(part, CHAT_WORDS["kinds"])[1]
                if self.role_of.get(str(kind).casefold()) == BOT:
                    return plain_text(first_of(part, CHAT_WORDS["ids"])[1])
        return ""

    def _note_names(self, row: dict, bot: str) -> None:
        """Take note of what columns hold that may say which bot it was, as their names consist of such words."""
        for name, value in flat(row).items():
            parts = {*spelling(name.rpartition(".")[2]).split("_")}
            may_name = parts <= NAMING and parts & BOTS and name not in self.no_texts
            if may_name and plain_text(value) and not isinstance(value, bool):
                self.held["model", name, bot][plain_text(value)] += 1

    def read_note(self) -> str:
        named = listed([f"{option} from {name}" for option, name, _ in self._held_by_name() if option != "model"])
        return named and f"read by the names of columns: {named}"

    def _held_by_name(self) -> Iterator[tuple[str, str, Counter[str]]]:
        """Yield the option, the column's name and its values, of those `held` for which --columns names none."""
        for (option, column, _), values in self.held.items():
            if option not in self.columns:
                yield option, self.heads.get(column, column), values

    def _read_files(self) -> dict[str, str]:
        """Read the conversations of all files; return the files' checksums by name.

        Raises
        ------
        UserError
            A column is read whose values are labels, or one that may say which bot it was isn't.
        """
        checksums = super()._read_files()
        for option, name, values in self._held_by_name():
            total = values.total()
            shown = f"{self.request.data}: column '{name}'", listed([f"'{text}'" for text, _ in values.most_common(3)])
            named = f"--columns {shlex.quote(f'{option}={name}')}"
            if not all(map(LABEL.fullmatch, values)):
                continue
            if option == "model" and len(values) > 1 and (len(values) < total or total < FEW):
                problem = "{} may say which bot it was: {}.".format(*shown)
                raise UserError(problem, f"Write {named}; model=- where all are one bot.")
            if option != "model" and FEW <= total >= 3 * len(values):
                problem = "{} holds few short values ({}), which may be labels, nothing that was said.".format(*shown)
                raise UserError(
                    problem, f"Name the column of what was said: --columns {option}=THEIRS; where it is this: {named}."
                )
        return checksums

    def _user(self, row: dict) -> str:
        """Return the user's name: that of --names, else the simulator's, else people's."""
        _, simulator = self._find(row, "simulator")
        if isinstance(simulator, str) and simulator and self.user == HUMAN:
            return f"user:{simulator}"
        return self.user

    def _identity(self, row: dict, where: str, name: str, given: bool) -> tuple[str, str]:
        """Return the key and the id of a conversation; "" where it has none."""
        return self._find_text(row, "conversation_id", where)

    def _provenance(self, row: dict, entities: Sequence[str]) -> dict:
        """Return what is kept of a chat beside its turns: nothing."""
        return {}

    def _task(self, row: dict, where: str) -> str:
        """Return the task that the user had, of a domain where the row says which; "" where it isn't known."""
        task = self._find_text(row, "task", where)[1]
        domain = at(row, "info.environment_info.domain_name")
        if task and domain:
            return f"{domain}:{task}"
        return task

    def _find(self, row: dict, name: str) -> tuple:
        """Return the key and value of a field, the first that is there."""
        return first_of(row, self.keys[name])

    def _find_text(self, row: dict, name: str, where: str) -> tuple[str, str]:
        """Return the key and value of a field that must be a text or number; "" where it isn't there."""
        key, value = self._find(row, name)
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
        if value is None:
            return key, ""
        if type(value) not in (str, int):
            raise Unusable(
                f"row with '{key}' of a wrong kind",
                f"{where}: field '{key}' is {value!r}, expected a text.",
                f"Name another column, or leave it out: --columns {name}=-.",
            )
        return key, str(value)

    def rows(self, rows: Iterator) -> Iterator:
        """Yield rows of messages as they are, those of one turn each together as a list, by `conversation_id`."""
        groups: dict[str, Talks] = {TURN: {}, TRACE: {}}
        for where, row in filter(self._is_used, rows):
            for kind, key, one in self._chats_in(row, where):
                if kind == CHAT:
                    yield where, one
                elif kind in groups:
                    groups[kind].setdefault(key, (where, []))[1].append(one)
        talks = groups[TURN]
        own = [str(turns[0].get("id")) == talk and len(turns) == 1 for talk, (_, turns) in talks.items()]
        if len(own) > 1 and all(own):  # ids are of turns
            where = next(iter(talks.values()))[0]
            talks = {"": (where, [turns[0] | {"id": None, "conversation_id": None} for _, turns in talks.values()])}
        if talks.keys() == {""}:
            talks = self._talks_of(*talks[""])
        if len(talks) > 1 and "" in talks:
            yield from (("", row) for row in talks.pop("")[1])  # of no conversation
        yield from talks.values()
        for session, (where, traces) in groups[TRACE].items():
            yield where, {**joined(traces), "conversation_id": session}

    def _chats_in(self, row: dict, where: str) -> list[tuple[str, str, dict]]:
        """Return what `_kind_of` says of each chat in a row; errors name the row."""
        number = where.rpartition(" ")[2]
        try:
            chats = [chat for span in map(self._renamed, spans_of(row)) for chat in chats_of(span, number)]
            return [self._kind_of(self._renamed(chat)) for chat in chats]
        except UserError as err:
            raise UserError(f"{where}: {err.problem}", err.remedy) from None

    def _is_used(self, placed_row: tuple[str, dict]) -> bool:
        """Return False for a row of work that a tool rejected, which is counted."""
        is_rejected = rejected(placed_row[1], of_chats=True)
        self.counts["rejected"] += is_rejected
        return not is_rejected

    def _kind_of(self, chat: dict) -> tuple[str, str, dict]:
        """Return whether a row is a chat, a turn, a trace or a part of one, the id of what it is of, and the row."""
        if any(chat.get(parent) and kind in chat for parent, kind in CHAT_WORDS["shapes"]["inner_spans"].items()):
            self.counts["spans"] += 1
            return "", "", chat
        row = chat
        if self._messages(row)[1] is None:
            row = {_spelt(key): value for key, value in chat.items()} | chat
        alone = self._messages(row)[1] is None
        talk = self._talk_of(row)
        of_turns = alone and all(map(set(row).intersection, (self.roles, self.keys["text"])))
        if of_turns and talk is not None:
            return TURN, str(talk), row | {self.keys["conversation_id"][0]: talk}
        answers = several_answers(row)
        if alone and answers and "answer" not in self.columns:
            raise UserError(
                f"holds answers of several ({', '.join(answers)}).",
                f"Import one after the other: --data NAME=FILE --columns {shlex.quote(f'answer={answers[0]}')}.",
            )
        one = shaped(row)
        if alone and not of_turns and one.keys() == row.keys() and not {"question", "answer"} <= self.columns.keys():
            one = self._by_inner_names(row)
        session = session_of(one)
        if session:
            return TRACE, session, one
        if of_turns and one.keys() == row.keys():  # no chat of its own
            return TURN, "", row
        return CHAT, "", one

    def _by_inner_names(self, row: dict) -> dict:
        """Return a row with what its only object with a chat, or list of messages, holds, else with columns that are
        called as a question and an answer in part."""
        values = {_spelt(name): value for name, value in row.items()}.values()  # rows have names in both spellings
        inner = [value for value in values if isinstance(value, dict) and is_chat(value)]
        inner += [{"messages": value} for value in values if is_list_of(value, dict) and self._are_said(value)]
        if len(inner) == 1:
            return shaped({**row, **inner[0]})
        names = _by_part(row)
        self.heads |= names
        return shaped({**row, **{field: row[name] for field, name in names.items()}})

    def _are_said(self, messages: Messages) -> bool:
        """Return True for objects that all have a known role and a text, whatever their list is called."""
        texts = {*self.keys["text"]}
        roles = {self._role(message)[0] for message in messages if not texts.isdisjoint(message)}
        return {USER, BOT} <= roles and None not in roles

    def _talk_of(self, row: dict) -> Any:
        """Return the id of the conversation of a turn; its `id` only where it has no other."""
        keys = [key for key in self.keys["conversation_id"] if key not in LAST]
        if "conversation_id" not in self.columns:
            keys += [key for key in CHAT_WORDS["shapes"]["talks"] if isinstance(row.get(key), (str, int))]
        keys += [key for key in self.keys["conversation_id"] if key in LAST]
        return next(filter(plain_text, (at(row, key) or "" for key in keys)), None)

    def _talks_of(self, where: str, turns: Messages) -> Talks:
        """Return turns without a conversation: as several, where their numbers begin again and repeat.

        Raise `UserError` where a column may say of which they are, whose values stand in one block of rows each.
        """
        ends: list[int] = []
        if "conversation_id" in self.columns:
            return {"": (where, turns)}
        known = {*self.roles, *self.keys["text"], *self.keys["turn"], "id", "conversation_id"}
        for name in reversed(turns[0]):
            values = [plain_text(turn.get(name)) for turn in turns]
            sizes = [len(list(block)) for _, block in groupby(values)]
            if name not in known and len(sizes) == len({*values}) > 1 and min(sizes) > 1:
                raise UserError(
                    f"{where}: column '{name}' may say of which conversation a turn is.",
                    f"Write --columns conversation_id={name}; conversation_id=-, where all turns are of one.",
                )
        key = next((key for key in self.keys["turn"] if key in turns[0]), "")
        numbers = [str(turn.get(key)) for turn in turns]
        if all(map(str.isdecimal, numbers)) and len({*numbers}) < len(numbers):
            ends = [place for place, (one, other) in enumerate(pairwise(map(int, numbers)), 1) if other < one]
            self.counts["begun"] += len(ends)
        return {str(end): (where, turns[place:end]) for place, end in pairwise([0, *ends, len(turns)])}

    def _renamed(self, row: dict) -> dict:
        """Return a row with the columns that --columns names for what is said under the names of `FIELDS`."""
        named = {
            name: at(row, self.keys[name][0]) for name in FIELDS if self.keys[name][:1] == [self.columns.get(name)]
        }
        return {**row, **{FIELDS[name]: value for name, value in named.items() if value is not None}}

    def _chat_of(self, turns: Messages, where: str) -> dict:
        """Return the row of a chat from those of its turns, in the order of their `turn`, else in that of the file."""
        key = next((key for key in self.keys["turn"] if key in turns[0]), None)
        if "parent_id" in turns[0]:
            path = path_of(turns)
            self.counts["branches"] += len(turns) - len(path)
            turns = path
        elif key is not None:
            once = {repr(turn): turn for turn in turns}
            self.counts["copies"] += len(turns) - len(once)
            try:
                turns = sorted(once.values(), key=lambda turn: _order(turn[key]))
            except (KeyError, ValueError, TypeError, OverflowError):
                raise Unusable(
                    "conversation with a turn without a place",
                    f"{where}: field '{key}' of a turn of this conversation is no number or time.",
                    "Correct it, or name its column: --columns turn=THEIRS, - for the order of the file.",
                ) from None
        return {
            **{key: value for turn in turns[::-1] for key, value in turn.items() if value not in (None, "")},
            self.keys["messages"][0]: turns,
        }

    def _messages(self, row: dict) -> tuple[str, Messages | None]:
        """Return the key and the messages of a row; None where it has none."""
        return messages_of(row, self.keys["messages"])

    def _said(self, row: dict, where: str) -> tuple[list[str], list]:
        """Return the bot's contexts, and (role, text) of the turns, the two roles in turn."""
        column, messages = self._messages(row)
        if messages is None:
            raise _without_messages(row, f"{where}: field '{column}'", column)
        contexts = []
        prompt = self._text(row, "system")
        if prompt:
            contexts.append(cleaned(prompt))
        turns = []
        for role, message in self._with_roles(messages, f"{where}: field '{column}'"):
            self.counts["messages"] += 1
            self.counts["in_turn"] += message.get(IN_TURN) == 1
            text = ""
            if role != TOOL:
                text = self._turn(message, role == BOT or (role == USER and self.user != HUMAN))
            if not text.strip() or (role == SYSTEM and turns):
                self.counts["left_out"] += 1
            elif role == SYSTEM:
                contexts.append(text)
            elif turns and turns[-1][0] == role:
                self.counts["joined"] += 1
                turns[-1] = (role, f"{turns[-1][1]}\n{text}")
            else:
                turns.append((role, text))
        if messages and not turns and not contexts:
            raise Unusable(
                "conversation without a text that is known",
                f"{where}: field '{column}': no message holds a text that is known.",
                f"Name its field: --columns text=THEIRS. Known: {', '.join(messages[0])}.",
            )
        self.counts["system"] += len(contexts)
        self.counts["branches"] += row.get(PASSED_OVER, 0)
        return contexts, turns

    def _turn(self, message: dict, bot: bool) -> str:
        """Return the text of a message as a turn; one that is a turn by its column's name is noted."""
        text = self._text(message, "text")
        if COLUMN in message:
            self.held[*message[COLUMN], ""][text] += 1
        return self.text(text, bot)

    def _with_roles(self, messages: Messages, where: str) -> list[tuple[str, dict]]:
        """Return (role, message); of a user and a system alone, who take turns, the system is the bot (DSTC's)."""
        roles = [self._role(message) for message in messages]
        if all(word == "" and role is None for role, word in roles) and _texts_alone(messages, self.keys["text"]):
            self.counts["in_turn"] += len(messages)
            roles = [((USER, BOT)[place % 2], "") for place in range(len(messages))]
        if None in dict(roles):
            raise self._unknown_role(messages, roles, where)
        if BOT not in dict(roles) and [role for role, _ in roles[:2]] == [USER, SYSTEM]:
            roles = [(BOT if role == SYSTEM else role, word) for role, word in roles]
        words = [word for role, word in roles if role == BOT and word.casefold() in CHAT_WORDS["names_as_roles"]]
        self.bot_word = next(iter(words), "")
        return [(str(role), message) for (role, _), message in zip(roles, messages, strict=True)]

    def _unknown_role(self, messages: Messages, roles: Sequence[tuple[str | None, str]], where: str) -> Unusable:
        """Return the error of messages of which it isn't known whose they are, with the option that says it."""
        unknown = list(dict.fromkeys(word for role, word in roles if role is None))
        place = [role for role, _ in roles].index(None) + 1
        key = self._find(messages[place - 1], "role")[0]
        problem = f"{where}, message {place}: field '{key}' is {unknown[0] or None!r}."
        column = ""
        if unknown == [""]:
            column, unknown = _speaker_column(messages)
        if len(unknown) > 2 and all(unknown) and {USER, BOT}.isdisjoint(dict(roles)):
            return Unusable("conversation with an unknown role", problem, _one_is_the_bot([word for _, word in roles]))
        free = [role for role in (USER, BOT) if role not in dict(roles)] + [TOOL] * len(unknown)
        meant = [self._role_within(word) for word in unknown]
        if len({*meant}) < len(meant):
            meant = [""] * len(meant)
        named = [f"{role or free.pop(0)}={word}" for role, word in zip(meant, unknown, strict=True) if word]
        remedy = "Name the field that says whose a message is: --columns role=THEIRS."
        if named:
            who = _quoted(named)
            remedy = f"Say who is who (what tools say is left out): {column}--roles '{who}' (* is everybody else)."
        suggestion = "" if column else nearest(unknown[0], self.role_of, 0)
        return Unusable("conversation with an unknown role", problem, f"{suggestion} {remedy}".strip())

    def _role_within(self, word: str) -> str:
        """Return the role that a part of a word means ("Agent (Thought)"); "" where none does."""
        return next(filter(None, map(self.role_of.get, spelling(word).split("_"))), "")

    def _role(self, message: dict) -> tuple[str | None, str]:
        """Return which of our roles a message has, and the file's word; one that isn't shown is a tool's."""
        if at(message, "content.content_type"):
            for key, shown in CHAT_WORDS["shown"].items():
                if at(message, key) not in (None, *shown):
                    return TOOL, ""
        if any(message.get(key) in values for key, values in CHAT_WORDS["of_programs"].items() if key in message):
            return TOOL, ""
        for name, role in CHAT_WORDS["flags"].items():
            flag = at(message, name)
            if isinstance(flag, bool):
                return role if flag else OTHERS[role], ""
        speaker = self._find(message, "role")[1]
        word = ""
        if speaker is not None and not isinstance(speaker, bool):
            word = str(speaker).strip(" :")
        role = self.role_of.get(word.casefold(), self.role_of.get(OTHERWISE))
        if role is None and word and not self._text(message, "text").strip():
            return TOOL, ""
        return role, word

    def _text(self, message: dict, field: str) -> str:
        """Return the text of a message, or its parts of text, a line each; a refusal is a text."""
        texts = []
        key, value = self._find(message, field)
        parts = [value]
        while parts:
            part = parts.pop()
            if isinstance(part, list):
                parts += reversed(part)
            elif isinstance(part, (str, int)) and not isinstance(part, bool):
                texts.append(str(part) * (part != "NaN"))
            elif isinstance(part, dict) and at(part, "type") in CHAT_WORDS["types"] and not part.get("thought"):
                parts += [part[name] for name in CHAT_WORDS["texts"] if part.get(name) is not None][:1]
            else:
                self.counts["parts"] += part is not None
        text = "\n".join(texts)
        if key in CHAT_WORDS["markup"] and BLOCK.match(text.lstrip()):
            lines = unescape(MARKUP.sub("", LINE_END.sub("\n", text))).splitlines()
            text = "\n".join(line.strip() for line in lines if line.strip())
        return text


def _quoted(pairs: Sequence[str]) -> str:
    """Return pairs of an option, each in quotes where one holds a comma."""
    quotes = '"' * any("," in pair for pair in pairs)
    return ",".join(f"{quotes}{pair}{quotes}" for pair in pairs)


def _one_is_the_bot(speakers: Sequence[str]) -> str:
    """Return the option that takes the one of several who speaks most often for the bot, all others for its partner."""
    [(name, _)] = Counter(speakers).most_common(1)
    words = shlex.quote(f"{_quoted([f'assistant={name}'])},user={OTHERWISE}")
    return f"Of several speakers one is the bot: --roles {words} (* is everybody else)."


def _spelt(column: str) -> str:
    """Return how a column is spelt; of what MTurk showed, without the mark of it."""
    return spelling(column.removeprefix("Input."))


def _by_part(row: dict) -> dict[str, str]:
    """Return the only columns that are called in part as what was answered, and asked, by the field in which `shaped`
    finds it; {} without an answer."""
    said = {}
    texts = [name for name, value in row.items() if isinstance(value, str) and value.strip()]
    texts = [name for name in texts if not has_part(name, CHAT_WORDS["no_answers"]) and name not in FIELDS.values()]
    for field, parts in CHAT_WORDS["sure_parts"].items():
        fits = [name for spelt, name in spelt_columns(texts).items() if spelt.rpartition("_")[2] in parts]
        if field in row:
            said[field] = field
        elif len(fits) == 1:
            said[field] = fits[0]
    if "the_answer" not in said:
        return {}
    return said


def _texts_alone(messages: Messages, texts: Sequence[str]) -> bool:
    """Return True if messages hold a text and nothing but lists beside it that could say whose they are."""
    others = [{name for name, value in message.items() if not isinstance(value, list)} for message in messages]
    return all(names and names <= {*texts, *CHAT_WORDS["no_speakers"]} for names in others)


def _speaker_column(messages: Messages) -> tuple[str, list[str]]:
    """Return the option for the first field of messages that may say whose they are, as it holds few values, and these;
    "" where none does."""
    for name in messages[0]:
        values = [message.get(name) for message in messages]
        speakers = list(dict.fromkeys(map(str, values)))
        if all(isinstance(value, (str, int)) for value in values) and len(speakers) == 2 <= len(values) / 2:
            return f"--columns role={name} ", speakers
    return "", [""]


def _without_messages(row: dict, where: str, column: str) -> Unusable:
    """Return the error of a row without messages: with the only columns that may hold a question, and its answer, or
    a list of texts, which two may have said in turn."""
    texts = next((name for name, value in row.items() if value and is_list_of(value, str)), "THEIRS")
    likely = sorted(row, key=lambda name: has_part(name, CHAT_WORDS["no_answers"]))
    columns = {_spelt(name): name for name in likely if not name.endswith("_id") and name not in FIELDS.values()}
    pairs = []
    for field, parts in CHAT_WORDS["parts"].items():
        fits = [columns[name] for part in parts for name in columns if name.endswith(part)]
        fits += [columns[name] for part in parts for name in columns if name.startswith(f"{part}_")]
        pairs.append(f"{field}={[*fits, 'THEIRS'][0]}")
    return Unusable(
        UNKNOWN,
        f"{where} is no list of objects with a role and a text.",
        f"Name the columns: --columns {shlex.quote(f'messages={texts}')}, or {shlex.quote(','.join(pairs))}; of a row "
        f"a turn conversation_id, role and text. {ELSEWHERE}. Answers without what was asked are no conversation; "
        f"ratings of them are read by --format ratings. {nearest(column, row, 20)}",
    )


def _order(value: Any) -> Any:
    """Return the place of a turn, a number or a time."""
    with suppress(ValueError, TypeError):
        number = float(value)
        if math.isfinite(number):
            return number
    return datetime.fromisoformat(utc_time(value))
