"""Training segments of the spotter: people of the judges' fold, and bots other than the judged ones.

For a conversation of the bots a and b the examples are the study's conversations in which neither takes part. Where
these are few, bots shipped with us are in, as they talk to each other from openings of the judges' fold.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from parlai_spotbot.judges import identifier
from parlai_spotbot.records import HUMAN, Conversation
from parlai_spotbot.study_plan import Plan

MAX_EPISODES = 300
"""The most episodes of people, drawn by the seed: more cost time and bring little."""

MIN_CONVERSATIONS = 20
"""With fewer conversations of other bots than this, stand-ins are added."""

MAX_CONVERSATIONS = 150
"""The most conversations of other bots for one model, drawn by the seed."""


MOST = 10_000
"""Characters of a turn that are read."""


@dataclass(frozen=True)
class EntityExample:
    """One entity of one segment: its turns are ``texts[entity::2]``.

    `who` is a contestant or "human", `speaker` the contestant or the single person, where known; `others` are further
    speakers whose words are in it, `origin` the conversation of people that was spoilt, where it is one.
    """

    texts: tuple[str, ...]
    entity: int
    who: str
    conversation: str
    speaker: str = ""
    others: tuple[str, ...] = ()
    origin: str = ""

    @property
    def own(self) -> tuple[str, ...]:
        return self.texts[self.entity :: 2]


def both(
    texts: tuple[str, ...], entities: tuple[str, str], conversation: str, speakers: tuple[str, ...] = ()
) -> list[EntityExample]:
    """The two examples of one segment; `speakers` are the entities where not said otherwise."""
    speakers = speakers or entities
    texts = tuple(text[:MOST] for text in texts)
    return [EntityExample(texts, entity, entities[entity], conversation, speakers[entity]) for entity in (0, 1)]


def of_people(
    episodes: Iterable, lengths: Iterable[int], seed: int, show: Callable[[str], str], start: int = 2
) -> list[EntityExample]:
    """Segments of people's episodes from turn `start` on: without the first exchange, which the study's human
    conversations lose, unless its conversations have no seed.

    `show` brings a turn into the surface form in which the units show it.
    """
    episodes = [e for e in episodes if len(e.turns) >= start + 2 * min(lengths)]
    if len(episodes) > MAX_EPISODES:
        order = np.random.default_rng(seed).permutation(len(episodes))[:MAX_EPISODES]
        episodes = [episodes[i] for i in sorted(order)]
    examples = []
    for episode in episodes:
        texts = tuple(show(text) for text in episode.turns[start:])
        people = [episode.episode_id] * 2
        if len(episode.people) == 2 and all(episode.people):
            people = episode.people
        speakers = tuple(f"person {person}" for person in people)
        for k in lengths:
            if len(texts) >= 2 * k:
                examples += both(texts[: 2 * k], (HUMAN, HUMAN), episode.episode_id, speakers)
    return examples


def of_bots(
    conversations: Iterable[Conversation], lengths: Iterable[int], show: Callable[[str], str]
) -> list[EntityExample]:
    """Segments of conversations between bots."""
    examples = []
    for conversation in conversations:
        texts = tuple(show(turn.text) for turn in conversation.shown)
        for k in lengths:
            if k <= conversation.exchanges:
                examples += both(texts[: 2 * k], conversation.entities, conversation.conversation_id)
    return examples


def replies(example: EntityExample, to: bool = False) -> list[tuple[str, str]]:
    """The partner's last turn and the entity's answer to it; the segment's first turn answers nothing shown.

    With `to`, the entity's turn and the partner's answer to it.
    """
    begins = example.entity == 0
    first = 1
    if begins != to:
        first = 2
    return [(example.texts[i - 1], example.texts[i]) for i in range(first, len(example.texts), 2)]


def kin(plan: Plan, bots: Iterable[str]) -> set[str]:
    """`bots` and the contestants that are the same model under another name, perhaps with other options."""
    model = {name: (entry.model, entry.model_file) for name, entry in plan.contestants.items()}
    models = {model[bot] for bot in bots if bot in model}
    return set(bots) | {name for name, key in model.items() if key in models}


def without(conversations: Iterable[Conversation], excluded: set[str]) -> list[Conversation]:
    """The conversations between bots of which none is in `excluded`."""
    return [c for c in conversations if HUMAN not in c.entities and not excluded & set(c.entities)]


def assign(keys: list[tuple[str, ...]], conversation: str, seed: int) -> tuple[str, ...]:
    """The model that judges a conversation without bots: drawn by the seed, one for all its segments."""
    return keys[int(identifier(seed, "assign", conversation), 16) % len(keys)]
