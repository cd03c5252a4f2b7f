"""Comparisons of whole conversations: one of each of two contestants, side by side (ACUTE-Eval; Comparative).

Every pair of contestants meets equally often on every question. A specific pair of conversations is shown once at most,
over all questions (`same_pairs` puts it once for each, to find the wording that people answer alike: Li et al.
2019, "Question Optimization"); a conversation once where there are enough, else those that
were shown least come first (Li et al. 2019, "Annotation Quality"). Whether the judged one spoke first is balanced over
the comparisons of a pair, and the same on both sides wherever a conversation lets one choose.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Conversation, Item, Unit
from parlai_spotbot.surveys.packing.judged import WholeOptions, appearances, canonical, reserved, whole_item
from parlai_spotbot.surveys.packing.whole import Whole
from parlai_spotbot.surveys.packing.whole_units import deal, items_of, pack_blocks
from parlai_spotbot.surveys.survey import Survey

MOST_BY_DEFAULT = 100
GROWING = ("questions", "comparisons", "wordings")
"""Options that may grow without what is packed being changed, where each question has comparisons of its own."""

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


class Pairs(Whole):
    name = "pairs"
    compares = True

    def units(
        self, conversations: Sequence[Conversation], options: WholeOptions, existing: Sequence[Unit]
    ) -> list[Unit]:
        return (pack_same_pairs if options.same_pairs else pack_pairs)(conversations, options, existing)

    def growing(self, survey: Survey) -> tuple[str, ...]:
        return GROWING if survey.spread == "items" else ("comparisons",)

    def compared(
        self, kept: Sequence[Conversation], units: Sequence[Unit], options: WholeOptions, by_id: Mapping
    ) -> tuple[list[dict], list[str]]:
        """The comparisons made of each cell, and where there are fewer than wanted."""
        shown = shown_in(units, by_id, options)
        usable = canonical(kept)
        pools = pools_of(usable, options, shown.uses)
        wanted, cells = comparisons_of(pools, options), cells_of(pools, options)
        rows = [{**asdict(cell), "count": shown.counts[cell]} for cell in cells]
        said = [_fewer(cell, shown.counts[cell], wanted) for cell in cells if shown.counts[cell] < wanted]
        again = [i for i, times in shown.uses.items() if times > 1]
        if again:
            most = max(shown.uses.values())
            said.append(
                f"{len(again)} conversations are shown in several comparisons, up to {most}, as there are fewer of "
                "them than --comparisons takes: the least used came first, and no two stand beside each other twice"
            )
        return rows, said


def _fewer(cell: Cell, count: int, wanted: int) -> str:
    about = f" on {cell.question}" if cell.question else ""
    return f"{cell.a} and {cell.b}{about}: {count} comparisons of {wanted}, no two conversations are left for more"


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


# -- the same pairs for every question ----------------------------------------------------------------------------
def pack_same_pairs(
    conversations: Iterable[Conversation], options: WholeOptions, existing: Sequence[Unit] = ()
) -> list[Unit]:
    """The units to add to `existing`, so that every cell has its comparisons, each of them on every question.

    They are chosen as if for one question, then put for each. A unit asks one question only, so that no wording colours
    the answers to another; the units that put the same pairs for the other questions are rotations of its block, of
    which nobody gets two.

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
