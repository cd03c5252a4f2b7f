"""From items of whole conversations to units: no unit shows a conversation or a seed in two items.

Within an item of two conversations both may have the same seed: it isn't shown, and a common beginning only makes the
comparison fairer.
"""

import random
from collections.abc import Mapping, Sequence

from parlai_spotbot.records import Conversation, Item, Unit
from parlai_spotbot.surveys.ids import opaque
from parlai_spotbot.surveys.packing.units_file import marks_of, unit_of
from parlai_spotbot.surveys.packing.whole_items import WholeOptions, whole_item


def deal(items: Sequence[Item], size: int, seeds: Mapping[str, str]) -> list[list[Item]]:
    """Return groups of at most `size` items, as equal as possible; each item goes where it first fits."""
    groups: list[list[Item]] = []
    open_: list[tuple[list[Item], set[str]]] = []
    number = max(1, -(-len(items) // size))
    most = -(-len(items) // number)
    for item in items:
        item_marks = marks_of([item], seeds)
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


def _put(
    items: Sequence[Item], questions: Sequence[str], by_id: Mapping[str, Conversation], options: WholeOptions
) -> list[Item]:
    """Return the same items with other questions."""
    placed = []
    for item in items:
        talks = [by_id[i] for i in item.conversation_ids]
        placed.append(whole_item(talks, item.judged, questions, options))
    return placed


def pack_items(
    items: Sequence[Item], by_id: Mapping[str, Conversation], options: WholeOptions, existing: Sequence[Unit] = ()
) -> list[Unit]:
    """Return the units of new blocks of these items, with a rotation for each set of questions that units are dealt.

    Each rotation goes to `annotators_per_item` people. Of all blocks, with the `existing` ones, the share `repeated`
    goes to one more annotator, to the nearest whole number; which of the new ones is drawn.
    """
    blocks = {}
    for group in deal(items, options.unit_size, {name: talk.seed_id for name, talk in by_id.items()}):
        rotations = [_put(group, put, by_id, options) for put in options.dealt] or [group]
        ids = sorted(item.item_id for rotation in rotations for item in rotation)
        blocks[opaque("block", options.survey, options.seed, *ids)] = rotations
    before = {unit.block_id: False for unit in existing}
    for unit in existing:
        before[unit.block_id] |= unit.replicate >= options.annotators_per_item
    lacking = int(options.repeated * (len(before) + len(blocks)) + 0.5) - sum(before.values())
    drawn = sorted(blocks, key=lambda name: (random.Random(f"again {name}").random(), name))
    again = set(drawn[: max(0, lacking)])
    return [
        unit_of(options.survey, name, rotation, replicate, items)
        for name, rotations in blocks.items()
        for rotation, items in enumerate(rotations)
        for replicate in range(options.annotators_per_item + (name in again))
    ]
