"""The records that flow through a study, as frozen dataclasses with JSON in and out.

The words are the paper's (section 3.1): an *exchange* is two turns, one of each entity; a *segment* is the first k
exchanges after the seed; an *item* is what is asked about at once, a *unit* what one person does in one sitting.
A conversation is stored in ParlAI's Conversations format with our keys beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from sys import intern
from typing import Annotated, Any, Literal, NotRequired

from annotated_types import Ge, Lt
from typing_extensions import TypedDict

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.names import RULE, is_name
from parlai_spotbot.outside import before_stop
from parlai_spotbot.user_files import read_row, validated

HUMAN = "human"
"""The name that people bear instead of a contestant."""

UNNAMED = "unnamed-"
"""How ids begin of annotators that an imported file doesn't name: each answer counts as another person's."""


def is_named(annotator: str) -> bool:
    """Return False for an annotator whom an imported file doesn't name."""
    return not annotator.startswith(UNNAMED)


PERSON = "person"
"""In a conversation's provenance: a checksum that says which person took part."""

NATURES = (HUMAN, "unsure", "bot")
"""Answers to the question who is human, from the most human down."""

FEATURES = ("fluency", "sensibleness", "specificity")
"""Questions of Spot The Bot about which side is better."""

OUTCOMES = {"conversation:0": 1, "neither": 0, "conversation:1": -1}
"""Answers to the question which of two is better, and what they are worth to the first."""

ADDITIONAL = "extra_"
"""How the names of questions begin that a launch adds to a survey: their answers are kept, analyses leave them out."""

Limit = Annotated[float, Ge(0)]
Whole = Annotated[int, Lt(10**18)]
Number = float | int
"""A whole number stays one, so that a row is written as it was read."""


class KeptOnce:
    """Mark of texts that many rows share: equal ones are one in memory."""

    @staticmethod
    def __get_pydantic_core_schema__(source: Any, handler: Callable[[Any], Any]) -> Any:
        from pydantic_core.core_schema import no_info_after_validator_function

        return no_info_after_validator_function(intern, handler(source))


Shared = Annotated[str, KeptOnce]


@dataclass(frozen=True, slots=True)
class Turn:
    """One utterance. `speaker` is a contestant's name or "human"."""

    speaker: str
    text: str


def until_stop(turns: Sequence[Turn]) -> list[Turn]:
    """Return the turns up to a mark by which one of the speakers ends the conversation, without the mark."""
    kept = []
    for turn in turns:
        kept_text = before_stop(turn.text)
        if kept_text is None:
            kept.append(turn)
            continue
        if kept_text:
            kept.append(Turn(turn.speaker, kept_text))
        break
    return kept


@dataclass(frozen=True)
class Conversation:
    """A conversation of two entities; entity 0 has the even turns, entity 1 the odd ones.

    `seed_exchanges` exchanges at the front are context: they came from people, are never shown and never count in k.
    `context` holds the persona that each entity was given before the first turn, "" where none.
    """

    conversation_id: str
    domain: str
    pair: tuple[str, str]
    number: int
    entities: tuple[str, str]
    turns: tuple[Turn, ...]
    seed_exchanges: int = 1
    seed_id: str = ""
    context: tuple[str, str] = ("", "")
    provenance: dict = field(default_factory=dict)

    @property
    def is_human(self) -> tuple[bool, bool]:
        return (self.entities[0] == HUMAN, self.entities[1] == HUMAN)

    @property
    def kind(self) -> str:
        """Return the kind of conversation: "self", "human_model", "pairs" or "people"."""
        people = sum(self.is_human)
        if people:
            if people == 2:
                return "people"
            return "human_model"
        if self.entities[0] == self.entities[1]:
            return "self"
        return "pairs"

    @property
    def shown(self) -> tuple[Turn, ...]:
        """The turns after the seed, cut to whole exchanges."""
        return self.turns[2 * self.seed_exchanges : len(self.turns) // 2 * 2]

    @property
    def exchanges(self) -> int:
        """Number of whole exchanges after the seed."""
        return max(len(self.turns) // 2 - self.seed_exchanges, 0)

    def segment(self, k: int) -> tuple[Turn, ...]:
        """The first `k` exchanges after the seed: 2k turns."""
        if not 1 <= k <= self.exchanges:
            raise ValueError(f"k={k}: {self.conversation_id} has segments of 1 to {self.exchanges} exchanges")
        return self.shown[: 2 * k]

    def check_speakers(self, where: str) -> None:
        """Raise `UserError` where a turn after the seed is by another speaker than its place says."""
        for number, turn in enumerate(self.turns):
            if number < 2 * self.seed_exchanges:
                continue
            expected = self.entities[number % 2]
            if turn.speaker != expected:
                raise UserError(
                    f"{where}: turn {number} is by '{turn.speaker}', expected '{expected}'.",
                    "Entity 0 has the even turns, entity 1 the odd ones: join turns of one speaker, leave others out.",
                )

    def to_json(self) -> dict:
        acts = [{"id": turn.speaker, "text": turn.text} for turn in self.turns]
        return {
            "conversation_id": self.conversation_id,
            "domain": self.domain,
            "pair": list(self.pair),
            "number": self.number,
            "entities": list(self.entities),
            "seed_exchanges": self.seed_exchanges,
            "seed_id": self.seed_id,
            "context": [{"id": e, "text": t} for e, t in zip(self.entities, self.context, strict=True) if t],
            "dialog": [acts[i : i + 2] for i in range(0, len(acts), 2)],
            "provenance": self.provenance,
        }

    @classmethod
    def from_json(cls, row: dict, where: str) -> Conversation:
        fields = dict(read_row(StoredConversation, row, where))
        dialog_turns = [Turn(act["id"], act["text"]) for exchange in fields.pop("dialog") for act in exchange]
        begun = 2 * fields.get("seed_exchanges", cls.seed_exchanges)
        turns = (*dialog_turns[:begun], *until_stop(dialog_turns[begun:]))
        context = ["", ""]
        free = [0, 1]
        for act in fields.pop("context", ()):
            slot = next((i for i in free if fields["entities"][i] == act["id"]), None)
            if slot is not None:
                free.remove(slot)
                context[slot] = act["text"]
        return cls(**fields, turns=turns, context=(context[0], context[1]))


class StoredTurn(TypedDict):
    """A turn, or what an entity was given before the first one, in ParlAI's Conversations format."""

    id: str
    text: str


class StoredConversation(TypedDict):
    """A conversation in that format."""

    conversation_id: str
    entities: tuple[str, str]
    domain: str
    pair: tuple[str, str]
    number: Whole
    dialog: tuple[tuple[StoredTurn, ...], ...]
    context: NotRequired[tuple[StoredTurn, ...]]
    seed_exchanges: NotRequired[Whole]
    seed_id: NotRequired[str]
    provenance: NotRequired[dict]


def have_texts(conversations: Collection[Conversation]) -> bool:
    """Return whether it is known what was said; it isn't of ratings that came without. True of no conversations."""
    return not conversations or any(talk.turns for talk in conversations)


def indexed(conversations: Iterable[Conversation]) -> dict[str, Conversation]:
    """Return conversations by their ids."""
    return {one.conversation_id: one for one in conversations}


def judged_name(conversation: Conversation, entity: int | None = None) -> str | None:
    """Whose conversation it is: `entity` where that is known, else the only bot, or the name that both bear; else
    None."""
    if entity is not None:
        return conversation.entities[entity]
    names = set(conversation.entities)
    if len(names) > 1:
        names.discard(HUMAN)
    if len(names) == 1:
        return names.pop()
    return None


def _entry_of(text: str, where: str) -> dict:
    """A pool's entry that is only a text: a server's model, one of the Hugging Face hub, a model file, or an agent."""
    if text.startswith(("http://", "https://")):
        url, _, model = text.partition("#")
        if not model:
            raise UserError(f"{where}: {url}: which model of that server?", f"Write {url}#MODEL.")
        return {"model": "spotbot:openai_chat", "opt": {"openai_url": url, "openai_model": model}}
    if "://" in text:
        raise UserError(f"{where}: {text.partition('://')[0]}://… is no server.", "Write http://… or https://….")
    if text.startswith("hf:"):
        return {"model": "spotbot:causal_lm", "opt": {"lm_model": text.removeprefix("hf:")}}
    return {"model_file" if ("/" in text and not text.startswith("spotbot:")) else "model": text}


@dataclass(frozen=True)
class Contestant:
    """One entry of a pool: a name and any ParlAI agent.

    `model_file` and `model` are ParlAI's options, `opt` holds any others. `persona` is given to it before
    each conversation, a sentence a line, as ParlAI's tasks tell it ("your persona: …"). `turn_timeout` (seconds for one
    turn) and `memory_limit` (GiB of resident memory) stop a contestant that hangs or grows; 0 means no limit. `copies`
    of it run at once, each with the share `gpus` of one or more GPUs (which Ray computes with; other engines give what
    there is) and with `threads` of PyTorch, at most one a core (0: the cores are divided among the contestants).
    `code` is a folder whose modules it may name, `environment` the names of variables that it gets, with blanks between
    them. A contestant whose `role` is "user" simulates a user: it speaks
    first, and only with those that have the other role.
    """

    name: str
    model_file: str = ""
    model: str = ""
    opt: dict = field(default_factory=dict)
    description: str = ""
    turn_timeout: Limit = 120.0
    load_timeout: Limit = 900.0
    memory_limit: Limit = 0.0
    gpus: Limit = 0.0
    copies: Annotated[int, Ge(1)] = 1
    threads: Annotated[int, Ge(0)] = 0
    persona: str = ""
    code: str = ""
    environment: str = ""
    role: Literal["system", "user"] = "system"

    BOT = ("model_file", "model", "opt", "persona", "role")
    LIMITS = ("turn_timeout", "load_timeout", "memory_limit", "gpus")
    KEYS = (*BOT, "description", *LIMITS, "copies", "threads", "code", "environment")

    def same_bot(self, other: Contestant) -> bool:
        """Return True if the two would give the same conversations: only name, description, limits, copies, threads,
        code or environment differ."""
        return all(getattr(self, key) == getattr(other, key) for key in self.BOT)

    def to_json(self) -> dict:
        """The entry as it is in a pool file: without the name, without defaults."""
        plain = Contestant(self.name)
        return {key: getattr(self, key) for key in self.KEYS if getattr(self, key) != getattr(plain, key)}

    @classmethod
    def from_json(cls, name: str, entry: Any, where: str) -> Contestant:
        where = f"{where}: contestant '{name}'"
        if not isinstance(name, str) or not is_name(name) or name == HUMAN:
            raise UserError(f"{where}: not a valid name.", f"{RULE} '{HUMAN}' is kept for people.")
        if isinstance(entry, str):
            entry = _entry_of(entry, where)
        if not isinstance(entry, dict):
            problem = f"{where}: expected keys and values, found {entry!r}."
            raise UserError(problem, "Write for example 'model: spotbot:eliza'.")
        for key in entry:
            if key not in cls.KEYS:
                remedy = nearest(key, cls.KEYS) + " ParlAI's options go under 'opt'."
                raise UserError(f"{where}: unknown key '{key}'.", remedy)
        contestant = validated(cls, {**entry, "name": name}, where)
        if not contestant.model_file and not contestant.model:
            raise UserError(f"{where}: neither 'model_file' nor 'model' is given.", "Give at least one of them.")
        return replace(contestant, persona=contestant.persona.strip())


@dataclass(frozen=True, slots=True)
class Utterance:
    """A turn as an annotator sees it: entity 0 or 1, and the text in its surface form."""

    entity: Whole
    text: str


@dataclass(frozen=True)
class Item:
    """Item of a unit. `transcripts` holds what is shown, one transcript a conversation, and nothing else.

    `control` names the kind of a control item (never analysed as data), or is None. `judged` holds for each transcript
    the entity that is judged, 0 or 1; where it is empty, both are. `questions` names those of the survey's questions
    that are put; where it is empty, all are. `partners` are the contestants that the annotator chats with first,
    one for each transcript, which is empty until then. `candidates` are possible next turns of the first transcript,
    of which the annotator chooses ("candidate:0", …).
    """

    item_id: str
    conversation_ids: tuple[str, ...]
    exchanges: Whole
    transcripts: tuple[tuple[Utterance, ...], ...]
    control: str | None = None
    judged: tuple[Whole, ...] = ()
    questions: tuple[str, ...] = ()
    partners: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()

    MAY_LACK = ("judged", "questions", "partners", "candidates")

    def to_json(self) -> dict:
        shown = [[{"entity": turn.entity, "text": turn.text} for turn in one] for one in self.transcripts]
        return {
            key: value
            for key, value in {**vars(self), "transcripts": shown}.items()
            if value or key not in self.MAY_LACK
        }

    @classmethod
    def from_json(cls, row: dict, where: str) -> Item:
        return read_row(cls, row, where).checked(where)

    def checked(self, where: str) -> Item:
        """Return it; raise `UserError` unless it has a transcript for each conversation."""
        if self.conversation_ids and len(self.conversation_ids) != len(self.transcripts):
            problem = f"{where}: field 'transcripts': expected one for each of 'conversation_ids'."
            raise UserError(problem, "Make the file again.")
        return self


ITEMS_KEPT = 100
"""Of the units just before, while units are read."""


@dataclass(frozen=True)
class Unit:
    """Work of one person in one sitting. Nobody who has one unit of a block may have another of it.

    `replicate` counts from 0 the annotators who get the same items; `rotation` the units of a block that show different
    segments of its conversations. Where a survey is for several groups of people, `group` is the one this unit is for.
    Of a unit that was drawn from answers (`sequential.course`), `since` has what happened since the one before.
    """

    unit_id: str
    survey: str
    block_id: str
    rotation: Whole
    replicate: Whole
    items: tuple[Item, ...]
    group: str = ""
    since: tuple[Whole, ...] = ()

    def to_json(self) -> dict:
        row: dict[str, Any] = {k: getattr(self, k) for k in ("unit_id", "survey", "block_id", "rotation", "replicate")}
        if self.group:
            row["group"] = self.group
        if self.since:
            row["since"] = list(self.since)
        row["items"] = [item.to_json() for item in self.items]
        return row

    @classmethod
    def from_json(cls, row: dict, where: str) -> Unit:
        unit = read_row(cls, row, where)
        for number, item in enumerate(unit.items):
            item.checked(f"{where}, item {number}")
        return unit

    @classmethod
    def reader(cls) -> Callable[[dict, str], Unit]:
        """`from_json` for a whole file: an item that a unit just before has too, as replicates do, is read once."""
        kept: dict[bytes, Item] = {}

        def unit_of(row: Any, where: str) -> Unit:
            texts: list[bytes] = []
            if isinstance(row, bytes):
                row, texts = _without_items(row)
            unit = cls.from_json(row, where)
            new = [text for text in texts if text not in kept]
            if new:
                if len(kept) >= ITEMS_KEPT:
                    kept.clear()
                    new = texts
                items = read_row(tuple[Item, ...], b"[%b]" % b", ".join(new), where)
                if len(items) != len(new):
                    raise ValueError(f"{where}: an item within an item")
                kept.update(zip(new, items, strict=True))
            if texts:
                items = tuple(kept[text].checked(f"{where}, item {number}") for number, text in enumerate(texts))
                unit = replace(unit, items=items)
            return unit

        return unit_of


ITEM = b'{"item_id": '
"""Beginning of an item in a line of a units file; within a text quotes have a backslash."""


def _without_items(line: bytes) -> tuple[bytes, list[bytes]]:
    """Return a line of a units file without its items, and these; the line as it is where it isn't written our way."""
    start, *items = line.rstrip().split(ITEM)
    whole = start.endswith(b'"items": [') and items and items[-1].endswith(b"]}")
    if not whole or not all(text.endswith(b", ") for text in items[:-1]):
        return line, []
    return start + b"]}", [ITEM + text[:-2] for text in items]


@dataclass(frozen=True, slots=True)
class Judgement:
    """One answer to one question about one target, by a person (`source` "human") or a judge ("judge:NAME").

    `annotation_id` joins one annotator's answers to one item. `target` is "entity:0", "entity:1", "turn:N",
    "conversation:N" or "pair". `presentation` records the side or name each entity bore and the order of questions.
    Times are ISO 8601 in UTC, "" where there are none; `seconds` is the time the annotation took, null for judges, and
    `answer_seconds` how much of it had passed when this answer was given for good, written only where it is known.
    """

    judgement_id: str
    annotation_id: Shared
    survey: Shared
    unit_id: Shared
    item_id: Shared
    conversation_ids: tuple[Shared, ...]
    exchanges: Whole
    target: Shared
    question: Shared
    answer: Any
    worker_id: Shared
    source: Shared
    control: Shared | None = None
    presentation: dict = field(default_factory=dict)
    started_at: Shared = ""
    submitted_at: Shared = ""
    seconds: Number | None = None
    answer_seconds: Number | None = None

    def to_json(self) -> dict:
        row = {name: getattr(self, name) for name in self.__slots__}
        row["presentation"] = dict(self.presentation)
        if self.answer_seconds is None:
            del row["answer_seconds"]
        return row

    @classmethod
    def from_json(cls, row: dict, where: str) -> Judgement:
        record = read_row(cls, row, where)
        if record.source != "human" and not record.source.startswith("judge:"):
            problem = f"field 'source' is {record.source!r}, expected 'human' or 'judge:NAME'"
            raise UserError(f"{where}: {problem}.", "Correct it.")
        return record
