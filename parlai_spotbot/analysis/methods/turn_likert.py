"""The statistics of Turn Likert: every turn rated from 1 to 5; a bot's mean is over all its turns, as in ABC-Eval
(2022).

Turns of one conversation hang together, as ratings by one annotator do: intervals and tests know it.
"""

from __future__ import annotations

from parlai_spotbot.analysis.methods.dialogue_likert import OPTIONS, PARTS, WANTS, analyze, sections, summary, tables

__all__ = ["OPTIONS", "PARTS", "WANTS", "analyze", "sections", "summary", "tables"]
