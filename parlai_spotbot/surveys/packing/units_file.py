"""The units file of a survey: which units stay, which are packed again, and how both are written.

Units that people or judges have answers to are never packed again: other options are then an error that names them.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import Conversation, Item, Unit, Utterance
from parlai_spotbot.surveys.ids import opaque

if TYPE_CHECKING:
    from parlai_spotbot.study import SurveyFiles

GONE = "a contestant that is left out"
"""Why a conversation isn't packed that shows no fault."""


def faulty_ones(
    conversations: list[Conversation], kinds: Sequence[str], left_out: Collection[str]
) -> dict[str, list[str]]:
    """Return the conversations with a fault of one of `kinds` or a contestant that is left out, with the reasons."""
    faults = {name: [GONE] for name in _of_contestants(left_out, conversations)}
    if not kinds:
        return faults
    from parlai_spotbot.texts.hygiene import KINDS, OF_TRAINING, faulty_conversations

    for kind in kinds:
        if kind not in KINDS or kind in OF_TRAINING:
            raise UserError(f"--leave-out {kind}: no such kind of fault.", nearest(kind, set(KINDS) - set(OF_TRAINING)))
    try:
        return faulty_conversations([c for c in conversations if c.conversation_id not in faults], kinds) | faults
    except ValueError as err:
        raise UserError(f"--leave-out {','.join(kinds)}: {err}.", "Leave that kind out of the list.") from err


def packed_with(data: SurveyFiles) -> dict | None:
    """Return the recorded options with which the units were packed; None if this package packed none."""
    if not data.units_path.exists():
        return None
    return data.recorded("pack").get("options")


def existing_units(
    data: SurveyFiles,
    requested: Mapping,
    made_here: Callable[[list[Unit]], bool],
    goes_on: Callable[[Mapping, Mapping], bool] | None,
) -> list[Unit]:
    """Return the units to keep; none if they are to be packed again, which must not happen to judged ones.

    Kept are those that `made_here` accepts, as made from these conversations, where `goes_on` (recorded, requested)
    accepts the options.
    """
    path = data.units_path
    if not path.exists():
        return []
    if data.settled_path.exists():
        raise UserError(
            f"{path}: units are drawn by what is answered (--until 'settled'), so nothing is packed.",
            "Go on with the command that draws them, or take another --study.",
        )
    units = data.units
    recorded = packed_with(data)
    stays = recorded is not None and (goes_on is None or goes_on(recorded, requested)) and made_here(units)
    holder = answers_of(data)
    gone = set()
    if data.plan.left_out:
        gone = _of_contestants(data.plan.left_out, data.conversations)
    if stays and (holder or all(gone.isdisjoint(item.conversation_ids) for unit in units for item in unit.items)):
        return units
    remedy = "Use the options of the first time, or another --study for another way of packing."
    if recorded is None:
        raise UserError(f"{path}: these units were not made by spotbot_pack, which would replace them.", remedy)
    if not holder:
        return []
    differ = [key for key in {**recorded, **requested} if recorded.get(key) != requested.get(key)]
    how = ", ".join(f"{key} {recorded.get(key)!r} there, {requested.get(key)!r} here" for key in differ)
    problem = "not made from these conversations"
    if how:
        problem = f"packed with other options ({how})"
    raise UserError(f"{path}: {problem}, and {holder.name} holds answers to these units.", remedy)


def answers_of(data: SurveyFiles) -> Path | None:
    """Return the file that holds answers to a survey's units, or may: a ledger or the judgements; None without any."""
    held = data.path / "crowdsourcing"
    files_held = [*held.glob("ledger.db"), *sorted(held.glob("*/ledger.db"))]  # a survey of tasks has one for each
    if data.judgements:
        files_held.append(data.judgements_path)
    return next(iter(files_held), None)


def _of_contestants(names: Collection[str], conversations: Iterable[Conversation]) -> set[str]:
    """Return the conversations in which one of these contestants takes part."""
    return {talk.conversation_id for talk in conversations if not set(names).isdisjoint(talk.entities)}


@dataclass(frozen=True)
class Packed:
    """Units that stay and units that are added, the recorded options, and the summary.

    `tables` are {title: {row: {column: value}}}; `left_out` has rows of `what`, `reason`, `count`, `ids`; `surface` is
    a report of `texts.surface_check`.
    """

    options: Mapping
    existing: Sequence[Unit]
    added: Sequence[Unit]
    tables: Mapping[str, Mapping[str, Mapping[str, object]]]
    left_out: Sequence[Mapping] = ()
    warnings: Sequence[str] = ()
    surface: Mapping = field(default_factory=dict)

    @property
    def units(self) -> list[Unit]:
        return [*self.existing, *self.added]


def write_units(data: SurveyFiles, update: Packed, done: dict) -> None:
    """Append the added units, write the surface report (if there is one), and record `done` (options and summary)."""
    path = data.units_path
    content = b"".join(_lines(update.added))
    if update.existing:
        content = path.read_bytes() + content
    if update.added:
        checksums.write_bytes(path, content)
    surface_path = data.path / "surface.json"
    if update.surface and (not surface_path.exists() or checksums.read_json(surface_path) != update.surface):
        checksums.write_json(surface_path, update.surface)
    data.add_to_plan()
    data.record("pack", {**done, "units_sha256": hashlib.sha256(content).hexdigest()})


def _lines(units: Iterable[Unit]) -> Iterator[bytes]:
    """Return units as lines of their file; an item that replicates share is turned into JSON once."""
    texts: dict[int, str] = {}
    for unit in units:
        if unit.replicate == 0:
            texts = {id(item): files.dumps(item) for item in unit.items}
        start = files.dumps(replace(unit, items=())).removesuffix("]}")
        items = ", ".join(texts.get(id(item)) or files.dumps(item) for item in unit.items)
        yield f"{start}{items}]}}\n".encode()


def blocks_of(units: Iterable[Unit]) -> dict[str, set[str]]:
    """Return the conversations of each block."""
    blocks: dict[str, set[str]] = {}
    for unit in units:
        blocks.setdefault(unit.block_id, set()).update(i for item in unit.items for i in item.conversation_ids)
    return blocks


def items_of(units: Iterable[Unit]) -> list[Item]:
    """Return each item once, however many annotators get it."""
    return list({item.item_id: item for unit in units for item in unit.items}.values())


def marks_of(items: Iterable[Item], seeds: Mapping[str, str]) -> frozenset[str]:
    """Return what an annotator of these items must not meet again: their conversations and the seeds of these."""
    conversations = {name for item in items for name in item.conversation_ids}
    return frozenset(
        {f"conversation {name}" for name in conversations}
        | {f"seed {seeds[name]}" for name in conversations if seeds.get(name)}
    )


def crowded_first(marks: Sequence[Collection[str]]) -> list[int]:
    """Return the places of units, by their marks: first those that share most marks with others.

    Handed out in this order, units take fewer annotators than in that of the file.
    """
    bearing = Counter(mark for of_unit in marks for mark in of_unit)
    shared = [sum(bearing[mark] - 1 for mark in of_unit) for of_unit in marks]
    return sorted(range(len(marks)), key=lambda place: -shared[place])


def unit_of(survey: str, block_id: str, rotation: int, replicate: int, items: Sequence[Item]) -> Unit:
    """Return a unit with the items in an order of its own."""
    unit_id = opaque("unit", block_id, rotation, replicate)
    order = list(items)
    random.Random(unit_id).shuffle(order)
    return Unit(unit_id, survey, block_id, rotation, replicate, tuple(order))


def in_turn(texts: Iterable[str]) -> tuple[Utterance, ...]:
    """Return a transcript of two entities that speak in turn."""
    return tuple(Utterance(i % 2, text) for i, text in enumerate(texts))


def canonical(conversations: Iterable[Conversation]) -> list[Conversation]:
    """Return conversations by id; one that stands twice is a `UserError`."""
    ordered = sorted(conversations, key=lambda c: c.conversation_id)
    for one, other in pairwise(ordered):
        if one.conversation_id == other.conversation_id:
            raise UserError(
                f"conversation_id '{one.conversation_id}' stands twice among the conversations.", "Remove one of them."
            )
    return ordered


def check_options(at_least_one: Mapping[str, int]) -> None:
    """Raise `UserError` for a number below 1, by its option."""
    for option, value in at_least_one.items():
        if value < 1:
            raise UserError(f"{option} {value}: expected a whole number from 1 up.", "Correct it.")
