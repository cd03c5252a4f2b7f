"""Options of serving until settled; importing this loads no statistics."""

from __future__ import annotations

from dataclasses import dataclass

from parlai_spotbot.options import described


@dataclass(frozen=True, kw_only=True)
@described
class SettledRequest:
    """Options of serving until settled; `until` is "settled", or None where nothing is chosen by the answers."""

    until: str | None = None
    margin: float = 0.0
    level: float = 0.95
    budget: int | None = None
    decides: str | None = None
