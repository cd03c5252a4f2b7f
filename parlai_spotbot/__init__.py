"""Spot The Bot (Deriu et al., EMNLP 2020) as a ParlAI plugin: which of your chatbots passes longest as human."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

__version__ = "0.1.0"

PUBLIC = {
    "Study": "notebook",
    "selfplay": "notebook",
    "openai": "notebook",
    "pack_study": "surveys.packing.pack_study",
    "judge_study": "judges.run",
    "analyze": "findings.analyze",
    "plan": "findings.plans",
    "PlanRequest": "findings.plans",
    "report": "notebook",
    "rank": "notebook",
    "survival": "notebook",
    "agreement": "notebook",
    "trust": "notebook",
    "read_votes": "notebook",
    "demo": "notebook",
}
"""What a program needs of the library, and where it stands; read when it is first asked for."""


class CalledPackage(ModuleType):
    """A room that bears the name of a public function: whoever has it from here calls that, wherever it stands."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        return __getattr__(self.__name__.rpartition(".")[2])(*args, **options)


def __getattr__(name: str) -> Any:
    if name in PUBLIC:
        return getattr(importlib.import_module(f"{__name__}.{PUBLIC[name]}"), name)
    if name == "analysis":
        return importlib.import_module(f"{__name__}.analysis")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *PUBLIC})
