"""The human-human conversations of a study: from the human pool, as long as the bots', and as theirs without the first
exchange."""

from __future__ import annotations

import numpy as np

from parlai_spotbot.domains import Domain, Episode
from parlai_spotbot.records import HUMAN, Conversation, Turn
from parlai_spotbot.selfplay.schedule import conversation_id, derive
from parlai_spotbot.study_plan import HUMAN_POOLS, Plan

PEOPLE = (HUMAN, HUMAN)


def human_conversations(plan: Plan, domain: Domain, episodes: list[Episode], count: int) -> list[Conversation]:
    """Draw `count` conversations between people (fewer where the pool is smaller), cut to the bots' length.

    The first exchange stays as context, as the bots' seed does, unless they have none. Conversations of full length
    come first; where there are too few, shorter ones that fill at least the shortest segment follow.
    """
    order = np.random.default_rng(derive(plan.seed, HUMAN)).permutation(len(episodes))
    shuffled = [episodes[int(i)] for i in order]
    seed = 0 if plan.unseeded else 1
    full = [e for e in shuffled if len(e.turns) // 2 >= seed + plan.exchanges]
    shorter = [e for e in shuffled if seed + min(plan.segments) <= len(e.turns) // 2 < seed + plan.exchanges]
    conversations = []
    for number, episode in enumerate((full + shorter)[:count]):
        exchanges = min(len(episode.turns) // 2, seed + plan.exchanges)
        conversations.append(
            Conversation(
                conversation_id=conversation_id(PEOPLE, number),
                domain=domain.name,
                pair=PEOPLE,
                number=number,
                entities=PEOPLE,
                turns=tuple(Turn(HUMAN, text) for text in episode.turns[: 2 * exchanges]),
                seed_exchanges=seed,
                seed_id=episode.episode_id,
                context=tuple(episode.context),
                provenance={"fold": HUMAN_POOLS[plan.human_pool]},
            )
        )
    return conversations
