"""Controls among the items of a unit: dealt to the units, placed by the chance of the hand-out, never one met before.

Nothing but its words tells a control from an item: like an item's, its annotators are those of one segment of units.
"""

import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from parlai_spotbot.records import Item, Unit
from parlai_spotbot.surveys.packing.units_file import marks_of


def evenly(controls: Sequence[Item]) -> list[Item]:
    """Return the controls with their kinds (known people, known bots) spread evenly, so no one answer gets through."""
    kinds: dict[str, list[Item]] = {}
    for control in controls:
        kinds.setdefault((control.control or "").partition(":")[0], []).append(control)
    spread = [((place + 0.5) / len(kind), control) for kind in kinds.values() for place, control in enumerate(kind)]
    return [control for _, control in sorted(spread, key=lambda pair: pair[0])]


def first_controls(units: Iterable[Unit], count: int) -> dict[str, int]:
    """Return for each unit the place of its first control among those that ask what it asks.

    Units with the same items (of other annotators) have the same `count` controls, all others the next ones.
    """
    places: dict[tuple, int] = {}
    taken: Counter[frozenset] = Counter()
    first = {}
    for unit in units:
        question_sets = frozenset(item.questions for item in unit.items)
        if (unit.block_id, unit.rotation) not in places:
            places[unit.block_id, unit.rotation] = taken[question_sets]
            taken[question_sets] += count
        first[unit.unit_id] = places[unit.block_id, unit.rotation]
    return first


def mix(
    items: Sequence[Item],
    controls: Sequence[Item],
    count: int,
    chance: str,
    first: int = 0,
    same_questions: bool = False,
    met: Iterable[str] = (),
    seeds: Mapping[str, str] = MappingProxyType({}),
) -> list[Item]:
    """Return `items` in their order with up to `count` of the `controls`, from the `first` on, at drawn places.

    Controls that ask what the unit asks come before others; with `same_questions` there are no others. A control is
    left out if its conversation or seed is in `met`, in the unit or in another of its controls; if none is left, there
    are fewer.
    """
    rng = random.Random(f"controls {chance}")
    seen = set(met) | marks_of(items, seeds)
    question_sets = {item.questions for item in items}
    alike = [control for control in controls if control.questions in question_sets]
    others = [control for control in controls if control.questions not in question_sets]
    if same_questions:
        others = []
    mixed = list(items)
    for group in (alike, others):
        start = first % max(1, len(group))
        for control in (*group[start:], *group[:start]):
            if not count:
                break
            marks = marks_of([control], seeds)
            if seen.isdisjoint(marks):
                seen |= marks
                count -= 1
                mixed.insert(rng.randint(0, len(mixed)), control)
    return mixed
