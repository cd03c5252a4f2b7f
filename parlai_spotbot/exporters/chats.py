"""Conversations as chats of roles, which `importers.chats` reads back.

The second entity is the assistant and the first the user, but a person is always the user. `entities` names both, and
`seed_exchanges` counts the exchanges in front that people had.
"""

from __future__ import annotations

from parlai_spotbot.errors import UserError
from parlai_spotbot.exporters.format import Exported, ExportRequest, lines_of
from parlai_spotbot.importers.chats import SYSTEM, ChatForm
from parlai_spotbot.records import HUMAN, Conversation

PEOPLE = "it holds turns of people: the licence of their conversations decides whether you may pass it on"


def assistant_of(conversation: Conversation) -> int:
    """The entity that is the assistant: the second, but for a bot that opened a conversation with a person."""
    return 0 if conversation.is_human == (False, True) else 1


def chat(conversation: Conversation, form: ChatForm, name: str) -> dict:
    """A conversation as a row of a format; `name` is its column of ids."""
    bot = assistant_of(conversation)
    messages = [{form.role: SYSTEM, form.text: conversation.context[bot]}] if conversation.context[bot] else []
    for place, turn in enumerate(conversation.turns):
        messages.append({form.role: form.assistant if place % 2 == bot else form.user, form.text: turn.text})
    return {
        name: conversation.conversation_id,
        form.messages: messages,
        "model": conversation.entities[bot],
        "entities": list(conversation.entities),
        "seed_exchanges": conversation.seed_exchanges,
    }


def chats(request: ExportRequest, form: ChatForm, name: str) -> Exported:
    """All conversations of a study, a line each, in its order."""
    study = request.study
    if not study.conversations_path.exists():
        raise UserError(f"{study.conversations_path}: no such file.", "A study of votes holds no conversations.")
    conversations = study.conversations()
    people = any(HUMAN in c.entities or c.seed_exchanges for c in conversations)
    summary = f"{len(conversations)} conversations of {', '.join(study.plan.contestants)}"
    return Exported(lines_of([chat(c, form, name) for c in conversations]), summary, (PEOPLE,) if people else ())
