"""The conversations of the task, fold by fold.

Raw data: the package chitchat-dataset, whose conversations come as turns of one sender, each of one or more messages.
A turn here is one sender's messages joined by single spaces. Two people must take strictly alternating turns.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.models.cache import cached_folder
from parlai_spotbot.models.packages import package_folder
from parlai_spotbot.reading import own_data
from parlai_spotbot.tasks.chitchat import cleaning

FOLDS = ("bots", "judges", "humans", "seeds")


@dataclass(frozen=True)
class ChitchatConversation:
    """A conversation of two people. `people` are the data set's own pseudonyms; the first has the even turns."""

    conversation_id: str
    turns: tuple[str, ...]
    people: tuple[str, str]


def _dataset() -> Path:
    """The file of the data set; a `UserError` where the package is missing."""
    return package_folder("chitchat_dataset") / "dataset.json"


def raw_conversations() -> dict[str, dict]:
    """The data set as it is, conversation id -> conversation; a `UserError` where the package is missing."""
    return json.loads(_dataset().read_text(encoding="utf-8"))


def _clean(conversation_id: str, raw: dict) -> ChitchatConversation | None:
    """The conversation up to its first offending turn; None if nothing is left or it is not of two people in turn."""
    turns = []
    senders = []
    for messages in raw["messages"]:
        if messages:
            turns.append(" ".join(" ".join(message["text"] for message in messages).split()))
            senders.append({message["sender"] for message in messages})
    people = sorted(set().union(*senders))
    if len(people) != 2:
        return None
    if any(len(s) > 1 for s in senders) or any(a == b for a, b in pairwise(senders)):
        return None
    end = next((number for number, turn in enumerate(turns) if cleaning.offence(turn)), len(turns))
    if end < 2:
        return None
    first = min(senders[0])
    second = people[1] if first == people[0] else people[0]
    return ChitchatConversation(conversation_id, tuple(turns[:end]), (first, second))


def from_opening(chat: ChitchatConversation) -> ChitchatConversation | None:
    """`chat` from the first exchange on that is more than greeting; None where there is none (`cleaning.opening`)."""
    start = cleaning.opening(chat.turns)
    return None if start is None else ChitchatConversation(chat.conversation_id, chat.turns[2 * start :], chat.people)


@cache
def folder() -> Path:
    """The folds, kept in the cache: every process of a tournament needs them, and making them takes seconds."""
    parts = [_dataset(), *sorted(p for p in Path(__file__).parent.iterdir() if p.suffix in (".py", ".yaml"))]
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.read_bytes())
    return cached_folder(f"chitchat-{digest.hexdigest()[:16]}", _store)


@cache
def _stored_folds() -> dict[str, tuple[ChitchatConversation, ...]]:
    stored = json.loads((folder() / "folds.json").read_text(encoding="utf-8"))
    return {
        fold: tuple(ChitchatConversation(name, tuple(turns), tuple(people)) for name, turns, people in rows)
        for fold, rows in stored.items()
    }


def _store(place: Path) -> None:
    rows = {fold: [[c.conversation_id, c.turns, c.people] for c in chats] for fold, chats in _build().items()}
    (place / "folds.json").write_text(json.dumps(rows), encoding="utf-8")


def _build() -> dict[str, list[ChitchatConversation]]:
    stored = own_data(__file__, "folds.yaml")
    fold_of = {person: fold for fold, people in stored.items() for person in people.split()}
    chats: dict[str, list[ChitchatConversation]] = {fold: [] for fold in FOLDS}
    for conversation_id, raw in sorted(raw_conversations().items()):
        if (chat := _clean(conversation_id, raw)) is None:
            continue
        fold, other = (fold_of.get(person[:8], "bots") for person in chat.people)
        kept = chat if fold == "bots" else from_opening(chat)
        if fold == other and kept is not None:
            chats[fold].append(kept)
    return chats


def conversations(fold: str) -> tuple[ChitchatConversation, ...]:
    """The conversations of a fold ("bots", "judges", "humans" or "seeds"), in the order of their ids.

    The bots' are whole; the others begin with the first exchange that is more than greeting, so that every seed has
    substance and what follows a seed begins alike for bots and people.
    """
    if fold not in FOLDS:
        raise UserError(f"spotbot:chitchat has no fold '{fold}'.", nearest(fold, FOLDS))
    return _stored_folds()[fold]


def checksum(fold: str) -> str:
    """SHA-256 over ids, people and turns of a fold, in hexadecimal: it changes when anything of them does."""
    rows = [[chat.conversation_id, chat.people, chat.turns] for chat in conversations(fold)]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()
