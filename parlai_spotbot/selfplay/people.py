"""Conversations between people that are mixed into a study."""

import math

import numpy as np

from parlai_spotbot.domains import Domain
from parlai_spotbot.records import HUMAN, Conversation, Turn
from parlai_spotbot.selfplay.schedule import conversation_id
from parlai_spotbot.selfplay.seeds import derive
from parlai_spotbot.study_plan import HUMAN_POOLS, Plan

PEOPLE = (HUMAN, HUMAN)

KEPT = 4
"""One in this many that fit is kept for controls, unless the plan says how many people's conversations are mixed in."""


def wanted_people(plan: Plan) -> int:
    """Return the number of human-human conversations: the plan's, or one for three of the bots'."""
    if plan.human_conversations >= 0:
        return plan.human_conversations
    return math.ceil(plan.bot_conversations / 3)


def most_people(plan: Plan, fitting: int) -> int:
    """Return how many of the human-human conversations that fit are mixed in at most."""
    if plan.human_conversations >= 0:
        return fitting
    return fitting - fitting // KEPT


def draw_people(plan: Plan, domain: Domain, there: int = 0) -> list[Conversation]:
    """Draw conversations between people (fewer than wanted where the pool is smaller), cut to the bots' length.

    Those that are `there` already stay. The first exchange stays as context, as the bots' seed does, unless they have
    none. Conversations of full length come first; where there are too few, shorter ones that fill at least the shortest
    segment follow.
    """
    episodes = domain.episodes(HUMAN_POOLS[plan.human_pool])
    order = np.random.default_rng(derive(plan.seed, HUMAN)).permutation(len(episodes))
    shuffled = [episodes[i] for i in order]
    seed = 0 if plan.unseeded else 1
    most = seed + plan.exchanges
    fitting = [episode for episode in shuffled if len(episode.turns) // 2 >= seed + min(plan.segments)]
    fitting.sort(key=lambda episode: len(episode.turns) // 2 < most)
    number_drawn = min(wanted_people(plan), max(there, most_people(plan, len(fitting))))
    conversations = []
    for number, episode in enumerate(fitting[:number_drawn]):
        exchanges = min(len(episode.turns) // 2, most)
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
