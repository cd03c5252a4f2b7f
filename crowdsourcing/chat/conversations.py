"""Conversations of the study from chats, which every other survey may show.

A chat counts when it was rated and its unit was handed in. Ids
follow from the hand-out, numbers from the order in which chats began, so collecting again changes nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from parlai_spotbot import checksums, hints
from parlai_spotbot.crowdsourcing.chat.chat_ledger import ChatLedger, ChatRecord
from parlai_spotbot.crowdsourcing.ledger.entries import Handout
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import HUMAN, Conversation, Turn
from parlai_spotbot.study import Study

HOW = "a person chatted in the browser (spotbot_crowdsource)"
ORIGIN = "collected"
"""The key of a conversation's provenance that names the survey whose chats it was collected from."""


@dataclass(frozen=True)
class RatedChat:
    """A rated chat: as it is kept, its hand-out, what was said in whole exchanges, and how many troubles there were."""

    chat: ChatRecord
    handout: Handout
    number: int
    turns: tuple[str, ...]
    seconds: float
    troubles: int


def rated_chats(ledger: ChatLedger) -> list[RatedChat]:
    """Return the rated chats of hand-outs that were handed in, in the order in which they began."""
    handouts = {handout.handle: handout for handout in ledger.handouts("status = 'done'")}
    numbers: Counter[str] = Counter()
    rated = []
    for chat in ledger.chats():
        number = numbers[chat.contestant]
        numbers[chat.contestant] += 1
        if chat.status == "rated" and chat.handle in handouts:
            turns = ledger.turns(chat.chat_id)
            turns = turns[: len(turns) // 2 * 2]
            seconds = turns[-1].shown_at - turns[0].said_at
            troubles = len(ledger.troubles(chat.chat_id))
            texts = tuple(turn.text for turn in turns)
            rated.append(RatedChat(chat, handouts[chat.handle], number, texts, seconds, troubles))
    return rated


def conversation_of(talk: RatedChat, study: Study, survey: str, interactor: str) -> Conversation:
    """The record of a chat; the person is entity 0 and speaks first. `interactor` is the person's pseudonym."""
    bot = talk.chat.contestant
    about = study.provenance().get("crowdsourcing", {}).get(survey, {}).get("chat", {}).get("contestants", {})
    prompt = about.get(bot, {}).get("system_prompt", "")
    return Conversation(
        conversation_id=talk.chat.chat_id,
        domain=study.plan.domain,
        pair=(min(HUMAN, bot), max(HUMAN, bot)),
        number=talk.number,
        entities=(HUMAN, bot),
        turns=tuple(Turn((HUMAN, bot)[i % 2], text) for i, text in enumerate(talk.turns)),
        seed_exchanges=0,
        provenance={
            ORIGIN: survey,
            "how": HOW,
            "interactor": interactor,
            "place_in_unit": talk.chat.item,
            "seconds": round(talk.seconds, 1),
            "failed_answers": talk.troubles,
            **({"system_prompts": {bot: prompt}} if prompt else {}),
        },
    )


def bring(study: Study, survey: str, chats: Sequence[Conversation], keep: bool) -> tuple[int, set[str]]:
    """Make conversations.jsonl hold these chats, once each, behind the bots' and before the people's.

    With `keep`, chats from before that are not among them stay. Returns how many came and the ids of those that went.
    Raises `UserError` where self-play was stopped before it had written the file.
    """
    path = study.conversations_path
    if not path.exists() and study.journal_path.exists():
        raise UserError(
            f"{study.journal_path}: self-play of this study has not ended, and its conversations are not in place.",
            f"Run it to its end first: {hints.command('selfchat', study.path)}",
        )
    conversations = study.conversations() if path.exists() else []
    others = [row for row in conversations if row.provenance.get(ORIGIN) != survey]
    row_by_conversation_id = {row.conversation_id: row for row in conversations if row.provenance.get(ORIGIN) == survey}
    collected = {row.conversation_id: row for row in chats}
    gone = set(row_by_conversation_id) - set(collected)
    kept_rows = sorted(({**row_by_conversation_id, **collected} if keep else collected).values(), key=_canonical(study))
    rows = (
        [row for row in others if sum(row.is_human) < 2] + kept_rows + [row for row in others if sum(row.is_human) == 2]
    )
    if rows != conversations:
        checksums.write_jsonl(path, (row.to_json() for row in rows))
    return len(set(collected) - set(row_by_conversation_id)), set() if keep else gone


def _canonical(study: Study) -> Callable[[Conversation], Any]:
    order = {name: place for place, name in enumerate(study.plan.contestants)}
    return lambda row: (order.get(row.entities[1], len(order)), row.entities[1], row.number)


def shown_by(study: Study, gone: set[str]) -> dict[str, int]:
    """Return how many units of each packed survey show one of these conversations."""
    counts = {}
    for survey in study.plan.surveys:
        if gone and study.units_path(survey).exists():
            units = study.units(survey)
            count = sum(any(gone & set(item.conversation_ids) for item in unit.items) for unit in units)
            counts |= {survey: count} if count else {}
    return counts


def with_chat_time(record: Mapping) -> dict:
    """A chat's ratings with the time of the chat and that of the rating together: both are work of the annotation."""
    return {**record, "seconds": round((record["seconds"] or 0.0) + record["chat_seconds"], 3)}
