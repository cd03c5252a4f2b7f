"""Controls among the items of a unit: drawn and placed by the chance of the hand-out, never one met before."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from parlai_spotbot.crowdsourcing.desk.available_units import marks_of
from parlai_spotbot.records import Item


def mix(
    items: Sequence[Item],
    controls: Sequence[Item],
    count: int,
    chance: str,
    first: bool = False,
    same_questions: bool = False,
    met: Iterable[str] = (),
    seeds: Mapping[str, str] = MappingProxyType({}),
) -> list[Item]:
    """Return `items` in their order with up to `count` of the `controls`, at drawn places or in front (`first`).

    Controls that ask what the unit asks come before others; with `same_questions` there are no others.
    Kinds of controls alternate (known people, known bots), so that no single answer gets through all of them. A control
    is left out if its conversation or seed is in `met`, in the unit or in another of its controls; if none is left,
    there are fewer.
    """
    rng = random.Random(f"controls {chance}")
    seen = set(met) | marks_of(items, seeds)
    chosen: list[Item] = []
    question_sets = {item.questions for item in items}
    alike = [control for control in controls if control.questions in question_sets]
    others = [] if same_questions else [control for control in controls if control.questions not in question_sets]
    for group in (alike, others):
        kinds = _by_kind(group, rng)
        while len(chosen) < count and any(kinds):
            kind = kinds.pop(0)
            kinds.append(kind)
            while kind:
                control = kind.pop()
                marks = marks_of([control], seeds)
                if seen.isdisjoint(marks):
                    seen |= marks
                    chosen.append(control)
                    break
    mixed = list(items)
    for control in chosen:
        mixed.insert(0 if first else rng.randint(0, len(mixed)), control)
    return mixed


def _by_kind(controls: Sequence[Item], rng: random.Random) -> list[list[Item]]:
    """Return the controls in drawn order, one list a kind, the kinds in drawn order too."""
    kinds: dict[str, list[Item]] = {}
    for control in rng.sample(list(controls), len(controls)):
        kinds.setdefault((control.control or "").partition(":")[0], []).append(control)
    return rng.sample([kinds[kind] for kind in sorted(kinds)], len(kinds))
