"""When something was, as other programs write it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from parlai_spotbot.errors import UserError

MILLISECONDS = 1e11
"""Times as numbers are seconds since 1970 below this, else milliseconds."""


def moment(value: Any, where: str) -> datetime:
    """In UTC; without a zone it is taken to be UTC. What is no time is a `UserError` that begins with `where`."""
    try:
        try:
            number = float(value)
        except (TypeError, ValueError):
            parsed = datetime.fromisoformat(str(value).strip())
            return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
        return datetime.fromtimestamp(number / 1000 if abs(number) >= MILLISECONDS else number, UTC)
    except (ValueError, OverflowError, OSError):
        raise UserError(
            f"{where} is {value!r}, expected seconds since 1970 or a time as 2024-05-01T12:00:00Z.",
            "Correct it, or leave times out: --columns time=-.",
        ) from None
