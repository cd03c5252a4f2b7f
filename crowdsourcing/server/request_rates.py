"""Limit on the requests of an annotator: a bucket that fills steadily, so a burst is fine and a flood isn't."""

from __future__ import annotations

import time
from collections.abc import Callable

EACH_SECOND = 20.0
BURST = 600
"""A page asks a few times a minute, and some times a second while somebody opens exchanges."""

MOST_CLIENTS = 20_000


class Rate:
    """Limit of `each_second` requests of each client, with bursts; `clock` in seconds."""

    def __init__(self, each_second: float = EACH_SECOND, burst: int = BURST, clock: Callable = time.monotonic):
        self.each_second, self.burst, self.clock = each_second, burst, clock
        self._left: dict[str, tuple[float, float]] = {}
        """Client -> requests left, and when that was so."""

    def takes(self, client: str) -> bool:
        """Return whether a request of the client is served; it is counted then."""
        now = self.clock()
        left, at = self._left.pop(client, (float(self.burst), now))
        left = min(float(self.burst), left + (now - at) * self.each_second)
        self._left[client] = (left - (left >= 1), now)  # whoever asked last stands last
        if len(self._left) > MOST_CLIENTS:
            self._left = dict([*self._left.items()][-MOST_CLIENTS // 2 :])
        return left >= 1
