"""Segments whose lengths are in the proportion of what units show, so that its length tells no control."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations_with_replacement
from typing import TypeVar

from parlai_spotbot.records import Conversation

Segment = tuple[Conversation, list[str]]
"""A conversation between people, and its turns as annotators would see them."""

ByLength = Mapping[int, Sequence[Segment]]
"""Segments by their number of exchanges, those that are to be taken first in front."""

Length = TypeVar("Length", int, tuple[int, int])
Found = TypeVar("Found")


def spread(lengths: Mapping[Length, int], number: int) -> list[Length]:
    """`number` lengths in the proportion of `lengths` (largest remainders), the longest first."""
    total = sum(lengths.values())
    exact = {k: number * count / total for k, count in lengths.items()}
    given = {k: int(share) for k, share in exact.items()}
    longest_first = sorted(given, reverse=True)
    for k in sorted(longest_first, key=lambda k: given[k] - exact[k])[: number - sum(given.values())]:
        given[k] += 1
    return [k for k in longest_first for _ in range(given[k])]


def in_proportion(by_length: ByLength, lengths: Mapping[int, int], wanted: int) -> list[Segment]:
    """Up to `wanted` segments, a conversation once, whose lengths are in the proportion of `lengths`.

    Of each length those that come first are taken. Where less than half of what there is could be taken in proportion,
    all that there is, whatever its length.
    """
    return _most(partial(_taken, by_length), lengths, wanted, sorted(by_length, reverse=True))


def pairs_in_proportion(
    first: ByLength, second: ByLength, lengths: Mapping[tuple[int, int], int], wanted: int
) -> list[tuple[Segment, Segment]]:
    """Up to `wanted` pairs of segments, one of `first` and one of `second`, a conversation once and no two of a seed in
    a pair; `lengths` counts pairs of lengths, the longer one in front. The longer one comes from either in turn.

    Otherwise as `in_proportion`.
    """
    both = sorted(first.keys() | second.keys(), reverse=True)
    return _most(partial(_pairs, first, second), lengths, wanted, list(combinations_with_replacement(both, 2)))


def _most(
    take: Callable[[Sequence[Length]], list[Found]], lengths: Mapping[Length, int], wanted: int, every: Sequence[Length]
) -> list[Found]:
    """As many as there are in proportion; all that there is, where these are less than half of it."""
    for number in range(wanted, 0, -1):
        chosen = take(spread(lengths, number))
        if len(chosen) == number:
            break
    else:
        chosen = []
    if 2 * len(chosen) >= wanted:
        return chosen
    everything = take([k for k in every for _ in range(wanted)])[:wanted]
    return chosen if 2 * len(chosen) >= len(everything) else everything


def _taken(by_length: ByLength, wanted: Sequence[int]) -> list[Segment]:
    """For each of these lengths, in their order, the first segment of a conversation that is still free."""
    waiting = {k: iter(segments) for k, segments in by_length.items()}
    taken: dict[str, Segment] = {}
    for k in wanted:
        found = next((s for s in waiting.get(k, iter(())) if s[0].conversation_id not in taken), None)
        if found:
            taken[found[0].conversation_id] = found
    return list(taken.values())


def _pairs(first: ByLength, second: ByLength, wanted: Sequence[tuple[int, int]]) -> list[tuple[Segment, Segment]]:
    """For each of these pairs of lengths, in their order, the first two segments of conversations that are free."""
    used: set[str] = set()
    found = []
    for longer, shorter in wanted:
        own, other = (longer, shorter) if len(found) // 4 % 2 == 0 else (shorter, longer)
        one = next((s for s in first.get(own, ()) if s[0].conversation_id not in used), None)
        two = one and next((s for s in second.get(other, ()) if _fits(s[0], one[0], used)), None)
        if one and two:
            used |= {one[0].conversation_id, two[0].conversation_id}
            found.append((one, two))
    return found


def _fits(conversation: Conversation, beside: Conversation, used: set[str]) -> bool:
    """Whether it is free, and neither `beside` itself nor of its seed."""
    if conversation.conversation_id in used | {beside.conversation_id}:
        return False
    return not conversation.seed_id or conversation.seed_id != beside.seed_id
