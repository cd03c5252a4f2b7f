"""Chats as ShareGPT's `conversations` of `from` ("human", "gpt") and `value`, with `system` beside or among them."""

from parlai_spotbot.importers.chats import BOT, SYSTEM, TOOL, USER, ChatForm, chats
from parlai_spotbot.importers.format import study_format

ROLES = {
    "human": USER,
    "user": USER,
    "gpt": BOT,
    "assistant": BOT,
    "chatgpt": BOT,
    "bing": BOT,
    "bard": BOT,
    "system": SYSTEM,
    "tool": TOOL,
    "function_call": TOOL,
    "observation": TOOL,
}
FORM = ChatForm("sharegpt", "conversations", "from", "value", ROLES, prompt="system")

FORMAT = study_format(lambda request: chats(request, FORM))
