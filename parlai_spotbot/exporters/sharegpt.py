"""Conversations as ShareGPT's `conversations` of `from` and `value`."""

from parlai_spotbot.exporters.chats import chats
from parlai_spotbot.exporters.format import Export
from parlai_spotbot.importers.sharegpt import FORM

EXPORT = Export(lambda request: chats(request, FORM, "id"))
