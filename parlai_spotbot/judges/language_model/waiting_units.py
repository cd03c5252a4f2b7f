"""Units whose prompts are under way: a unit is ready when it waits for none any more."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from parlai_spotbot.records import Item, Unit

ShownItem = tuple[Unit, Item]
"""An item, and the unit that shows it."""


class WaitingUnits:
    """Prompts under way by their keys, with the items that wait for each: the same prompt may be about several."""

    def __init__(self) -> None:
        self._shown: dict[str, list[ShownItem]] = {}
        self._left: Counter[str] = Counter()
        self._asked: set[str] = set()

    def add(self, key: str, unit: Unit, item: Item) -> bool:
        """Let a unit wait for a prompt, unless that came back already; return True where it is to be asked now."""
        is_new = key not in self._asked
        shown = self._shown.setdefault(key, []) if is_new else self._shown.get(key)
        self._asked.add(key)
        if shown is not None and all(other.unit_id != unit.unit_id for other, _ in shown):
            shown.append((unit, item))
            self._left[unit.unit_id] += 1
        return is_new

    def remove(self, keys: Collection[str]) -> list[ShownItem]:
        """Forget prompts that came back; return the items that waited for them, each once."""
        shown = {}
        for key in keys:
            for unit, item in self._shown.pop(key):
                self._left[unit.unit_id] -= 1
                shown[unit.unit_id, item.item_id, item.control] = (unit, item)
        return list(shown.values())

    def ready(self, units: Iterable[Unit]) -> Iterator[Unit]:
        """Yield those of the units that wait for nothing, each once."""
        for unit in {unit.unit_id: unit for unit in units}.values():
            if not self._left[unit.unit_id]:
                yield unit
