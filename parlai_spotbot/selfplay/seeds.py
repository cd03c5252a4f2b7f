"""Seeds of chance. Who hosts a contestant needs nothing else of the schedule, and starts without NumPy."""

import hashlib


def derive(*parts: object) -> int:
    """A 63-bit seed from any parts; the same on every machine."""
    digest = hashlib.sha256("\x1f".join(str(part) for part in parts).encode("utf-8")).digest()
    return int.from_bytes(digest[:8], "big") >> 1
