"""The human-human conversations of a study: from the human pool, without their first exchange, as long as the bots'.

Also how much of what bots say stands in the data they learned from (paper, section 4: 2 % of the conversations).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from parlai_spotbot.domains import Domain, Episode
from parlai_spotbot.records import HUMAN, Conversation, Turn
from parlai_spotbot.selfplay.schedule import conversation_id, derive
from parlai_spotbot.study import Plan


def human_conversations(plan: Plan, domain: Domain, episodes: list[Episode], wanted: int) -> list[Conversation]:
    """Draw `wanted` conversations between people (fewer where the pool is smaller), cut to the bots' length.

    The first exchange stays as context, as the bots' seed does. Conversations of full length come first; where there
    are too few, shorter ones that fill at least the shortest segment follow.
    """
    order = np.random.default_rng(derive(plan.seed, HUMAN)).permutation(len(episodes))
    shuffled = [episodes[int(i)] for i in order]
    full = [e for e in shuffled if len(e.turns) // 2 >= 1 + plan.exchanges]
    shorter = [e for e in shuffled if 1 + min(plan.segments) <= len(e.turns) // 2 < 1 + plan.exchanges]
    chosen = (full + shorter)[:wanted]
    return [_conversation(plan, domain, episode, number) for number, episode in enumerate(chosen)]


def _conversation(plan: Plan, domain: Domain, episode: Episode, number: int) -> Conversation:
    exchanges = min(len(episode.turns) // 2, 1 + plan.exchanges)
    pair = (HUMAN, HUMAN)
    return Conversation(
        conversation_id=conversation_id(pair, number),
        domain=domain.name,
        pair=pair,
        number=number,
        entities=pair,
        turns=tuple(Turn(HUMAN, text) for text in episode.turns[: 2 * exchanges]),
        seed_exchanges=1,
        seed_id=episode.episode_id,
        context=tuple(episode.context),
        provenance={"fold": "humans"},
    )


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.lower()))


def overlap(conversations: Iterable[Conversation], episodes: Iterable[Episode]) -> dict:
    """How much of the bots' conversations stands in the training data, letters and digits compared only.

    Returns the number of bots' conversations, how many hold at least one exchange (two turns in a row, the seed left
    out) that stands in `episodes`, their share, and for every contestant the share of its turns found there.
    """
    exchanges, turns = set(), set()
    for episode in episodes:
        plain = [_plain(text) for text in episode.turns]
        turns.update(plain)
        exchanges.update(pairwise(plain))
    total, containing = 0, 0
    counts: dict[str, list[int]] = {}
    for conversation in conversations:
        if HUMAN in conversation.entities:
            continue
        plain = [_plain(turn.text) for turn in conversation.shown]
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
