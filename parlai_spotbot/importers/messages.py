"""Chats as `messages` of `role` and `content`: OpenAI's JSON Lines, and Hugging Face's data sets with such a column."""

from parlai_spotbot.importers.chats import BOT, SYSTEM, TOOL, USER, ChatForm, chats
from parlai_spotbot.importers.format import study_format

ROLES = {"user": USER, "assistant": BOT, "system": SYSTEM, "developer": SYSTEM, "tool": TOOL, "function": TOOL}
FORM = ChatForm("messages", "messages", "role", "content", ROLES)

FORMAT = study_format(lambda request: chats(request, FORM))
