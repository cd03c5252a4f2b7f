"""Bots talk to each other: contestants in processes of their own, ParlAI worlds, and a runner that resumes.

The package is called as a function, too, ``parlai_spotbot.selfplay(contestants, study)``: `in_a_program.selfplay`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _CalledPackage(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Any:
        from parlai_spotbot.selfplay.in_a_program import selfplay

        return selfplay(*args, **options)


sys.modules[__name__].__class__ = _CalledPackage
