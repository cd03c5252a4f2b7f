"""Single whole conversations, one speaker of each judged.

For Dialogue Likert, Turn Likert (one question in a unit) and ABC-Eval (one task in a unit).
Every conversation is packed once (ABC-Eval 2022, section 6). Who of it is judged: the one who was judged least so far,
so that all contestants, and the seats of each, come equally often.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Conversation, Unit
from parlai_spotbot.surveys.packing.whole_items import WholeOptions, appearances, kept_for_controls, usable, whole_item
from parlai_spotbot.surveys.packing.whole_packing import WholePacking
from parlai_spotbot.surveys.packing.whole_units import asking, pack_items, units_of
from parlai_spotbot.surveys.survey import Survey


def pack_dialogues(
    conversations: Iterable[Conversation], options: WholeOptions, existing: Sequence[Unit] = ()
) -> list[Unit]:
    """Return the units to add to `existing` for the conversations that are in none of them.

    With the spread "units" a block has a rotation for each question, with "tasks" for each task; tasks that were not
    asked before are added to the blocks there are. The result depends on conversations and options
    only, not on their order. Raises `UserError` where there is nothing to pack.
    """
    talks = usable(conversations)
    by_id = {c.conversation_id: c for c in talks}
    times: Counter[str] = Counter()
    seats: Counter[tuple[str, int]] = Counter()
    done = {item.conversation_ids[0]: item.judged[0] for unit in existing for item in unit.items}
    for name, seat in done.items():
        times[by_id[name].entities[seat]] += 1
        seats[by_id[name].entities[seat], seat] += 1
    rng = random.Random(f"dialogues {options.survey} {options.seed}")
    fresh = [c for c in _wanted(talks, options, done) if c.conversation_id not in done]
    rng.shuffle(fresh)
    items = []
    for conversation in fresh:
        name, seat = min(_who(conversation), key=lambda who: (times[who[0]], seats[who], rng.random()))
        times[name] += 1
        seats[name, seat] += 1
        items.append(whole_item([conversation], [seat], options.put(options.questions), options))
    further = _further_tasks(existing, by_id, options) if options.spread == "tasks" else []
    return further + pack_items(items, by_id, options, existing)


def _who(conversation: Conversation) -> list[tuple[str, int]]:
    """Contestants and seats that may be judged."""
    seats_by_name = appearances([conversation], conversation.kind)
    return [(name, seat) for name, pool in seats_by_name.items() for seat in pool[conversation.conversation_id]]


def _wanted(talks: Sequence[Conversation], options: WholeOptions, shown: Iterable[str]) -> list[Conversation]:
    people = [c for c in talks if c.kind == "people"]
    kept = kept_for_controls(people, set(shown), options)
    bots = [c for c in talks if c.kind in options.sources]
    if not bots:
        raise UserError("There is no conversation of bots to pack.", "Name another --source, or leave fewer out.")
    return bots + ([c for c in people if c.conversation_id not in kept] if options.people else [])


def _further_tasks(existing: Sequence[Unit], by_id: dict[str, Conversation], options: WholeOptions) -> list[Unit]:
    """Units of the tasks that blocks don't have yet, on the conversations that they have."""
    blocks: dict[str, list[Unit]] = {}
    for unit in existing:
        blocks.setdefault(unit.block_id, []).append(unit)
    added = []
    for block_id, units in blocks.items():
        questions_asked = {question for unit in units for item in unit.items for question in item.questions}
        missing = [questions for questions in options.dealt if questions_asked.isdisjoint(questions)]
        # The first unit's order was drawn for one annotator: the items are put back in an order of their own.
        group = sorted(units[0].items, key=lambda item: item.conversation_ids)
        rotations = [asking(group, questions, by_id, options) for questions in missing]
        again = any(unit.replicate >= options.annotators_per_item for unit in units)
        added += units_of(rotations, options, block_id, 1 + max(unit.rotation for unit in units), again=again)
    return added


class DialoguesPacking(WholePacking):
    """Single whole conversations."""

    name = "dialogues"
    refuses = (*WholePacking.refuses, (("comparisons", "pairs", "same"), "compares nothing"))

    def units(
        self, conversations: Sequence[Conversation], options: WholeOptions, existing: Sequence[Unit]
    ) -> list[Unit]:
        return pack_dialogues(conversations, options, existing)

    def growing(self, survey: Survey) -> tuple[str, ...]:
        return ("questions",) if survey.tasks else ()
