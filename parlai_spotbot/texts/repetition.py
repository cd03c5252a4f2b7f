"""Texts that say more of a bot's memory than of its wit: turns said again and again, conversations that are the same,
and turns that stand in the training data (section 4 of the paper: 2 % of the bots' conversations).

Texts are compared by their letters and digits alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import pandas as pd

from parlai_spotbot.records import HUMAN, Conversation
from parlai_spotbot.texts.normal_forms import plain_text


def turns_frame(conversations: Iterable[Conversation]) -> pd.DataFrame:
    """One row a shown turn: conversation_id, turn, name, text. The seed exchange, which people wrote, is left out."""
    rows = [
        (conversation.conversation_id, place, turn.speaker, turn.text)
        for conversation in conversations
        for place, turn in enumerate(conversation.shown)
    ]
    return pd.DataFrame(rows, columns=["conversation_id", "turn", "name", "text"])


def repeated_turns(turns: pd.DataFrame) -> pd.DataFrame:
    """How often each name says what it has said elsewhere.

    One row a name, most repetitive first: name, turns, distinct, repeated (share of turns that the same name says in
    another conversation too), within (share said earlier in the same conversation), most_common, times, sentence.
    """
    turns = turns.assign(plain=[plain_text(text) for text in turns["text"]])
    rows = []
    for name, own in turns.groupby("name", sort=True):
        homes = own.groupby("plain")["conversation_id"].transform("nunique")
        within = own.sort_values("turn", kind="stable").duplicated(["conversation_id", "plain"])
        counts = own["plain"].value_counts().sort_index(kind="stable").sort_values(ascending=False, kind="stable")
        common, times = own["text"][own["plain"] == counts.index[0]].iloc[0], int(counts.iloc[0])
        repeated = float((homes > 1).mean())
        text = f"{repeated:.0%} of {name}'s {len(own)} turns stand in another of its conversations too, "
        text += f"{within.mean():.0%} earlier in the same one; the most frequent turn came {times} times."
        rows.append((name, len(own), len(counts), repeated, float(within.mean()), common, times, text))
    columns = ["name", "turns", "distinct", "repeated", "within", "most_common", "times", "sentence"]
    table = pd.DataFrame(rows, columns=columns)
    return table.sort_values("repeated", ascending=False, kind="stable").reset_index(drop=True)


def identical_conversations(turns: pd.DataFrame) -> pd.DataFrame:
    """Conversations that are the same turn by turn.

    One row a set, greatest first: names, n, conversation_ids, sentence.
    """
    ordered = turns.sort_values(["conversation_id", "turn"], kind="stable")
    rows = []
    sets: dict[tuple, list[str]] = {}
    for identity, own in ordered.groupby("conversation_id", sort=True):
        sets.setdefault(tuple(zip(own["name"], map(plain_text, own["text"]), strict=True)), []).append(str(identity))
    for key, found in sets.items():
        if len(found) > 1:
            names = " – ".join(dict.fromkeys(name for name, _ in key))
            text = f"{len(found)} conversations of {names} are the same, word for word: one of them would say as much."
            rows.append((names, len(found), found, text))
    table = pd.DataFrame(rows, columns=["names", "n", "conversation_ids", "sentence"])
    return table.sort_values("n", ascending=False, kind="stable").reset_index(drop=True)


def training_overlap(conversations: Iterable[Conversation], episodes: Iterable[Sequence[str]]) -> dict:
    """How much of the bots' conversations stands in the training data: the texts of each of its `episodes`.

    Returns the number of bots' conversations, how many hold at least one exchange (two turns in a row, the seed left
    out) that stands in `episodes`, their share, and for every contestant the share of its turns found there.
    """
    exchanges, turns = set(), set()
    for episode in episodes:
        plain = [plain_text(text) for text in episode]
        turns.update(plain)
        exchanges.update(pairwise(plain))
    total, containing = 0, 0
    counts: dict[str, list[int]] = {}
    for conversation in conversations:
        if HUMAN in conversation.entities:
            continue
        plain = [plain_text(turn.text) for turn in conversation.shown]
        total += 1
        containing += any(pair in exchanges for pair in pairwise(plain))
        for turn, text in zip(conversation.shown, plain, strict=True):
            count = counts.setdefault(turn.speaker, [0, 0])
            count[0] += text in turns
            count[1] += 1
    return {
        "conversations": total,
        "with_training_exchange": containing,
        "share": containing / total if total else None,
        "turns_found": {name: found / n for name, (found, n) in sorted(counts.items())},
    }
