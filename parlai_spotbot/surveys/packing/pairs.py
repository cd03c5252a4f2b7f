"""Comparisons of whole conversations: one of each of two contestants, side by side (ACUTE-Eval; Comparative).

Every pair of contestants meets equally often on every question, with `same` each bot itself as often. A specific pair
of conversations is shown once at most, over all questions; a survey with the spread "units" puts it once for each
question, each time in another unit, to find the wording that people answer alike (Li et al. 2019, "Question
Optimization"). A conversation is shown once where there are enough, else those that were shown least come first (Li et
al. 2019, "Annotation Quality"). Whether the judged one spoke first is balanced over the comparisons of a pair, and the
same on both sides wherever a conversation lets one choose.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Conversation, Item, Unit, indexed
from parlai_spotbot.surveys.packing.packing import COMMON, WHOLE
from parlai_spotbot.surveys.packing.units_file import items_of
from parlai_spotbot.surveys.packing.whole_items import WholeOptions, appearances, reserved, usable, whole_item
from parlai_spotbot.surveys.packing.whole_packing import WholePacking
from parlai_spotbot.surveys.packing.whole_units import pack_items
from parlai_spotbot.surveys.survey import Survey

MOST_BY_DEFAULT = 100
GROWING = ("questions", "comparisons", "same")
"""Options that may grow without what is packed being changed, where each question has comparisons of its own."""

Pair = tuple[tuple[str, ...], tuple[int, ...]]
"""The ids of two conversations, and the seats that are judged in them."""

JudgeableSeats = Mapping[str, tuple[int, ...]]
"""A contestant's conversations in a source, with the seats that may be judged."""


@dataclass(frozen=True, order=True)
class ComparisonCell:
    """Two contestants (in alphabetical order) of a source, compared equally often on one question ("": all)."""

    source: str
    a: str
    b: str
    question: str = ""


@dataclass
class ComparisonTally:
    """Counts of existing units: comparisons and seats by cell, uses by conversation, pairs of conversations."""

    counts: Counter[ComparisonCell] = field(default_factory=Counter)
    uses: Counter[str] = field(default_factory=Counter)
    pairs: set[frozenset[str]] = field(default_factory=set)
    seats: Counter[tuple[ComparisonCell, int]] = field(default_factory=Counter)

    def note(self, cell: ComparisonCell, ids: Sequence[str], seats: Sequence[int]) -> None:
        self.counts[cell] += 1
        self.uses.update(ids)
        self.pairs.add(frozenset(ids))
        self.seats.update((cell, seat) for seat in seats)


def pack_pairs(
    conversations: Iterable[Conversation], options: WholeOptions, existing: Sequence[Unit] = ()
) -> list[Unit]:
    """Return the units to add to `existing` so that every cell has its comparisons, as far as conversations last.

    The result depends on conversations and options only, not on their order. Raises `UserError` where there are no two
    contestants to compare.
    """
    talks = usable(conversations)
    by_id = indexed(talks)
    rng = random.Random(f"pair {options.survey} {options.seed}")
    items = []
    for cell, ids, seats in chosen_pairs(talks, options, items_of(existing), rng):
        talks_shown = [by_id[i] for i in ids]
        if rng.random() < 0.5:
            talks_shown.reverse()
            seats = seats[::-1]
        questions = options.questions
        if cell.question:
            questions = (cell.question,)
        items.append(whole_item(talks_shown, seats, options.put(questions), options))
    return pack_items(items, by_id, options, existing)


def chosen_pairs(
    talks: Sequence[Conversation], options: WholeOptions, items: Iterable[Item], rng: random.Random
) -> list[tuple[ComparisonCell, *Pair]]:
    """Return the comparisons that `items` lack: (cell, conversations, seats that are judged)."""
    by_id = indexed(talks)
    if not options.led:
        tally = tally_of_items(items, by_id, options)
        pools = pools_of(talks, options, tally.uses)
        return choose(cells_of(pools, options), pools, comparisons_of(pools, options), tally, rng)
    there = {frozenset(item.conversation_ids) for item in items}
    pairs = []
    for ids in options.led:
        if set(ids) <= by_id.keys() and frozenset(ids) not in there:
            seats = tuple(by_id[i].is_human.index(False) for i in ids)
            a, b = sorted(by_id[i].entities[seat] for i, seat in zip(ids, seats, strict=True))
            pairs.append((ComparisonCell("human_model", a, b), ids, seats))
    return pairs


def pools_of(
    talks: Sequence[Conversation], options: WholeOptions, shown: Iterable[str]
) -> dict[str, dict[str, JudgeableSeats]]:
    """By source and contestant; people are a contestant in every source, but for what is kept for controls."""
    humans = {}
    if options.people:
        people = [c for c in talks if c.kind == "people"]
        kept = reserved(people, set(shown), options.seed)
        humans = appearances([c for c in people if c.conversation_id not in kept], "people")
    pools: dict[str, dict[str, JudgeableSeats]] = {
        source: {**appearances(talks, source), **humans} for source in options.sources
    }
    for source, pool in pools.items():
        if len(pool) < 2 and not (options.same and set(pool) - {HUMAN}):
            raise UserError(
                f"--source {source}: there is one contestant, {', '.join(pool) or 'none'}; a comparison takes two.",
                "Add another one to the pool, or conversations between people.",
            )
    return pools


def cells_of(pools: Mapping[str, Mapping[str, JudgeableSeats]], options: WholeOptions) -> list[ComparisonCell]:
    """All cells, sorted."""
    questions = ("",)
    if options.spread == "items":
        questions = options.questions
    cells = []
    for source, pool in pools.items():
        pairs = list(combinations(sorted(pool), 2))
        if options.same:  # whatever is found where a bot meets itself is found of nothing (A/A)
            pairs += [(name, name) for name in pool if name != HUMAN]
        cells += [ComparisonCell(source, a, b, question) for a, b in pairs for question in questions]
    return sorted(cells)


def comparisons_of(pools: Mapping[str, Mapping[str, JudgeableSeats]], options: WholeOptions) -> int:
    """Return how many comparisons a cell is to have."""
    if options.comparisons is not None:
        return options.comparisons
    return min(MOST_BY_DEFAULT, *[len(ids) for pool in pools.values() for name, ids in pool.items() if name != HUMAN])


def tally_of_items(items: Iterable[Item], by_id: Mapping[str, Conversation], options: WholeOptions) -> ComparisonTally:
    """Count what these items show, a pair that is put for several questions once."""
    tally = ComparisonTally()
    for item in items:
        if not options.dealt or frozenset(item.conversation_ids) not in tally.pairs:
            tally.note(cell_of(item, by_id, options), item.conversation_ids, item.judged)
    return tally


def cell_of(item: Item, by_id: Mapping[str, Conversation], options: WholeOptions) -> ComparisonCell:
    """Return the cell of a packed item."""
    talks = [by_id[i] for i in item.conversation_ids]
    a, b = sorted(c.entities[seat] for c, seat in zip(talks, item.judged, strict=True))
    kinds = [c.kind for c in talks if c.kind != "people"]
    question = ""
    if options.spread == "items":
        question = item.questions[0]
    return ComparisonCell(next(iter(kinds), "people"), a, b, question)


def choose(
    cells: Sequence[ComparisonCell],
    pools: Mapping[str, Mapping[str, JudgeableSeats]],
    comparisons: int,
    tally: ComparisonTally,
    rng: random.Random,
) -> list[tuple[ComparisonCell, *Pair]]:
    """Comparisons until every cell has `comparisons`: (cell, conversations of a and b, seats that are judged).

    Cells take turns, in an order drawn for each round, so that all are served alike; `tally` is kept up to date.
    """
    chosen = []
    lacking = [cell for cell in cells if tally.counts[cell] < comparisons]
    while lacking:
        least = min(tally.counts[cell] for cell in lacking)
        for cell in rng.sample(lacking, len(lacking)):
            if tally.counts[cell] > least:
                continue
            pick = _pick(cell, pools[cell.source][cell.a], pools[cell.source][cell.b], tally, rng)
            if pick is None:
                lacking.remove(cell)
                continue
            tally.note(cell, *pick)
            chosen.append((cell, *pick))
        lacking = [cell for cell in lacking if tally.counts[cell] < comparisons]
    return chosen


def _pick(
    cell: ComparisonCell, of_a: JudgeableSeats, of_b: JudgeableSeats, tally: ComparisonTally, rng: random.Random
) -> Pair | None:
    """Return the pair of conversations shown least that were not shown together, or None."""
    seat = min((0, 1), key=lambda s: (tally.seats[cell, s], rng.random()))

    def order(pool: JudgeableSeats) -> list[str]:
        return sorted(pool, key=lambda i: (tally.uses[i], seat not in pool[i], rng.random()))

    seconds = order(of_b)
    for first in order(of_a):
        for second in seconds:
            if first != second and frozenset((first, second)) not in tally.pairs:
                return (first, second), (_seat(of_a[first], seat), _seat(of_b[second], seat))
    return None


def _seat(seats: Sequence[int], wanted: int) -> int:
    """Return the seat that is wanted if it is one of these, else the first of them."""
    if wanted in seats:
        return wanted
    return seats[0]


class PairsPacking(WholePacking):
    """Two whole conversations side by side."""

    name = "pairs"
    compares = True
    takes = (*COMMON, *WHOLE, "comparisons", "pairs", "same")

    def units(self, conversations: Sequence[Conversation], options: Any, existing: Sequence[Unit]) -> list[Unit]:
        return pack_pairs(conversations, options, existing)

    def growing(self, survey: Survey) -> tuple[str, ...]:
        if survey.spread == "items":
            return GROWING
        return ("comparisons", "same")

    def told(
        self, units: Sequence[Unit], by_id: Mapping[str, Conversation], options: WholeOptions
    ) -> tuple[dict, list[str]]:
        """Count the comparisons of each cell, too, and say where there are fewer than wanted."""
        tables, warnings = super().told(units, by_id, options)
        counts = tally_of_items(items_of(units), by_id, options).counts
        rows: dict[str, dict[str, int]] = {}
        for cell in sorted(counts):
            rows.setdefault(f"{cell.a} and {cell.b} ({cell.source})", {})[cell.question or "all"] = counts[cell]
        wanted = 0
        if not options.led:
            wanted = options.comparisons or max(counts.values(), default=0)
        few = [f"{cell.a} and {cell.b}" for cell in sorted(counts) if counts[cell] < wanted]
        if few:
            warnings.append(f"fewer than {wanted} comparisons, as no conversations are left: {', '.join(few)}")
        return tables | {"comparisons": rows}, warnings


PACKING = PairsPacking()
