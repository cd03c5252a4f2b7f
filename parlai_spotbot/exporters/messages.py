"""Conversations as `messages` of `role` and `content`: OpenAI's chat JSON Lines, also read by Hugging Face's tools."""

from parlai_spotbot.exporters.chats import chats
from parlai_spotbot.exporters.format import Export
from parlai_spotbot.importers.messages import FORM

EXPORT = Export(lambda request: chats(request, FORM, "conversation_id"))
