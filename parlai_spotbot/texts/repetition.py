"""Texts that say more of a bot's memory than of its wit: turns said again and again, conversations that are the same,
and turns that stand in the training data (section 4 of the paper: 2 % of the bots' conversations).

Texts are compared by their letters and digits alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from parlai_spotbot.records import HUMAN, Conversation
from parlai_spotbot.texts.comparison import plain_text


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


def training_overlap(turns: pd.DataFrame, episodes: Iterable[Sequence[str]]) -> tuple[pd.DataFrame, dict]:
    """How much of what was said stands in the training data.

    Parameters
    ----------
    turns : frame
        As `turns_frame` makes it; people's conversations are passed over.
    episodes : iterable of sequences of str
        The texts of each training conversation, turn by turn.

    Returns
    -------
    frame
        One row a bot: name, turns, found (share of its turns that stand in the training data), `answers` (share of
        its answers which stand there as the answer to the very turn before), sentence.
    dict
        conversations, with_training_exchange (those with two turns in a row that stand there in a row, as the paper
        counts), share, sentence.
    """
    known, exchanges = set(), set()
    for episode in episodes:
        plain = [plain_text(text) for text in episode]
        known.update(plain)
        exchanges.update(pairwise(plain))
    ordered = turns.sort_values(["conversation_id", "turn"], kind="stable")
    people = ordered.groupby("conversation_id")["name"].transform(lambda names: (names == HUMAN).any()).astype(bool)
    ordered = ordered[~people]
    plain = ordered["text"].map(plain_text)
    home = ordered["conversation_id"].to_numpy(dtype=object)
    before = plain.shift(1).to_numpy(dtype=object)
    answers = np.concatenate([[False], home[1:] == home[:-1]])[: len(ordered)]
    pair = np.array([a and (b, t) in exchanges for a, b, t in zip(answers, before, plain, strict=True)], dtype=bool)
    told = ordered.assign(found=plain.isin(known).to_numpy(), answers=answers, pair=pair)
    rows = []
    for name, own in told.groupby("name", sort=True):
        found = float(own["found"].mean())
        same = float(own["pair"].sum() / own["answers"].sum()) if own["answers"].any() else np.nan
        text = f"{found:.0%} of {name}'s {len(own)} turns stand word for word in the training data"
        rows.append(
            (name, len(own), found, same, text + (f", {same:.0%} as the same answer." if np.isfinite(same) else "."))
        )
    table = pd.DataFrame(rows, columns=["name", "turns", "found", "answers", "sentence"])
    total, containing = told["conversation_id"].nunique(), int(told.groupby("conversation_id")["pair"].any().sum())
    share = containing / total if total else np.nan
    text = f"{containing} of {total} conversations of bots hold an exchange that stands in the training data."
    return table, {"conversations": total, "with_training_exchange": containing, "share": share, "sentence": text}
