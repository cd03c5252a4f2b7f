"""Single whole conversations, one speaker of each judged.

For Dialogue Likert, Turn Likert (one question in a unit) and ABC-Eval (one task in a unit).
Every conversation is packed once (ABC-Eval 2022, section 6). Who of it is judged: the one who was judged least so far,
so that all contestants, and the seats of each, come equally often.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Conversation, Unit, indexed
from parlai_spotbot.surveys.packing.packing import COMMON, WHOLE
from parlai_spotbot.surveys.packing.whole_items import WholeOptions, appearances, kept_for_controls, usable, whole_item
from parlai_spotbot.surveys.packing.whole_packing import WholePacking
from parlai_spotbot.surveys.packing.whole_units import pack_items


def pack_dialogues(
    conversations: Iterable[Conversation], options: WholeOptions, existing: Sequence[Unit] = ()
) -> list[Unit]:
    """Return the units to add to `existing` for the conversations that are in none of them.

    With the spread "units" a block has a rotation for each question, with "tasks" for each task. The result depends on
    conversations and options only, not on their order. Raises `UserError` where there is nothing to pack.
    """
    talks = usable(conversations)
    by_id = indexed(talks)
    times: Counter[str] = Counter()
    seats: Counter[tuple[str, int]] = Counter()
    done = {item.conversation_ids[0]: item.judged[0] for unit in existing for item in unit.items}
    for name, seat in done.items():
        times[by_id[name].entities[seat]] += 1
        seats[by_id[name].entities[seat], seat] += 1
    rng = random.Random(f"dialogues {options.survey} {options.seed}")
    fresh = [c for c in _dialogues_to_rate(talks, options, done) if c.conversation_id not in done]
    rng.shuffle(fresh)
    items = []
    for conversation in fresh:
        name, seat = min(_who(conversation), key=lambda who: (times[who[0]], seats[who], rng.random()))
        times[name] += 1
        seats[name, seat] += 1
        items.append(whole_item([conversation], [seat], options.put(options.questions), options))
    return pack_items(items, by_id, options, existing)


def _who(conversation: Conversation) -> list[tuple[str, int]]:
    """Contestants and seats that may be judged."""
    seats_by_name = appearances([conversation], conversation.kind)
    return [(name, seat) for name, pool in seats_by_name.items() for seat in pool[conversation.conversation_id]]


def _dialogues_to_rate(
    talks: Sequence[Conversation], options: WholeOptions, shown: Iterable[str]
) -> list[Conversation]:
    bots = [c for c in talks if c.kind in options.sources]
    if not bots:
        raise UserError("There is no conversation of bots to pack.", "Name another --source, or leave fewer out.")
    if not options.people:
        return bots
    people = [c for c in talks if c.kind == "people"]
    kept = kept_for_controls(people, set(shown), options)
    return bots + [c for c in people if c.conversation_id not in kept]


class DialoguesPacking(WholePacking):
    """Single whole conversations."""

    name = "dialogues"
    takes = (*COMMON, *WHOLE)

    def units(self, conversations: Sequence[Conversation], options: Any, existing: Sequence[Unit]) -> list[Unit]:
        return pack_dialogues(conversations, options, existing)


PACKING = DialoguesPacking()
