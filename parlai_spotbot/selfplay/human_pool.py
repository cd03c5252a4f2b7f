"""The human-human conversations of a study: from the human pool, without their first exchange, as long as the bots'."""

from __future__ import annotations

import numpy as np

from parlai_spotbot.domains import Domain, Episode
from parlai_spotbot.records import HUMAN, Conversation, Turn
from parlai_spotbot.selfplay.schedule import conversation_id, derive
from parlai_spotbot.study import HUMAN_POOLS, Plan


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
        provenance={"fold": HUMAN_POOLS[plan.human_pool]},
    )
