"""Choice of an annotator's next unit: an index in memory of free units, and of the items that each annotator has seen.

The ledger is the authority; this is its copy for speed. Segments that lack the fewest annotators come first,
of these the units that share most with others, in the order of the units file: the choice depends on the ledger alone.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from parlai_spotbot.crowdsourcing.ledger.entries import Handout
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Unit
from parlai_spotbot.surveys.packing.units_file import crowded_first, marks_of


class UnitStock:
    """All units, which of them are free, open, done or kept back (`paused`), and for each annotator those excluded.

    Raises `UserError` where a unit shows one conversation or seed in two items.
    """

    def __init__(self, units: Sequence[Unit], seeds: Mapping[str, str]):
        self.units = {unit.unit_id: unit for unit in units}
        if len(self.units) < len(units):
            raise UserError("A unit stands twice among the units.", "Remove one of them from units.jsonl.")
        self._segments = {unit.unit_id: (unit.block_id, unit.rotation) for unit in units}  # shared by replicates
        self._bearing: dict[str, set[str]] = defaultdict(set)
        marks_of_item: dict[str, frozenset[str]] = {}
        every = []
        for unit in units:
            for item in unit.items:
                if item.item_id not in marks_of_item:
                    marks_of_item[item.item_id] = marks_of([item], seeds)
            of_items = [marks_of_item[item.item_id] for item in unit.items]
            marks = frozenset().union(*of_items)
            if len(marks) < sum(map(len, of_items)):
                raise UserError(
                    f"units.jsonl, unit {unit.unit_id}: two of its items show one conversation or seed.",
                    "Pack again: nobody may meet a conversation or seed twice.",
                )
            every.append(marks | {f"block {unit.block_id}"})
            for mark in every[-1]:
                self._bearing[mark].add(unit.unit_id)
        self._place = {units[place].unit_id: rank for rank, place in enumerate(crowded_first(every))}
        self.paused: set[str] = set()
        self.load((), ())

    def load(self, handouts: Iterable[Handout], seen: Iterable[tuple[str, str, str]]) -> None:
        """Take over the ledger's state; units that it alone knows are a `UserError`."""
        self.free = set(self.units)
        self.open: set[str] = set()
        self.done: set[str] = set()
        self.met: dict[str, set[str]] = defaultdict(set)
        self._barred: dict[str, set[str]] = defaultdict(set)
        self._lacking = Counter(self._segments.values())
        for handout in handouts:
            self.bar(handout.worker, [f"block {handout.block_id}"])
            if handout.status not in ("open", "done"):
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
        """Return the id of the unit to hand to this annotator, None where none is free for them."""
        barred = self._barred.get(worker, ())
        fitting = [unit_id for unit_id in self.free - self.paused if unit_id not in barred]
        return min(fitting, key=lambda u: (self._lacking[self._segments[u]], self._place[u]), default=None)

    def number_for(self, worker: str) -> int:
        """Return how many free units could come to this annotator, as far as is known before others are done."""
        return len(self.free) - len(self.free & self._barred.get(worker, set()))

    def any_for(self, worker: str, units: set[str]) -> bool:
        """Return whether one of these units could come to this annotator."""
        return not units <= self._barred.get(worker, set())

    def bar(self, worker: str, marks: Iterable[str]) -> None:
        """Exclude units with these blocks, conversations and seeds for the annotator, who has met them."""
        for mark in marks:
            self.met[worker].add(mark)
            self._barred[worker] |= self._bearing.get(mark, set())

    def counts(self) -> dict:
        """Return how many units there are, and how many of them are free, open and done."""
        places = {"units": self.units, "free": self.free, "open": self.open, "done": self.done}
        return {name: len(units) for name, units in places.items()}

    def pairs(self) -> list[dict]:
        """Return how each two contestants stand; none where units don't depend on that."""
        return []

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

    def answered(self, unit_id: str, record: dict, stop: str) -> None:
        """The unit is done by these answers; with `stop` (why) the annotator gets no other one."""
        self.finish(unit_id)

    def release(self, unit_id: str) -> None:
        """The unit is free again."""
        if unit_id in self.open:
            self.open.discard(unit_id)
            self.free.add(unit_id)
            self._lacking[self._segments[unit_id]] += 1
