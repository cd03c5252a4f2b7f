"""Conversations as `messages` of `role` and `content`: OpenAI's chat JSON Lines, also read by Hugging Face's tools."""

from parlai_spotbot.exporters.chats import ChatForm, export_of

FORM = ChatForm("conversation_id", "messages", "role", "content", "user", "assistant")
EXPORT = export_of(FORM)
