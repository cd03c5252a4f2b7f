"""From items of whole conversations to units: no unit shows a conversation or a seed in two items.

Within an item of two conversations both may have the same seed: it isn't shown, and a common beginning only makes the
comparison fairer.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

from parlai_spotbot.records import Conversation, Item, Unit
from parlai_spotbot.surveys.ids import opaque
from parlai_spotbot.surveys.packing.units_file import unit_of
from parlai_spotbot.surveys.packing.whole_items import WholeOptions, whole_item


def marks(item: Item, seeds: Mapping[str, str]) -> set[str]:
    """Return the item's conversations and seeds, which no other item of a unit may show."""
    names = {f"conversation {i}" for i in item.conversation_ids}
    return names | {f"seed {seeds[i]}" for i in item.conversation_ids if seeds.get(i)}


def deal(items: Sequence[Item], size: int, seeds: Mapping[str, str]) -> list[list[Item]]:
    """Return groups of at most `size` items, as equal as possible; each item goes where it first fits."""
    groups: list[list[Item]] = []
    open_: list[tuple[list[Item], set[str]]] = []
    most = -(-len(items) // -(-len(items) // size)) if items else size
    for item in items:
        item_marks = marks(item, seeds)
        fit = next((pair for pair in open_ if pair[1].isdisjoint(item_marks)), None)
        if fit is None:
            fit = ([], set())
            groups.append(fit[0])
            open_.append(fit)
        fit[0].append(item)
        fit[1].update(item_marks)
        if len(fit[0]) >= most:
            open_.remove(fit)
    return groups


def pack_items(
    items: Sequence[Item], by_id: Mapping[str, Conversation], options: WholeOptions, existing: Sequence[Unit] = ()
) -> list[Unit]:
    """Return the units of new blocks of these items, with a rotation for each set of questions that units are dealt.

    Of all blocks, with the `existing` ones, the share `repeated` goes to one more annotator, to the nearest whole
    number; which of the new ones is drawn.
    """
    blocks = {}
    for group in deal(items, options.unit_size, {name: talk.seed_id for name, talk in by_id.items()}):
        rotations = [asking(group, put, by_id, options) for put in options.dealt] or [group]
        ids = sorted(item.item_id for rotation in rotations for item in rotation)
        blocks[opaque("block", options.survey, options.seed, *ids)] = rotations
    before = {unit.block_id: False for unit in existing}
    for unit in existing:
        before[unit.block_id] |= unit.replicate >= options.annotators_per_item
    lacking = int(options.repeated * (len(before) + len(blocks)) + 0.5) - sum(before.values())
    drawn = sorted(blocks, key=lambda name: (random.Random(f"again {name}").random(), name))
    again = set(drawn[: max(0, lacking)])
    return [
        unit for name, rotations in blocks.items() for unit in units_of(rotations, options, name, again=name in again)
    ]


def asking(
    group: Iterable[Item], questions: Sequence[str], by_id: Mapping[str, Conversation], options: WholeOptions
) -> list[Item]:
    """Return items on the same conversations and judged speakers as in `group`, with these questions."""
    put = (*questions, *options.companions)
    return [whole_item([by_id[i] for i in item.conversation_ids], item.judged, put, options) for item in group]


def units_of(
    rotations: Sequence[Sequence[Item]], options: WholeOptions, block_id: str, first: int = 0, *, again: bool
) -> list[Unit]:
    """Return the units of these rotations of a block, numbered from `first` on.

    Each rotation goes to `annotators_per_item` people, with `again` to one more; each has the items in an order of its
    own.
    """
    return [
        unit_of(options.survey, block_id, rotation, replicate, items)
        for rotation, items in enumerate(rotations, start=first)
        for replicate in range(options.annotators_per_item + again)
    ]
