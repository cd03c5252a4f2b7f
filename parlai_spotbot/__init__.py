"""Spot The Bot (Deriu et al., EMNLP 2020) as a ParlAI plugin: which of your chatbots passes longest as human."""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

PUBLIC = {
    "Study": "study",
    "selfplay": "selfplay.in_a_program",
    "openai": "selfplay.in_a_program",
    "pack_study": "surveys.packing.pack_study",
    "judge_study": "judges.run",
    "analyze": "findings.analyze",
    "plan": "findings.plans",
    "PlanRequest": "findings.plans",
    "build_report": "report",
    "answers": "notebook",
    "rank": "notebook",
    "survival": "notebook",
    "agreement": "notebook",
    "trust": "notebook",
    "read_votes": "notebook",
    "demo": "notebook",
}
"""What a program needs of the library, and where it stands; read when it is first asked for."""


def __getattr__(name: str) -> Any:
    if name in PUBLIC:
        return getattr(importlib.import_module(f"{__name__}.{PUBLIC[name]}"), name)
    if name == "analysis":
        return importlib.import_module(f"{__name__}.analysis")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *PUBLIC})
