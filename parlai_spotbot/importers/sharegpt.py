"""Chats as ShareGPT's `conversations` of `from` ("human", "gpt") and `value`, with `system` beside or among them."""

from parlai_spotbot.importers.chats import ChatReader
from parlai_spotbot.importers.format import study_format

FORMAT = study_format(lambda request: ChatReader(request).study("sharegpt"))
