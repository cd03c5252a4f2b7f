"""Options of serving until settled; importing this loads no statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, Self

from parlai_spotbot.errors import UserError
from parlai_spotbot.options import described, option_values


@dataclass(frozen=True, kw_only=True)
@described
class SettledRequest:
    """Options of serving until settled; `until` is None where nothing is chosen by the answers."""

    until: Literal["settled"] | None = None
    margin: float = 0.0
    level: float = 0.95
    budget: int | None = None
    decides: str | None = None

    @classmethod
    def asked(cls, options: Mapping[str, Any]) -> Self | None:
        """Return the request of a command's options, or of arguments; None where --until wasn't given.

        Raises
        ------
        UserError
            Where another of the options was given without it.
        """
        request = cls(**option_values(cls, options))
        if request.until is None and (given := request.named()):
            raise UserError(f"--{next(iter(given))}: goes with --until 'settled'.", "Add that, or leave it out.")
        return request if request.until else None

    def named(self) -> dict[str, Any]:
        """Return the options that were given, as `hints.command` takes them."""
        return {each.name: value for each in fields(self) if (value := getattr(self, each.name)) != each.default}
