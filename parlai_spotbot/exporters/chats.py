"""Conversations as chats of roles, which `importers.chats` reads back.

The second entity is the assistant and the first the user, but a person is always the user. `entities` names both, and
`seed_exchanges` counts the exchanges in front that people had.
"""

from dataclasses import dataclass
from itertools import cycle

from parlai_spotbot.errors import UserError
from parlai_spotbot.exporters.format import Export, Exported, ExportRequest
from parlai_spotbot.files import jsonl
from parlai_spotbot.records import HUMAN, Conversation
from parlai_spotbot.wording import counted

PEOPLE = "it holds turns of people: the licence of their conversations decides whether you may pass it on"


@dataclass(frozen=True)
class ChatForm:
    """A format's columns of ids and messages, the keys of a message's role and text, and the words for two roles."""

    identity: str
    messages: str
    role: str
    text: str
    user: str
    assistant: str


def messages(conversation: Conversation, bot: int, form: ChatForm, until: int | None = None) -> list[dict]:
    """Return a conversation's messages, where entity `bot` is the assistant: its context, and turns."""
    role_texts = []
    if conversation.context[bot]:
        role_texts.append(("system", conversation.context[bot]))
    roles = [form.user, form.user]
    roles[bot] = form.assistant
    role_texts += zip(cycle(roles), [turn.text for turn in conversation.turns[:until]], strict=False)
    return [{form.role: role, form.text: text} for role, text in role_texts]


def chat(conversation: Conversation, form: ChatForm) -> dict:
    """A conversation as a row; the assistant is the second entity, or a bot that opened a chat with a person."""
    bot = int(conversation.is_human != (False, True))
    return {
        form.identity: conversation.conversation_id,
        form.messages: messages(conversation, bot, form),
        "model": conversation.entities[bot],
        "entities": list(conversation.entities),
        "seed_exchanges": conversation.seed_exchanges,
    }


def chats(request: ExportRequest, form: ChatForm) -> Exported:
    """All conversations of a study, a line each, in its order."""
    study = request.study
    if not study.conversations_path.exists():
        raise UserError(f"{study.conversations_path}: no such file.", "A study of votes holds no conversations.")
    conversations = study.conversations()
    notes = []
    if any(HUMAN in c.entities or c.seed_exchanges for c in conversations):
        notes.append(PEOPLE)
    summary = f"{counted(len(conversations), 'conversation')} of {', '.join(study.plan.contestants)}"
    return Exported(jsonl(chat(c, form) for c in conversations), summary, tuple(notes))


def export_of(form: ChatForm) -> Export:
    """Return the export of a format of chats."""
    return Export(lambda request: chats(request, form))
