"""Annotation by people through Mephisto, importable as ``parlai_spotbot.crowdsourcing``."""
