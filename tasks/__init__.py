"""ParlAI tasks, importable as ``parlai_spotbot.tasks`` and usable as ``-t spotbot:NAME``."""
