"""Comparisons of whole conversations: one of each of two contestants, side by side (ACUTE-Eval; Comparative).

Every pair of contestants meets equally often on every question. A specific pair of conversations is shown once at most,
over all questions (`same_pairs` puts it once for each); a conversation once where there are enough, else those that
were shown least come first (Li et al. 2019, "Annotation Quality"). Whether the judged one spoke first is balanced over
the comparisons of a pair, and the same on both sides wherever a conversation lets one choose.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Conversation, Item, Unit
from parlai_spotbot.surveys.judged import WholeOptions, appearances, canonical, reserved, whole_item
from parlai_spotbot.surveys.whole_units import deal, pack_blocks

MOST_BY_DEFAULT = 100

Pool = Mapping[str, tuple[int, ...]]
"""A contestant's conversations in a source, with the seats that may be judged."""


@dataclass(frozen=True, order=True)
class Cell:
    """What is compared equally often: two contestants (in alphabetical order) of a source on one question ("": all)."""

    source: str
    a: str
    b: str
    question: str = ""


@dataclass
class Shown:
    """What units hold already: comparisons by cell, uses by conversation, pairs of conversations, seats by cell."""

    counts: Counter[Cell] = field(default_factory=Counter)
    uses: Counter[str] = field(default_factory=Counter)
    pairs: set[frozenset[str]] = field(default_factory=set)
    seats: Counter[tuple[Cell, int]] = field(default_factory=Counter)

    def note(self, cell: Cell, ids: Sequence[str], seats: Sequence[int]) -> None:
        self.counts[cell] += 1
        self.uses.update(ids)
        self.pairs.add(frozenset(ids))
        self.seats.update((cell, seat) for seat in seats)


def pack_pairs(
    conversations: Iterable[Conversation], options: WholeOptions, existing: Sequence[Unit] = ()
) -> list[Unit]:
    """The units to add to `existing`, so that every cell has its comparisons, as far as pairs of conversations last.

    The result depends on conversations and options only, not on their order. Raises `UserError` where there are no two
    contestants to compare.
    """
    usable = canonical(conversations)
    by_id = {c.conversation_id: c for c in usable}
    cells, pools, wanted, shown = choose_from(usable, options, items_of(existing))
    rng = random.Random(f"pair {options.survey} {options.seed}")
    items = []
    for cell, ids, seats in choose(cells, pools, wanted, shown, rng):
        ids, seats = turned(ids, seats, rng)
        questions = options.put([cell.question] if cell.question else options.questions)
        items.append(whole_item([by_id[i] for i in ids], seats, questions, options))
    seeds = {c.conversation_id: c.seed_id for c in usable}
    return pack_blocks([[group] for group in deal(items, options.unit_size, seeds)], options, existing)


def choose_from(
    usable: Sequence[Conversation], options: WholeOptions, items: Iterable[Item]
) -> tuple[list[Cell], dict[str, dict[str, Pool]], int, Shown]:
    """The first arguments of `choose`, where `items` are packed already."""
    shown = shown_by(items, {c.conversation_id: c for c in usable}, options)
    pools = pools_of(usable, options, shown.uses)
    return cells_of(pools, options), pools, comparisons_of(pools, options), shown


def turned(ids: tuple[str, str], seats: tuple[int, int], rng: random.Random) -> tuple[tuple[str, str], tuple[int, int]]:
    """The two of a pair in an order that is drawn."""
    return (ids[::-1], seats[::-1]) if rng.random() < 0.5 else (ids, seats)


def pools_of(usable: Sequence[Conversation], options: WholeOptions, shown: Iterable[str]) -> dict[str, dict[str, Pool]]:
    """By source and contestant; people are a contestant in every source, but for what is kept for controls."""
    people = [c for c in usable if c.kind == "people"]
    kept = reserved(people, set(shown), options.seed)
    humans = appearances([c for c in people if c.conversation_id not in kept], "people") if options.people else {}
    pools = {source: {**appearances(usable, source), **humans} for source in options.sources}
    for source, pool in pools.items():
        if len(pool) < 2:
            raise UserError(
                f"--source {source}: there is one contestant, {', '.join(pool) or 'none'}; a comparison takes two.",
                "Add another one to the pool, or conversations between people.",
            )
    return pools


def cells_of(pools: Mapping[str, Mapping[str, Pool]], options: WholeOptions) -> list[Cell]:
    """All cells, sorted."""
    questions = options.questions if options.spread == "items" else ("",)
    return sorted(
        Cell(source, a, b, question)
        for source, pool in pools.items()
        for a, b in combinations(sorted(pool), 2)
        for question in questions
    )


def comparisons_of(pools: Mapping[str, Mapping[str, Pool]], options: WholeOptions) -> int:
    """How many comparisons a cell is to have."""
    if options.comparisons is not None:
        return options.comparisons
    bots = [len(ids) for pool in pools.values() for name, ids in pool.items() if name != HUMAN]
    return min(MOST_BY_DEFAULT, *bots)


def items_of(units: Iterable[Unit]) -> list[Item]:
    """Each item once, however many annotators get it."""
    return list({item.item_id: item for unit in units for item in unit.items}.values())


def shown_in(units: Iterable[Unit], by_id: Mapping[str, Conversation], options: WholeOptions) -> Shown:
    """What these units show, each item once however many annotators get it."""
    return shown_by(items_of(units), by_id, options)


def shown_by(items: Iterable[Item], by_id: Mapping[str, Conversation], options: WholeOptions) -> Shown:
    """What these items show; of a pair that is put for several questions the comparisons alone count each time."""
    shown = Shown()
    for item in items:
        cell = cell_of(item, by_id, options)
        if options.same_pairs and frozenset(item.conversation_ids) in shown.pairs:
            shown.counts[cell] += 1
        else:
            shown.note(cell, item.conversation_ids, item.judged)
    return shown


def cell_of(item: Item, by_id: Mapping[str, Conversation], options: WholeOptions) -> Cell:
    """The cell of a packed item."""
    talks = [by_id[i] for i in item.conversation_ids]
    a, b = sorted(c.entities[seat] for c, seat in zip(talks, item.judged, strict=True))
    kinds = [c.kind for c in talks if c.kind != "people"]
    question = item.questions[0] if options.spread == "items" else ""
    return Cell(kinds[0] if kinds else "people", a, b, question)


def choose(
    cells: Sequence[Cell], pools: Mapping[str, Mapping[str, Pool]], wanted: int, shown: Shown, rng: random.Random
) -> list[tuple[Cell, tuple[str, str], tuple[int, int]]]:
    """Comparisons until every cell has `wanted`: (cell, conversations of a and b, seats that are judged).

    Cells take turns, in an order drawn for each round, so that all are served alike; `shown` is kept up to date.
    """
    chosen = []
    lacking = [cell for cell in cells if shown.counts[cell] < wanted]
    while lacking:
        least = min(shown.counts[cell] for cell in lacking)
        for cell in rng.sample(lacking, len(lacking)):
            if shown.counts[cell] > least:
                continue
            found = _pick(cell, pools[cell.source][cell.a], pools[cell.source][cell.b], shown, rng)
            if found is None:
                lacking.remove(cell)
                continue
            shown.note(cell, *found)
            chosen.append((cell, *found))
        lacking = [cell for cell in lacking if shown.counts[cell] < wanted]
    return chosen


def _pick(
    cell: Cell, of_a: Pool, of_b: Pool, shown: Shown, rng: random.Random
) -> tuple[tuple[str, str], tuple[int, int]] | None:
    """The pair of conversations shown least that were not shown together; None where all were."""
    seat = min((0, 1), key=lambda s: (shown.seats[cell, s], rng.random()))

    def order(pool: Pool) -> list[str]:
        return sorted(pool, key=lambda i: (shown.uses[i], seat not in pool[i], rng.random()))

    seconds = order(of_b)
    for first in order(of_a):
        for second in seconds:
            if first != second and frozenset((first, second)) not in shown.pairs:
                seats = [seat if seat in pool[i] else pool[i][0] for pool, i in ((of_a, first), (of_b, second))]
                return (first, second), (seats[0], seats[1])
    return None
