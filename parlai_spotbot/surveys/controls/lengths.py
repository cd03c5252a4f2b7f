"""Items as patterns of controls, so that neither lengths, punctuation nor kind tell a control from an item."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from parlai_spotbot.records import Conversation, Item

Segment = tuple[Conversation, list[str]]
"""A conversation between people, and its turns as annotators would see them."""


def drawn(items: Sequence[Item], count: int, kind: Callable[[Item], Any], rng: random.Random) -> list[Item]:
    """Return `count` of the items in drawn order, of each kind and number of turns in proportion.

    None comes more than once more often than another.
    """
    order = rng.sample(items, len(items))
    order.sort(key=lambda item: (*map(len, item.transcripts), kind(item)))
    first = rng.random()
    if not order:
        return []
    chosen = [order[int((place + first) * len(order) / count)] for place in range(count)]
    return rng.sample(chosen, len(chosen))


def most_alike(patterns: Sequence[Sequence[str]], segments: Callable[[int], Sequence[Segment]]) -> list[Segment | None]:
    """Return for each pattern one of the segments with its number of turns; None for patterns without one.

    A segment is used once, and together they differ from the patterns as little as they can in characters. Where there
    are fewer segments than patterns of a length, the first of them get one, and as large a share of each other length.
    """
    from scipy.sparse import csr_array  # the operator imports this module, and packs nothing
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    chosen: list[Segment | None] = [None] * len(patterns)
    places: dict[int, list[int]] = {}
    for place, turns in enumerate(patterns):
        places.setdefault(len(turns), []).append(place)
    fitting = {size: spare for size in sorted(places) if (spare := segments(size))}
    share = min((len(fitting[size]) / len(places[size]) for size in fitting), default=0)
    for size, spare in fitting.items():
        first = places[size][: max(1, round(share * len(places[size])))]
        target_measures = _measures([patterns[p] for p in first], size)
        offered = _measures([turns for _, turns in spare], size)
        distances = np.abs(target_measures[:, None] - offered).sum(axis=2) + 1  # 0 would be no edge
        for row, column in zip(*min_weight_full_bipartite_matching(csr_array(distances)), strict=True):
            chosen[first[row]] = spare[column]
    return chosen


def _measures(texts: Sequence[Sequence[str]], size: int) -> np.ndarray:
    """Return characters by turn, and of each speaker in all; rows of `size` + 2."""
    counts = np.zeros((len(texts), size), dtype=int)
    for row, turns in enumerate(texts):
        counts[row, : len(turns)] = list(map(len, turns))
    return np.column_stack([counts, counts[:, ::2].sum(1), counts[:, 1::2].sum(1)])
