"""Groups of conversations that are played in step, so that each model's batches are full.

A group is played as a whole: in each step a contestant answers, in one batch, all conversations of the group that wait
for it. So a group may hold each contestant `batchsize` times as the one who speaks first and as often as the second,
and it may need no more contestants than may be loaded at once. All follows from the plan.
"""

import itertools
from collections import Counter
from collections.abc import Sequence

from parlai_spotbot.study_plan import Plan

Entities = tuple[str, str]
"""Who speaks first, and the partner."""


def groups(plan: Plan, conversations: Sequence[Entities]) -> list[int]:
    """The group of each of `conversations`, which are new in `plan` and in canonical order; groups count from 0."""
    if plan.grouping == "consecutive":
        return [index // plan.batchsize for index in range(len(conversations))]
    rounds = _rounds(plan, conversations)
    numbers = [0] * len(conversations)
    first = 0
    for members in rounds:
        packed = pack([conversations[i] for i in members], plan.batchsize)
        for index, group in zip(members, packed, strict=True):
            numbers[index] = first + group
        first += 1 + max(packed)
    return numbers


def _rounds(plan: Plan, conversations: Sequence[Entities]) -> list[list[int]]:
    """The places of the conversations, those that need few contestants together.

    Contestants form blocks, half of what may be loaded. A round is what two blocks play with each other, and from
    one round to the next one block stays: to let every pair meet, about n^2 / max_loaded models are loaded in all,
    where no order could do with fewer than half of that; and batches stay as full as if all were loaded.
    """
    taking_part = {name for entities in conversations for name in entities}
    names = [name for name in plan.contestants if name in taking_part]
    size = len(names)
    if 0 < plan.max_loaded < len(names):
        size = max(1, plan.max_loaded // 2)
    block = {name: place // size for place, name in enumerate(names)}
    members: dict[tuple[int, int], list[int]] = {}
    for index, entities in enumerate(conversations):
        members.setdefault(_round_of(*(block[name] for name in entities)), []).append(index)
    return [members[key] for key in _visits(max(block.values(), default=-1) + 1) if key in members]


def _round_of(a: int, b: int) -> tuple[int, int]:
    """The two blocks, in order; what a block plays within itself is played when it is first there."""
    return (0, max(a, 1)) if a == b else (min(a, b), max(a, b))


def _visits(blocks: int) -> list[tuple[int, int]]:
    """All pairs of blocks, so that neighbours share a block; a single block goes with an empty one."""
    pairs = itertools.combinations(range(max(blocks, 2)), 2)
    return sorted(pairs, key=lambda pair: (pair[0], -pair[1] if pair[0] % 2 else pair[1]))


def pack(conversations: Sequence[Entities], most: int) -> list[int]:
    """The group of each conversation: the first in which both, in their places, stand few enough times: at most `most`.

    Conversations of different pairs take turns (the nth of each pair before the n+1st of any), so that groups mix all
    pairs. Groups are filled evenly, for a small last one would be played in small batches.
    """
    busiest = max(Counter(seat for entities in conversations for seat in enumerate(entities)).values())
    most = -(-busiest // -(-busiest // most))
    seen: Counter[frozenset] = Counter()
    sweeps = []
    for entities in conversations:
        pair = frozenset(entities)
        sweeps.append(seen[pair])
        seen[pair] += 1
    filled: list[Counter[tuple[int, str]]] = []
    full: Counter[tuple[int, str]] = Counter()  # all groups before this one are full for somebody in a place
    packed = [0] * len(conversations)
    for index in sorted(range(len(conversations)), key=sweeps.__getitem__):
        seats = list(enumerate(conversations[index]))
        group = max(full[seat] for seat in seats)
        while group < len(filled) and any(filled[group][seat] >= most for seat in seats):
            group += 1
        if group == len(filled):
            filled.append(Counter())
        for seat in seats:
            filled[group][seat] += 1
            while full[seat] < len(filled) and filled[full[seat]][seat] >= most:
                full[seat] += 1
        packed[index] = group
    return packed
