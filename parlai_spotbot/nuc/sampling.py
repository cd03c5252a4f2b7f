"""Questions drawn from a corpus."""

from __future__ import annotations

from parlai_spotbot.nuc.questions import NucQuestion, Origin, read_questions, write_questions

__all__ = ["NucQuestion", "Origin", "read_questions", "write_questions"]
