"""Segments whose lengths are in the proportion of the units' segments, so that its length tells no control."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from parlai_spotbot.records import Conversation

Segment = tuple[Conversation, list[str]]
"""A conversation between people, and its turns as annotators would see them."""


def spread(lengths: Mapping[int, int], number: int) -> list[int]:
    """`number` lengths in the proportion of `lengths` (largest remainders), the longest first."""
    total = sum(lengths.values())
    exact = {k: number * count / total for k, count in lengths.items()}
    given = {k: int(share) for k, share in exact.items()}
    for k in sorted(exact, key=lambda k: (given[k] - exact[k], -k))[: number - sum(given.values())]:
        given[k] += 1
    return [k for k in sorted(given, reverse=True) for _ in range(given[k])]


def in_proportion(by_length: Mapping[int, Sequence[Segment]], lengths: Mapping[int, int], wanted: int) -> list[Segment]:
    """Up to `wanted` segments, a conversation once, whose lengths are in the proportion of `lengths`.

    Of each length those that come first are taken. Where less than half of what there is could be taken in proportion,
    all that there is, whatever its length.
    """
    for number in range(wanted, 0, -1):
        chosen = _taken(by_length, spread(lengths, number))
        if len(chosen) == number:
            break
    else:
        chosen = []
    if 2 * len(chosen) >= wanted:
        return chosen
    everything = _taken(by_length, [k for k in sorted(by_length, reverse=True) for _ in range(wanted)])[:wanted]
    return chosen if 2 * len(chosen) >= len(everything) else everything


def _taken(by_length: Mapping[int, Sequence[Segment]], wanted: Sequence[int]) -> list[Segment]:
    """For each of these lengths, in their order, the first segment of a conversation that is still free."""
    waiting = {k: iter(segments) for k, segments in by_length.items()}
    taken: dict[str, Segment] = {}
    for k in wanted:
        found = next((s for s in waiting.get(k, iter(())) if s[0].conversation_id not in taken), None)
        if found:
            taken[found[0].conversation_id] = found
    return list(taken.values())
