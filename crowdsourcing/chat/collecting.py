"""Collecting a survey in which people chat: the conversations come before the judgements that name them, and those that
were withdrawn or rejected go after them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from parlai_spotbot.crowdsourcing.chat.chat_ledger import ChatLedger
from parlai_spotbot.crowdsourcing.chat.conversations import bring, conversation_of, rated_chats, shown_by
from parlai_spotbot.crowdsourcing.collection_paths import CollectionPaths
from parlai_spotbot.crowdsourcing.platforms.tokens import pseudonym
from parlai_spotbot.study import Study
from parlai_spotbot.surveys import get_survey


@dataclass
class ChatResult:
    """Results of collecting chats: all conversations, `added` and `removed` ones, and the number
    of other surveys' units that still show removed ones (`shown`: by survey)."""

    conversations: int = 0
    added: int = 0
    removed: int = 0
    shown: dict[str, int] = field(default_factory=dict)


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
    chats = [conversation_of(talk, study, survey, pseudonym(secret, talk.handout.worker)) for talk in talks]
    added, _ = bring(study, survey, chats, keep=True)
    result = ChatResult(len(chats), added)
    yield result
    _, gone = bring(study, survey, chats, keep=False)
    result.removed, result.shown = len(gone), shown_by(study, gone)
