"""Several questions on one set of pairs of conversations, to find the wording that people answer alike (Li, Weston &
Roller 2019, "Question Optimization": independent trials, each of one question, on the same conversations).

The pairs are chosen as if for one question, then put for each. A unit asks one question only, so that no wording
colours the answers to another; the units that put the same pairs for the other questions are rotations of its block, of
which nobody gets two.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from parlai_spotbot.records import Conversation, Item, Unit
from parlai_spotbot.surveys.judged import WholeOptions, canonical, whole_item
from parlai_spotbot.surveys.pairing import choose, choose_from, turned
from parlai_spotbot.surveys.whole_units import deal, pack_blocks


def pack_same_pairs(
    conversations: Iterable[Conversation], options: WholeOptions, existing: Sequence[Unit] = ()
) -> list[Unit]:
    """The units to add to `existing`, so that every cell has its comparisons, each of them on every question.

    A question that came later is put for the pairs that are there, too. The result depends on conversations and options
    only, not on their order. Raises `UserError` where there are no two contestants to compare.
    """
    usable = canonical(conversations)
    by_id = {c.conversation_id: c for c in usable}
    rng = random.Random(f"same pairs {options.survey} {options.seed}")
    first, put = put_already(existing)
    cells, pools, wanted, shown = choose_from(usable, replace(options, spread=""), first.values())
    pairs = [(item.conversation_ids, item.judged) for item in first.values()]
    pairs += [turned(ids, seats, rng) for _, ids, seats in choose(cells, pools, wanted, shown, rng)]

    alike: dict[tuple[str, ...], list[dict[str, Item]]] = {}
    for ids, seats in pairs:
        lacking = tuple(q for q in options.questions if q not in put.get(frozenset(ids), ()))
        if lacking:
            talks = [by_id[i] for i in ids]
            alike.setdefault(lacking, []).append(
                {q: whole_item(talks, seats, options.put([q]), options) for q in lacking}
            )
    seeds = {c.conversation_id: c.seed_id for c in usable}
    blocks = [
        [[member[q] for member in group] for q in lacking]
        for lacking, members in alike.items()
        for group in _groups(members, options.unit_size, seeds)
    ]
    return pack_blocks(blocks, options, existing)


def put_already(units: Iterable[Unit]) -> tuple[dict[frozenset[str], Item], dict[frozenset[str], set[str]]]:
    """Of each pair of conversations that stands in `units`: the first of its items, and the questions put for it."""
    first: dict[frozenset[str], Item] = {}
    put: dict[frozenset[str], set[str]] = {}
    for unit in units:
        for item in unit.items:
            pair = frozenset(item.conversation_ids)
            first.setdefault(pair, item)
            put.setdefault(pair, set()).update(item.questions[:1])
    return first, put


def _groups(members: Sequence[dict[str, Item]], size: int, seeds: Mapping[str, str]) -> list[list[dict[str, Item]]]:
    """The pairs, each as its items by question, in groups that may be one annotator's."""
    of = {next(iter(member.values())).item_id: member for member in members}
    return [[of[item.item_id] for item in group] for group in deal([m[next(iter(m))] for m in members], size, seeds)]
