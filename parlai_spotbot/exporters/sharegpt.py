"""Conversations as ShareGPT's `conversations` of `from` and `value`."""

from parlai_spotbot.exporters.chats import ChatForm, export_of

FORM = ChatForm("id", "conversations", "from", "value", "human", "gpt")
EXPORT = export_of(FORM)
