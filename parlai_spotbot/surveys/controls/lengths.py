"""Segments with the lengths of the units' items, in the same proportions, so that length does not reveal a control."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement

from parlai_spotbot.records import Conversation
from parlai_spotbot.surveys.nuc_groups import largest_remainders

Segment = tuple[Conversation, list[str]]
"""A conversation between people, and its turns as annotators would see them."""

ByLength = Mapping[int, Sequence[Segment]]
"""Segments by their number of exchanges, those that are to be taken first in front."""

Lengths = Mapping[tuple[int, ...], int]
"""How often units show conversations of these lengths in exchanges beside each other, the longest first."""


def spread(lengths: Lengths, number: int) -> list[tuple[int, ...]]:
    """Return `number` lengths in the proportion of `lengths`, the longest first."""
    longest_first = {k: lengths[k] for k in sorted(lengths, reverse=True)}
    return list(Counter(largest_remainders(longest_first, number)).elements())


def in_proportion(pools: Sequence[ByLength], lengths: Lengths, count: int) -> list[tuple[Segment, ...]]:
    """Return up to `count` sets of segments, one of each of `pools`, whose lengths are in the proportion of `lengths`.

    A conversation is used once, and no two of a seed are in a set. Of each length those that come first are taken; in
    pairs the longer one comes from either pool in turn. Where less than half of what there is could be taken in
    proportion, all that there is, whatever its length.
    """
    for number in range(count, 0, -1):
        chosen = _taken(pools, spread(lengths, number))
        if len(chosen) == number:
            break
    else:
        chosen = []
    if 2 * len(chosen) >= count:
        return chosen
    every = combinations_with_replacement(sorted(set().union(*pools), reverse=True), len(pools))
    everything = _taken(pools, [k for k in every for _ in range(count)])[:count]
    return chosen if 2 * len(chosen) >= len(everything) else everything


def _taken(pools: Sequence[ByLength], lengths_wanted: Sequence[tuple[int, ...]]) -> list[tuple[Segment, ...]]:
    """Return for each of these lengths, in their order, the first segments of conversations that are still free."""
    used: set[str] = set()
    segments: list[tuple[Segment, ...]] = []
    for lengths in lengths_wanted:
        chosen: list[Segment] = []
        for pool, k in zip(pools, lengths[::-1] if len(segments) // 4 % 2 else lengths, strict=True):
            chosen += [s for s in pool.get(k, ()) if _fits(s[0], chosen, used)][:1]
        if len(chosen) == len(pools):
            used |= {conversation.conversation_id for conversation, _ in chosen}
            segments.append(tuple(chosen))
    return segments


def _fits(conversation: Conversation, beside: Sequence[Segment], used: set[str]) -> bool:
    """Return True if a conversation is free, and neither among those `beside` it nor of a seed of theirs."""
    if conversation.conversation_id in used.union(other.conversation_id for other, _ in beside):
        return False
    return not conversation.seed_id or all(conversation.seed_id != other.seed_id for other, _ in beside)
