"""The conversations of the task, fold by fold, and the statistics of exclusions and their reasons.

Raw data: the package chitchat-dataset, whose conversations come as turns of one sender, each of one or more messages.
A turn here is one sender's messages joined by single spaces. Two people must take strictly alternating turns.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from parlai_spotbot import hints
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.models.cache import cached_folder
from parlai_spotbot.reading import read_yaml
from parlai_spotbot.tasks.chitchat import cleaning

FOLDS = ("bots", "judges", "humans", "seeds")

LONG = 12
"""Turns of a long conversation: the seed exchange, which is hidden, and five exchanges that are shown."""

PACKAGE = "chitchat_dataset"


@dataclass(frozen=True)
class ChitchatConversation:
    """A conversation of two people. `people` are the data set's own pseudonyms; the first has the even turns."""

    conversation_id: str
    turns: tuple[str, ...]
    people: tuple[str, str]


@dataclass(frozen=True)
class CorpusStatistics:
    """Counts of the raw conversations that were kept, cut and dropped.

    Attributes
    ----------
    raw, kept : int
        Conversations in the data set; those that are in a fold.
    dropped : dict of int
        Reason -> conversations left out; each has one reason, the first that applied, in the order of the steps.
    cut : dict of int
        Reason -> conversations that are kept up to the turn before the first one which offends by it.
    folds : dict of dict of int
        Fold -> conversations, long (of at least `LONG` turns), turns, people.
    """

    raw: int
    kept: int
    dropped: dict[str, int]
    cut: dict[str, int]
    folds: dict[str, dict[str, int]]

    def text(self) -> str:
        """The statistics as tables in plain text."""
        lines = [f"{'conversations in the data set':48}{self.raw:6}"]
        lines += [f"{'  dropped: ' + reason:48}{count:6}" for reason, count in self.dropped.items()]
        lines += [f"{'conversations kept':48}{self.kept:6}", "", "of those kept, cut before a turn that offends by"]
        lines += [f"{'  ' + reason:48}{count:6}" for reason, count in self.cut.items()]
        lines += ["", f"{'fold':12}{'conversations':>14}{'long':>7}{'turns':>8}{'people':>8}"]
        for fold, c in self.folds.items():
            lines.append(f"{fold:12}{c['conversations']:14}{c['long']:7}{c['turns']:8}{c['people']:8}")
        return "\n".join(lines)


def _dataset() -> Path:
    """The file of the data set; a `UserError` where the package is missing."""
    spec = importlib.util.find_spec(PACKAGE)
    path = Path(spec.origin).with_name("dataset.json") if spec and spec.origin else None
    if path is None or not path.exists():
        raise UserError(
            "the task spotbot:chitchat needs the package chitchat-dataset, which isn't installed.",
            f"Run: {hints.SET_UP}",
        )
    return path


def raw_conversations() -> dict[str, dict]:
    """The data set as it is, conversation id -> conversation; a `UserError` where the package is missing."""
    return json.loads(_dataset().read_text(encoding="utf-8"))


def _clean(conversation_id: str, raw: dict) -> tuple[ChitchatConversation | None, str | None]:
    """The conversation up to its first offending turn (None: nothing is left), and the reason to cut or drop it."""
    turns, senders = [], []
    for messages in raw["messages"]:
        if messages:
            turns.append(" ".join(" ".join(message["text"] for message in messages).split()))
            senders.append({message["sender"] for message in messages})
    people = sorted(set().union(*senders))
    if len(people) != 2:
        return None, "not two people"
    if any(len(s) > 1 for s in senders) or any(a == b for a, b in pairwise(senders)):
        return None, "turns do not alternate"
    offences = ((number, cleaning.offence(turn)) for number, turn in enumerate(turns))
    end, reason = next(((n, why) for n, why in offences if why), (len(turns), None))
    if end < 2:
        return None, reason or "no reply"
    first = min(senders[0])
    second = people[1] if first == people[0] else people[0]
    return ChitchatConversation(conversation_id, tuple(turns[:end]), (first, second)), reason


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
def _made() -> tuple[dict[str, tuple[ChitchatConversation, ...]], CorpusStatistics]:
    stored = json.loads((folder() / "folds.json").read_text(encoding="utf-8"))
    chats = {
        fold: tuple(ChitchatConversation(name, tuple(turns), tuple(people)) for name, turns, people in rows)
        for fold, rows in stored["chats"].items()
    }
    return chats, CorpusStatistics(**stored["statistics"])


def _store(place: Path) -> None:
    chats, statistics = _build()
    rows = {
        fold: [[c.conversation_id, c.turns, c.people] for c in kept_conversations]
        for fold, kept_conversations in chats.items()
    }
    (place / "folds.json").write_text(json.dumps({"chats": rows, "statistics": asdict(statistics)}), encoding="utf-8")


def _build() -> tuple[dict[str, tuple[ChitchatConversation, ...]], CorpusStatistics]:
    raw = raw_conversations()
    dropped: Counter = Counter()
    reasons: dict[str, str | None] = {}
    clean = []
    for conversation_id in sorted(raw):
        chat, reason = _clean(conversation_id, raw[conversation_id])
        if chat is None:
            dropped[reason] += 1
        else:
            clean.append((chat, from_opening(chat)))
            reasons[conversation_id] = reason
    stored = read_yaml(Path(__file__).with_name("folds.yaml"), "Install the package again.", "Install it again.")
    fold_of = {person: fold for fold, people in stored.items() for person in people.split()}
    chats: dict[str, list[ChitchatConversation]] = {fold: [] for fold in FOLDS}
    for chat, opened in clean:
        fold, other = (fold_of.get(person[:8], "bots") for person in chat.people)
        if fold != other:
            dropped["its people are in different folds"] += 1
        elif fold != "bots" and opened is None:
            dropped["greetings only (judges, humans, seeds)"] += 1
        else:
            chats[fold].append(chat if fold == "bots" else opened)
    return {fold: tuple(kept_conversations) for fold, kept_conversations in chats.items()}, _statistics(
        len(raw), dropped, reasons, chats
    )


def _statistics(
    raw: int, dropped: Counter, reasons: dict, chats: dict[str, list[ChitchatConversation]]
) -> CorpusStatistics:
    steps = (
        "not two people",
        "turns do not alternate",
        *cleaning.REASONS,
        "no reply",
        "its people are in different folds",
        "greetings only (judges, humans, seeds)",
    )
    kept = [chat for kept_conversations in chats.values() for chat in kept_conversations]
    cut = Counter(reasons[chat.conversation_id] for chat in kept)
    return CorpusStatistics(
        raw=raw,
        kept=len(kept),
        dropped={step: dropped[step] for step in steps if dropped[step]},
        cut={reason: cut[reason] for reason in cleaning.REASONS if cut[reason]},
        folds={
            fold: {
                "conversations": len(kept_conversations),
                "long": sum(len(chat.turns) >= LONG for chat in kept_conversations),
                "turns": sum(len(chat.turns) for chat in kept_conversations),
                "people": len({person for chat in kept_conversations for person in chat.people}),
            }
            for fold, kept_conversations in chats.items()
        },
    )


def conversations(fold: str) -> tuple[ChitchatConversation, ...]:
    """The conversations of a fold ("bots", "judges", "humans" or "seeds"), in the order of their ids.

    The bots' are whole; the others begin with the first exchange that is more than greeting, so that every seed has
    substance and what follows a seed begins alike for bots and people.
    """
    if fold not in FOLDS:
        raise UserError(f"spotbot:chitchat has no fold '{fold}'.", nearest(fold, FOLDS))
    return _made()[0][fold]


def statistics() -> CorpusStatistics:
    """Return what was dropped or cut and why, and what each fold holds."""
    return _made()[1]


def checksum(fold: str) -> str:
    """SHA-256 over ids, people and turns of a fold, in hexadecimal: it changes when anything of them does."""
    rows = [[chat.conversation_id, chat.people, chat.turns] for chat in conversations(fold)]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()
