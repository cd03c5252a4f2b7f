"""ParlAI agents, importable as ``parlai_spotbot.agents`` and usable as ``-m spotbot:NAME``."""
