"""Import of other people's data into a study."""

_AS_MESSAGES = "Write the chats as JSON Lines of messages (role, content) and import them with --format messages."
REMOVED = dict.fromkeys(("inspect_ai", "langfuse", "langsmith"), _AS_MESSAGES) | {
    "argilla": "Write the answers as CSV, a row an answer, and import them with --format judgements.",
    "pairings": "Import the chats with --format conversations, and pack them: spotbot_pack --survey acute_eval.",
    "self_chats": "Use --format conversations --data NAME=FILE: both speakers are NAME.",
}
