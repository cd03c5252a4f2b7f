"""Ids that say nothing: of units, items and controls."""

import hashlib
from collections.abc import Iterable


def opaque(*parts: object) -> str:
    """16 hexadecimal digits of a SHA-256."""
    return hashlib.sha256(joined(map(str, parts)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def joined(parts: Iterable[str]) -> str:
    """Return what the id of these parts is made of; the joined ones may be a part of others."""
    return "\x1f".join(parts)
