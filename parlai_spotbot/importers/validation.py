"""Errors of pydantic as the one kind of error that commands show."""

from __future__ import annotations

from pydantic import ValidationError

from parlai_spotbot.errors import UserError


def user_error(err: ValidationError, where: str, remedy: str) -> UserError:
    """Return the `UserError` of the first wrong field."""
    first = err.errors()[0]
    place = ", ".join(str(part) for part in first["loc"])
    if first["type"] == "missing":
        return UserError(f"{where}: field '{place}' is missing.", remedy)
    return UserError(f"{where}: field '{place}' is {first['input']!r}: {first['msg']}.", remedy)
