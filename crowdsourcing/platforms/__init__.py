"""Platforms that annotators come from: one a file, each with a `PLATFORM`, and shared code to identify people."""

from typing import Any

from parlai_spotbot import plugin


def platform_of(name: str) -> Any:
    """Return the `Platform` of this name; an unknown one is a `UserError` that suggests the nearest."""
    return plugin.find(__name__, "PLATFORM", name, "provider")
