"""Limit on the requests of a client: a bucket that fills steadily, so a burst is fine and a flood isn't.

A client is an annotator, by the token of the request; before there is one, the link, and the address from which it
comes where that is known to be one client's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

EACH_SECOND = 20.0
BURST = 600
"""A page asks a few times a minute, and some times a second while somebody opens exchanges."""

MOST_CLIENTS = 20_000


class Rate:
    """So many requests a second of each client, with bursts; `clock` in seconds."""

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


def client_address(peer: str, forwarded: str) -> str:
    """The address of who asks; "" where it can't be known.

    A peer on this machine or in a private network is a proxy, which appends to X-Forwarded-For whom it serves; what
    stands before the last entry is anybody's word. Of IPv6 it is the network of 64 bits, all of which one client has.
    """
    try:
        address = _address(peer)
        if address.is_private:
            address = _address(forwarded.rpartition(",")[2].strip())
    except ValueError:
        return ""
    return str(IPv6Network((int(address), 64), strict=False) if isinstance(address, IPv6Address) else address)


def _address(text: str) -> IPv4Address | IPv6Address:
    """An address; one of IPv4 that is written as IPv6 is what it stands for."""
    address = ip_address(text)
    return getattr(address, "ipv4_mapped", None) or address
