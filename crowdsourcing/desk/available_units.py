"""Choice of an annotator's next unit: an index in memory of what is free, and of what each annotator has met.

The ledger is the authority; this is its copy for speed. What is begun is finished first: the units of the segments that
lack the fewest annotators, in the order of the units file, so that the choice depends on the ledger alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from parlai_spotbot.crowdsourcing.ledger.entries import Handout
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Item, Unit

TAKEN = ("open", "done")


def marks_of(items: Iterable[Item], seeds: Mapping[str, str]) -> frozenset[str]:
    """Return what an annotator of these items must not meet again: their conversations and the seeds of these."""
    conversations = {name for item in items for name in item.conversation_ids}
    return frozenset(
        {f"conversation {name}" for name in conversations}
        | {f"seed {seeds[name]}" for name in conversations if seeds.get(name)}
    )


def _marks_of_unit(
    unit: Unit, seeds: Mapping[str, str], marks_by_conversations: dict[tuple[str, ...], frozenset[str]]
) -> frozenset[str]:
    """Return `marks_of` its items, cached in `marks_by_conversations`; raise `UserError` where two share one."""
    for item in unit.items:
        if item.conversation_ids not in marks_by_conversations:
            marks_by_conversations[item.conversation_ids] = marks_of([item], seeds)
    of_items = [marks_by_conversations[item.conversation_ids] for item in unit.items]
    marks = frozenset().union(*of_items)
    if len(marks) < sum(map(len, of_items)):
        raise UserError(
            f"units.jsonl, unit {unit.unit_id}: two of its items show one conversation or seed.",
            "Pack again: nobody may meet a conversation or seed twice.",
        )
    return marks


class UnitStock:
    """All units, which of them are free, open or done, and for each annotator those out of the question.

    Raises `UserError` where a unit shows one conversation or seed in two items.
    """

    def __init__(self, units: Sequence[Unit], seeds: Mapping[str, str]):
        self.units = {unit.unit_id: unit for unit in units}
        if len(self.units) < len(units):
            raise UserError("A unit stands twice among the units.", "Remove one of them from units.jsonl.")
        self.marks: dict[str, frozenset[str]] = {}
        self._place = {unit.unit_id: place for place, unit in enumerate(units)}
        self._segments = {unit.unit_id: (unit.block_id, unit.rotation) for unit in units}  # what replicates share
        self._bearing: dict[str, set[str]] = defaultdict(set)
        marks_by_conversations: dict[tuple[str, ...], frozenset[str]] = {}  # conversations are in several units each
        of_units: dict[tuple[tuple[str, ...], ...], frozenset[str]] = {}  # replicates show the same ones
        for unit in units:
            shown = tuple(item.conversation_ids for item in unit.items)
            if shown not in of_units:
                of_units[shown] = _marks_of_unit(unit, seeds, marks_by_conversations)
            self.marks[unit.unit_id] = of_units[shown]
            self._bearing[f"block {unit.block_id}"].add(unit.unit_id)
            for mark in of_units[shown]:
                self._bearing[mark].add(unit.unit_id)
        self._paused: set[str] = set()
        self.load((), ())

    def load(self, handouts: Iterable[Handout], seen: Iterable[tuple[str, str, str]]) -> None:
        """Forget everything, then take over what the ledger says; units that it alone knows are a `UserError`."""
        self.free = set(self.units)
        self.open: set[str] = set()
        self.done: set[str] = set()
        self.met: dict[str, set[str]] = defaultdict(set)
        self._barred: dict[str, set[str]] = defaultdict(set)
        self._lacking = Counter(self._segments.values())
        for handout in handouts:
            self.bar(handout.worker, [f"block {handout.block_id}"])
            if handout.status not in TAKEN:
                continue
            if handout.unit_id not in self.units:
                raise UserError(
                    f"The ledger has answers to unit {handout.unit_id}, which is not among the units.",
                    "Put the units.jsonl back with which the collection began; it may be added to, not changed.",
                )
            self.take(handout.unit_id)
            if handout.status == "done":
                self.finish(handout.unit_id)
        for worker, kind, one in seen:
            self.bar(worker, [f"{kind} {one}"])

    # -- who gets what -----------------------------------------------------------------------------------------------
    def choose(self, worker: str) -> str | None:
        """The id of the unit to hand to this annotator, None where none is free for them."""
        barred = self._barred.get(worker, ())
        fitting = [unit_id for unit_id in self.free - self._paused if unit_id not in barred]
        return min(fitting, key=lambda u: (self._lacking[self._segments[u]], self._place[u]), default=None)

    def any_free(self, worker: str) -> bool:
        """Return whether there is a free unit for this annotator."""
        return self._any_for(worker, self.free - self._paused)

    def any_paused(self, worker: str) -> bool:
        """Return whether a unit that is kept back could still come to this annotator."""
        return self._any_for(worker, self.free & self._paused)

    def any_open(self, worker: str) -> bool:
        """Return whether a unit that somebody else has now could still come to this annotator."""
        return self._any_for(worker, self.open)

    def _any_for(self, worker: str, units: set[str]) -> bool:
        barred = self._barred.get(worker, ())
        return any(unit_id not in barred for unit_id in units)

    def pause(self, unit_ids: Iterable[str]) -> None:
        """Keep these units back, and no others, while they are free."""
        self._paused = set(unit_ids)

    def bar(self, worker: str, marks: Iterable[str]) -> None:
        """The annotator has met these blocks, conversations and seeds."""
        for mark in marks:
            self.met[worker].add(mark)
            self._barred[worker] |= self._bearing.get(mark, set())

    # -- where the units are -----------------------------------------------------------------------------------------
    def take(self, unit_id: str) -> None:
        """The unit is handed out."""
        self.free.discard(unit_id)
        self.open.add(unit_id)
        self._lacking[self._segments[unit_id]] -= 1

    def finish(self, unit_id: str) -> None:
        """The unit is done."""
        self.open.discard(unit_id)
        self.done.add(unit_id)

    def release(self, unit_id: str) -> None:
        """The unit is free again."""
        if unit_id in self.open:
            self.open.discard(unit_id)
            self.free.add(unit_id)
            self._lacking[self._segments[unit_id]] += 1
