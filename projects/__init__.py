"""One folder per paper or study, importable as ``parlai_spotbot.projects``."""
