"""The verdict on every two contestants: contrasts, and probes of what these assume."""

from parlai_spotbot.analysis.verdict.probe import AMBER, GREEN, RED, Probe

__all__ = ["AMBER", "GREEN", "RED", "Probe"]
