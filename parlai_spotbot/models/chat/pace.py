"""How fast a server is asked: at most so many requests and tokens in any minute, and pauses when it is unwell."""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

MINUTE = 60.0
ROUNDING = 1e-6
"""Seconds that sums of times may be wrong by; to wait for less would be to wait for nothing, again and again."""

FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0


def backoff(attempt: int, rng: random.Random) -> float:
    """Seconds before the attempt after number `attempt` (from 0): doubled each time, and between half of it and all.

    `rng` is the request's own, so that waiting draws nothing from any generator that a turn depends on.
    """
    return min(LONGEST_DELAY, FIRST_DELAY * 2**attempt) * rng.uniform(0.5, 1.0)


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds that a server asks to wait: ``retry-after-ms``, or ``retry-after`` in seconds or as a date (RFC 9110)."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        then = parsedate_to_datetime(headers.get("retry-after", ""))
    except (TypeError, ValueError):
        return None
    then = then if then.tzinfo else then.replace(tzinfo=UTC)
    return max(0.0, (then - (now or datetime.now(UTC))).total_seconds())


class MinuteLimit:
    """At most `most` of something in any minute; 0 is no limit."""

    def __init__(self, most: float):
        self.most = most
        self._spent: deque[list[float]] = deque()

    def delay(self, now: float, amount: float) -> float:
        """Seconds until `amount` may be spent; more than `most` may be spent when nothing else was for a minute."""
        if not self.most:
            return 0.0
        while self._spent and self._spent[0][0] <= now - MINUTE + ROUNDING:
            self._spent.popleft()
        over = sum(spent for _, spent in self._spent) + min(amount, self.most) - self.most
        for then, spent in self._spent:
            if over <= 0:
                return 0.0
            over -= spent
            if over <= 0:
                return then + MINUTE - now
        return 0.0

    def spend(self, now: float, amount: float) -> list[float]:
        """Note what is spent; the entry returned, ``[time, amount]``, may be corrected when the amount is known."""
        entry = [now, amount]
        if self.most:
            self._spent.append(entry)
        return entry


class Pace:
    """Lets requests go when the limits allow, in the order in which they came."""

    def __init__(
        self,
        requests: float = 0,
        tokens: float = 0,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable] = asyncio.sleep,
    ):
        self._requests, self._tokens = MinuteLimit(requests), MinuteLimit(tokens)
        self._clock, self.sleep = clock, sleep
        self._free = 0.0
        self._turn = asyncio.Lock()

    async def go(self, tokens: float) -> list[float]:
        """Wait until a request of about `tokens` may be sent; set ``[1]`` of what is returned to what it took."""
        async with self._turn:
            while True:
                now = self._clock()
                delays = (self._free - now, self._requests.delay(now, 1), self._tokens.delay(now, tokens))
                if max(delays) <= 0:
                    break
                await self.sleep(max(delays))
            self._requests.spend(now, 1)
            return self._tokens.spend(now, tokens)

    def hold(self, seconds: float) -> None:
        """Send nothing for so long: the server asked for it."""
        self._free = max(self._free, self._clock() + seconds)
