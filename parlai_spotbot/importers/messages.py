"""Chats as `messages` of `role` and `content`, OpenAI's JSON Lines, and all others that chats.yaml names."""

from parlai_spotbot.importers.chats import ChatReader
from parlai_spotbot.importers.format import study_format

FORMAT = study_format(lambda request: ChatReader(request).study("messages"))
