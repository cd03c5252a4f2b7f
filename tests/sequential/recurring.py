"""Simulated studies of equally good contestants whose conversations hang together, served by the course itself.

With seeds that recur, as `--paired-seeds` plays them, each contestant does better or worse with each seed. Of copies,
the same one does better in all of them. So every verdict is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from parlai_spotbot.records import Conversation, Item, Turn, Utterance, indexed
from parlai_spotbot.sequential.course import Course
from parlai_spotbot.sequential.registration import Registration
from parlai_spotbot.texts.repetition import near_copies
from tests.sequential.simulated import LEVEL, Crowd

SHOWN = (Utterance(0, "hello"), Utterance(1, "hello"))
GREETING = (Turn("a", "hello"), Turn("b", "hello"))

WORDS = 60
"""Words that a text is made of."""


def plan_of(bots: int, budget: int, items: int) -> Registration:
    """Return a plan of so many contestants, by which `items` are shown to a person."""
    names = tuple(f"bot{number:02}" for number in range(bots))
    return Registration("spot_the_bot", "nature", "human", names, LEVEL, 0.0, budget, items, 0.0, 0, "", "")


def talks_of(names: Sequence[str], seeds: int) -> dict[str, Conversation]:
    """Return the conversations of each two on the same seeds; either is shown first in turns."""
    talks = []
    for a, b in combinations(names, 2):
        for seed in range(seeds):
            sides = (a, b) if seed % 2 else (b, a)
            turns = GREETING
            talks.append(
                Conversation(f"{a}:{b}:{seed}", "chitchat", (a, b), seed, sides, turns, seed_id=f"seed {seed}")
            )
    return indexed(talks)


def copies_of(names: Sequence[str], texts: int, copies: int) -> tuple[dict[str, Conversation], dict[str, int]]:
    """Return conversations of each two, so many near-copies of each of so many texts, and the text of each."""
    rng = np.random.default_rng(5)
    talks, text_of = [], {}
    for a, b in combinations(names, 2):
        for text in range(texts):
            words = [f"w{number}" for number in rng.integers(10_000, size=WORDS)]
            for copy in range(copies):
                said = [*words[:-1], f"w{copy}"]
                turns = (*GREETING, Turn(a, " ".join(said[::2])), Turn(b, " ".join(said[1::2])))
                name = f"{a}:{b}:{text}:{copy}"
                sides = (a, b) if text % 2 else (b, a)
                talks.append(Conversation(name, "chitchat", (a, b), text * copies + copy, sides, turns))
                text_of[name] = len(text_of) // copies
    return indexed(talks), text_of


def pool_of(talks: Mapping[str, Conversation], without: Mapping[str, str] | None = None) -> list[Item]:
    """Return an item of each conversation, but for those that stand in for another."""
    kept = [name for name in talks if (without or {}).get(name, name) == name]
    return [Item(f"{name}-2", (name,), 2, (SHOWN,)) for name in kept]


def seed_effects(talks: Mapping[str, Conversation], plan: Registration, rng: np.random.Generator, sd: float) -> dict:
    """Return by how much each conversation's first contestant does better, in logits, by its seed."""
    liked: dict[tuple[str, str], float] = {}
    effects = {}
    for name, talk in talks.items():
        for who in talk.entities:
            if (who, talk.seed_id) not in liked:
                liked[who, talk.seed_id] = rng.normal(0, sd)
        first, second = talk.entities
        effects[name] = liked[first, talk.seed_id] - liked[second, talk.seed_id]
    return effects


def text_effects(
    talks: Mapping[str, Conversation], texts: Mapping[str, int], rng: np.random.Generator, sd: float
) -> dict:
    """Return by how much each conversation's first contestant does better, in logits, by its text."""
    gains = rng.normal(0, sd, max(texts.values()) + 1)
    sides = {name: 1 if talk.entities[0] < talk.entities[1] else -1 for name, talk in talks.items()}
    return {name: sides[name] * gains[text] for name, text in texts.items()}


def finds_a_winner(
    plan: Registration, pool: Sequence[Item], talks: Mapping[str, Conversation], effects: Mapping[str, float], seed: int
) -> bool:
    """Serve a study until it ends; return True if a verdict was given."""
    rng = np.random.default_rng(seed)
    crowd = Crowd()
    course = Course(replace(plan, seed=seed), pool, talks)
    while unit := course.draw():
        pairs = course.blocks[unit.unit_id].pairs
        a, b = (np.array([pair[side] for pair in pairs]) for side in (1, 2))
        taste = rng.normal(0, crowd.taste, len(plan.contestants))
        gains = np.array([effects[item.removesuffix("-2")] for item, _, _ in pairs])
        points = crowd.answers(rng, taste[a] - taste[b] + gains)
        course.close(unit.unit_id, dict(zip([item for item, _, _ in pairs], points.tolist(), strict=True)))
    return bool((np.abs(course.evidence.verdict) == 1).any())


def by_seeds(bots: int, seeds: int, studies: int, sd: float = 1.0) -> float:
    """Return the share of studies with a verdict, where the same seeds recur in all pairs."""
    plan = plan_of(bots, seeds * bots * (bots - 1), 5)
    talks = talks_of(plan.contestants, seeds)
    pool = pool_of(talks)
    rng = np.random.default_rng(7)
    wrong = [finds_a_winner(plan, pool, talks, seed_effects(talks, plan, rng, sd), seed) for seed in range(studies)]
    return float(np.mean(wrong))


def by_copies(bots: int, texts: int, copies: int, studies: int, once: bool = True, sd: float = 1.0) -> float:
    """Return the share of studies with a verdict, where conversations are copies; not `once`: as if they were not."""
    plan = plan_of(bots, texts * copies * bots * (bots - 1), 5)
    talks, text_of = copies_of(plan.contestants, texts, copies)
    pool = pool_of(talks, near_copies(list(talks.values())) if once else None)
    rng = np.random.default_rng(7)
    wrong = [finds_a_winner(plan, pool, talks, text_effects(talks, text_of, rng, sd), seed) for seed in range(studies)]
    return float(np.mean(wrong))
