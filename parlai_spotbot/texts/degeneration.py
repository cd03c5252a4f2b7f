"""Degeneration of bots in self-chats, and how much of their talk is learnt by heart (Li et al. 2019).

A turn goes round in circles where the same words come again and again in it, where its speaker said it before, or where
it repeats the partner's. A bot degenerates in self-chat where that happens clearly more often than in its conversations
with others; where there are none, than in other bots' self-chats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np
import pandas as pd

from parlai_spotbot.analysis.uncertainty.clusters import Clusters
from parlai_spotbot.analysis.uncertainty.corrections import adjust
from parlai_spotbot.analysis.uncertainty.estimates import group_means
from parlai_spotbot.analysis.uncertainty.shares import share_interval
from parlai_spotbot.records import HUMAN, KINDS, Conversation
from parlai_spotbot.texts.hygiene import faults, turns_of
from parlai_spotbot.texts.normal_forms import plain_text
from parlai_spotbot.wording import points

CIRCLES = ("loop", "repeated", "copied")
ALPHA = 0.05


def circling_turns(conversations: Sequence[Conversation]) -> pd.DataFrame:
    """One row a shown turn: conversation_id, turn, name, kind (of the conversation), text, circles (True or False)."""
    turns = turns_of(conversations)
    kinds = {c.conversation_id: c.kind for c in conversations}
    series = faults(turns)[list(CIRCLES)].any(axis=1) if len(turns) else pd.Series(dtype=bool)
    kept = turns[["conversation_id", "turn", "name", "text"]]
    return kept.assign(kind=turns["conversation_id"].map(kinds), circles=series.to_numpy(dtype=bool))


def degeneration(conversations: Sequence[Conversation], bots: Sequence[str]) -> dict:
    """Measure how often each contestant goes round in circles, by kind of conversation, and which do clearly more in
    self-chats.

    Returns
    -------
    dict
        `shares` [{name, kind, turns, conversations, share, ci}]; `tests` {bot: {"against" ("its other conversations" or
        "the other bots' self-chats"), "share", "other", "estimate", "ci", "p", "p_adjusted", "degenerates", "sentence",
        "example"}}; `why` where there are no self-chats.
    """
    turns = circling_turns(conversations)
    shares = [
        {
            "name": name,
            "kind": kind,
            "turns": len(rows),
            "conversations": int(rows["conversation_id"].nunique()),
            "share": float(rows["circles"].mean()),
            "ci": share_interval(rows["circles"], Clusters.by(rows["conversation_id"])),
        }
        for (name, kind), rows in turns.groupby(["name", "kind"], sort=True)
    ]
    tests = {bot: test for bot in bots if (test := _test(turns, bot))}
    tested = [bot for bot in tests if np.isfinite(tests[bot]["p"])]
    for bot, p in zip(tested, adjust(np.array([tests[bot]["p"] for bot in tested])), strict=True):
        tests[bot]["p_adjusted"] = float(p)
    for bot, test in tests.items():
        test.setdefault("p_adjusted", np.nan)
        test["degenerates"] = bool(test["p_adjusted"] < ALPHA and test["estimate"] > 0)
        test["sentence"] = _sentence(bot, test)
    result: dict = {"shares": shares, "tests": tests}
    return result if tests else result | {"why": "no contestant talked to itself"}


def _test(turns: pd.DataFrame, bot: str) -> dict | None:
    """A bot's turns in self-chats against its others; None without self-chats of its own."""
    chats = turns[turns["kind"] == "self"]
    chat = chats[chats["name"] == bot]
    if chat.empty:
        return None
    other, against = turns[(turns["name"] == bot) & (turns["kind"] != "self")], "its other conversations"
    if other.empty:
        other, against = chats[chats["name"] != bot], "the other bots' self-chats"
    result = {
        "against": against,
        "share": float(chat["circles"].mean()),
        "turns": len(chat),
        "other": np.nan,
        "estimate": np.nan,
        "ci": (np.nan, np.nan),
        "p": np.nan,
    }
    if len(other):
        both = pd.concat([chat, other])
        group = np.repeat([0, 1], [len(chat), len(other)])
        clusters = Clusters.by(both["conversation_id"])
        means = group_means(both["circles"].to_numpy(dtype=float), group, 2, clusters, bounds=(0.0, 1.0))
        test = means.contrast(np.array([1.0, -1.0]))
        result |= {key: test[key] for key in ("estimate", "ci", "p")} | {"other": float(means.values[1])}
    worst = chat[chat["circles"]]
    if len(worst):
        often = worst["conversation_id"].value_counts().sort_index().idxmax()
        result["example"] = {"conversation_id": often, "text": worst[worst["conversation_id"] == often]["text"].iloc[0]}
    return result


def _sentence(bot: str, test: dict) -> str:
    text = f"In self-chats {test['share']:.0%} of {bot}'s {test['turns']} turns go round in circles"
    if not np.isfinite(test["p"]):
        return f"{text}; there is nothing to compare it with."
    low, high = test["ci"]
    text += f", {test['other']:.0%} in {test['against']} (difference {points(test['estimate'])} points, "
    text += f"{points(low)} to {points(high)})"
    if test["degenerates"]:
        return f"{text}: it degenerates in self-chat, so results from its self-chats speak of that."
    return f"{text}: no clear sign that it degenerates in self-chat."


def call_responses(
    conversations: Sequence[Conversation], training: Iterable[Sequence[str]] | None, why: str = ""
) -> dict:
    """Measure which share of each bot's answers is in the training data as the answer to the same turn.

    Texts are compared by their words alone. `training` holds the turns of each conversation that the bots know.

    Returns
    -------
    dict
        `shares` [{name (who answers), kind, pairs, found, share, ci, conversations, common (the most frequent pair
        found), times, sentence}]; `why` where `training` isn't there.
    """
    if training is None:
        return {"shares": [], "why": why or "the data that the bots know are not there"}
    pairs: set[tuple[str, str]] = set()
    for episode in training:
        pairs.update(pairwise(plain_text(text) for text in episode))
    rows = []
    for conversation in conversations:
        seed = 2 * conversation.seed_exchanges
        plain = [plain_text(turn.text) for turn in conversation.turns]
        for place, turn in enumerate(conversation.shown, start=seed):
            if turn.speaker != HUMAN and place > seed:
                pair = (plain[place - 1], plain[place])
                rows.append((turn.speaker, conversation.kind, conversation.conversation_id, pair in pairs, pair))
    frame = pd.DataFrame(rows, columns=["name", "kind", "conversation_id", "found", "pair"])
    shares = [
        _share(str(name), str(kind), group_rows)
        for (name, kind), group_rows in frame.groupby(["name", "kind"], sort=True)
    ]
    return {"shares": shares}


def _share(name: str, kind: str, rows: pd.DataFrame) -> dict:
    hits = rows[rows["found"]]
    common, times = min(Counter(hits["pair"]).items(), key=lambda entry: (-entry[1], entry[0]), default=(None, 0))
    share, ci = float(rows["found"].mean()), share_interval(rows["found"], Clusters.by(rows["conversation_id"]))
    sentence = (
        f"{share:.1%} of {name}'s {len(rows)} answers in conversations of {KINDS[kind]} come from the training data "
        f"together with the turn they answer ({ci[0]:.1%} to {ci[1]:.1%})"
    )
    sentence += f"; the most frequent such pair came {times} times." if times > 1 else "."
    return {
        "name": name,
        "kind": kind,
        "pairs": len(rows),
        "found": len(hits),
        "share": share,
        "ci": ci,
        "conversations": int(hits["conversation_id"].nunique()),
        "common": list(common) if common else None,
        "times": times,
        "sentence": sentence,
    }
