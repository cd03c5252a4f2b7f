"""Collecting a survey in which people chat: the conversations come before the judgements that name them, and those that
were withdrawn or rejected go after them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from parlai_spotbot.crowdsourcing.chat.chat_ledger import ChatLedger
from parlai_spotbot.crowdsourcing.chat.conversations import (
    ExcusedUnit,
    bring,
    conversation_of,
    excused,
    rated_chats,
    shown_by,
)
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.platforms.tokens import pseudonym
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey

CREDIT = ("worker_id", "unit_id", "messages", "chats_rated", "minutes")


@dataclass
class ChatResult:
    """Results of collecting chats: all conversations, `added` and `removed` ones, other surveys' units that still show
    removed ones (`shown`: by survey), and hand-outs that ended because a contestant broke down (`left`)."""

    conversations: int = 0
    added: int = 0
    removed: int = 0
    shown: dict[str, int] = field(default_factory=dict)
    left: list[ExcusedUnit] = field(default_factory=list)


@contextlib.contextmanager
def collecting_chats(study: Study, survey: str, secret: bytes, out: set[str]) -> Iterator[ChatResult | None]:
    """Bring the study's conversations up to date with the ledger; the judgements are written inside.

    `out` are the handles whose work was rejected. None where nobody chats. The caller holds the study's lock.
    """
    if get_survey(survey).chat is None:
        yield None
        return
    with ChatLedger(CollectionPaths.of(study, survey).ledger) as ledger:
        talks = [talk for talk in rated_chats(ledger) if talk.handout.handle not in out]
        left = excused(ledger)
    chats = [conversation_of(talk, study, survey, pseudonym(secret, talk.handout.worker)) for talk in talks]
    added, _ = bring(study, survey, chats, keep=True)
    result = ChatResult(len(chats), added, left=left)
    yield result
    _, gone = bring(study, survey, chats, keep=False)
    result.removed, result.shown = len(gone), shown_by(study, gone)


def credit_rows(chat_result: ChatResult) -> list[tuple]:
    """Return whom to credit for work that a contestant's failure cut short, a row a unit."""
    return [
        (one.handout.worker, one.handout.unit_id, one.messages, one.rated, f"{one.seconds / 60:.1f}")
        for one in chat_result.left
    ]
