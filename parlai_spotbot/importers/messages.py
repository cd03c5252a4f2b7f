"""Chats as `messages` of `role` and `content`, OpenAI's JSON Lines, and all others that chats.yaml names."""

from parlai_spotbot.importers.chats import ChatForm, ChatReader
from parlai_spotbot.importers.format import study_format

FORM = ChatForm()

FORMAT = study_format(lambda request: ChatReader(request).study("messages"))
