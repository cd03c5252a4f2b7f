"""Single whole conversations, one speaker of each judged (Dialogue Likert; Turn Likert, a question a unit).

Every conversation is packed once (ABC-Eval 2022, section 6). Who of it is judged: the one who was judged least so far,
so that all contestants, and the seats of each, come equally often.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Sequence

from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Conversation, Unit
from parlai_spotbot.surveys.judged import WholeOptions, appearances, canonical, reserved, whole_item
from parlai_spotbot.surveys.whole_units import deal, units_of


def pack_dialogues(
    conversations: Iterable[Conversation], options: WholeOptions, existing: Sequence[Unit] = ()
) -> list[Unit]:
    """The units to add to `existing` for the conversations that are in none of them.

    With the spread "units" a block has a rotation for each question. The result depends on conversations and options
    only, not on their order. Raises `UserError` where there is nothing to pack.
    """
    usable = canonical(conversations)
    by_id = {c.conversation_id: c for c in usable}
    times: Counter[str] = Counter()
    seats: Counter[tuple[str, int]] = Counter()
    done = {item.conversation_ids[0]: item.judged[0] for unit in existing for item in unit.items}
    for name, seat in done.items():
        times[by_id[name].entities[seat]] += 1
        seats[by_id[name].entities[seat], seat] += 1
    rng = random.Random(f"dialogues {options.survey} {options.seed}")
    fresh = [c for c in _wanted(usable, options, done) if c.conversation_id not in done]
    rng.shuffle(fresh)
    items = []
    for conversation in fresh:
        name, seat = min(
            _who(conversation),
            key=lambda who: (times[who[0]], seats[who], rng.random()),
        )
        times[name] += 1
        seats[name, seat] += 1
        items.append(whole_item([conversation], [seat], options.put(options.questions), options))
    groups = deal(items, options.unit_size, {c.conversation_id: c.seed_id for c in usable})
    return [unit for group in groups for unit in units_of(_rotations(group, by_id, options), options)]


def _who(conversation: Conversation) -> list[tuple[str, int]]:
    """Contestants and seats that may be judged."""
    found = appearances([conversation], conversation.kind)
    return [(name, seat) for name, pool in found.items() for seat in pool[conversation.conversation_id]]


def _wanted(usable: Sequence[Conversation], options: WholeOptions, shown: Iterable[str]) -> list[Conversation]:
    people = [c for c in usable if c.kind == "people"]
    kept = reserved(people, set(shown), options.seed)
    bots = [c for c in usable if c.kind in options.sources]
    if not bots:
        raise UserError("There is no conversation of bots to pack.", "Name another --source, or leave fewer out.")
    return bots + ([c for c in people if c.conversation_id not in kept] if options.people else [])


def _rotations(group: Sequence, by_id: dict[str, Conversation], options: WholeOptions) -> list[list]:
    if options.spread != "units":
        return [list(group)]
    return [
        [
            whole_item([by_id[item.conversation_ids[0]]], item.judged, (question, *options.companions), options)
            for item in group
        ]
        for question in options.questions
    ]
