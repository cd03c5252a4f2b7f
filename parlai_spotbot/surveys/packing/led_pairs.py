"""Pairs of conversations with people that aren't drawn: the two that one person led, or those that answer the same.

Which of the two that one person led was better that person said in the survey `interactive`; what people outside choose
of the same two can then be held against it (ABC-Eval 2022, sections 3 and 5.1: predictive validity). What people choose
of two bots' answers to the same is a preference between these answers (`exporters.preferences`).
"""

from collections.abc import Sequence
from itertools import combinations

from parlai_spotbot.errors import UserError, nearest
from parlai_spotbot.records import HUMAN, Conversation, Judgement
from parlai_spotbot.surveys.packing.packing import PackRequest

INTERACTORS = "interactors"
"""The two conversations that one person led are compared."""

CONTEXTS = "contexts"
"""Every two conversations in which two bots answer the same are compared."""

ASKED_BY = "interactive"
"""The survey in which people lead two conversations and compare them."""


def check_led(request: PackRequest, pairs: str, questions: Sequence[str], spread: str) -> None:
    """Raise `UserError` where something is requested that such pairs leave no room for."""
    if pairs not in (INTERACTORS, CONTEXTS):
        raise UserError(f"--pairs {pairs}: unknown.", nearest(pairs, (INTERACTORS, CONTEXTS)))
    given = {"comparisons": request.comparisons, "same": request.same, "source": request.sources}
    for name in [name for name, value in given.items() if value] + ["without-people"] * (request.people is False):
        raise UserError(f"--{name}: with --pairs {pairs} every such pair is compared once.", "Leave it out.")
    if spread == "items" and len(questions) > 1:
        raise UserError(f"--pairs {pairs}: each pair is shown for one question.", "Name one question with --ask.")


def given_pairs(
    pairs: str, conversations: Sequence[Conversation], rows: Sequence[Judgement]
) -> tuple[tuple[str, str], ...]:
    """Return the pairs of such a kind; `rows` are the answers to the survey `ASKED_BY`."""
    if pairs == INTERACTORS:
        return led_by_one(conversations, rows)
    return answers_to_the_same(conversations)


def answers_to_the_same(conversations: Sequence[Conversation]) -> tuple[tuple[str, str], ...]:
    """Return the ids of every two conversations in which two bots first answer the same.

    All earlier turns are the same, and so are the contexts of both bots.
    """
    groups: dict[tuple, list[Conversation]] = {}
    for talk in sorted(conversations, key=lambda c: c.conversation_id):
        if talk.kind == "human_model" and talk.exchanges:
            seat = talk.is_human.index(False)
            texts = tuple(turn.text for turn in talk.turns[: 2 * talk.seed_exchanges + seat])
            if texts:
                groups.setdefault((seat, talk.context[seat], talk.seed_exchanges, texts), []).append(talk)
    pairs = tuple(
        (one.conversation_id, other.conversation_id)
        for group in groups.values()
        for one, other in combinations(group, 2)
        if set(one.entities) != set(other.entities)
    )
    if not pairs:
        raise UserError(
            f"--pairs {CONTEXTS}: the study holds no two bots' conversations with people that begin with the same.",
            "Bring in two bots' answers to the same: spotbot_import --format messages --data one.jsonl,two.jsonl.",
        )
    return pairs


def led_by_one(conversations: Sequence[Conversation], rows: Sequence[Judgement]) -> tuple[tuple[str, str], ...]:
    """Every two conversations that one person led and compared, as far as the study still has both, in their order."""
    conversation_ids = {c.conversation_id for c in conversations if c.kind == "human_model" and c.exchanges}
    pairs_asked = (row.conversation_ids for row in rows if row.source == HUMAN and len(row.conversation_ids) == 2)
    pairs = dict.fromkeys((first, second) for first, second in pairs_asked if {first, second} <= conversation_ids)
    if not pairs:
        raise UserError(
            f"--pairs {INTERACTORS}: the study holds no two conversations that one person led and compared.",
            "Let people chat with two bots each: spotbot_pack --survey interactive, then spotbot_crowdsource.",
        )
    return tuple(pairs)
