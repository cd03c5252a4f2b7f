"""Between HTTP and the desk: identify the annotator, limit requests, and queue them for the desk's one thread."""

import asyncio
import time
import traceback
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from parlai_spotbot.crowdsourcing.desk.contract import LOG, Refusal, Visitor
from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.crowdsourcing.platforms.sign_in import Door
from parlai_spotbot.crowdsourcing.server.api_requests import ROUTES, as_refusal, parse, refusal

EACH_SECOND = 20.0
BURST = 600
"""A page asks a few times a minute, and some times a second while somebody opens exchanges."""

MOST_CLIENTS = 20_000


class Rate:
    """Limit of `each_second` requests of each client, with bursts; `clock` in seconds."""

    def __init__(self, each_second: float = EACH_SECOND, burst: int = BURST, clock: Callable = time.monotonic):
        self.each_second = each_second
        self.burst = burst
        self.clock = clock
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


MOST_WAITING = 16
"""Requests of one annotator that may wait for the desk at once."""

MOST_AT_THE_DOOR = 1000
"""Requests of unidentified visitors that may wait at once: where the platform is slow, annotators go on working."""

MOST_WAITING_IN_ALL = 4000

METHODS = {"unit": "next_unit", "return": "give_back", "open": "open_exchange"}
"""Methods of the desk whose names are not those of their addresses."""

NO_TOKEN = Refusal(401, "token", "Please open the page again by the link that you were given.")
OLD_TOKEN = Refusal(401, "expired", "This page was open for very long. Please reload it.")
FORGED = Refusal(403, "forged", "This page was not opened by a valid link.")
PREVIEW = Refusal(403, "preview", "Please accept the task first.")
TOO_MANY = Refusal(429, "too_many", "Too many requests at once. Please wait: the page tries again.")
BUSY = Refusal(503, "busy", "Many people are working at the moment. Please wait: the page tries again.")


class Intake:
    """Takes requests from the handlers to the desk, and answers back.

    Parameters
    ----------
    make_desk : callable () -> Desk
        Called in the desk's thread, to which its database belongs.
    door : Door
    secret : bytes
        Signs the session tokens.
    """

    def __init__(self, make_desk: Callable[[], Any], door: Door, secret: bytes):
        self.door = door
        self.secret = secret
        self.running = 0
        self.rate = Rate()
        self._waiting: Counter[str] = Counter()
        self._door_threads = ThreadPoolExecutor(4, thread_name_prefix="door")
        self._desk_thread = ThreadPoolExecutor(1, thread_name_prefix="desk")
        try:
            self.desk = self.call(make_desk)
        except BaseException:
            self.close()
            raise

    def call(self, function: Callable, *args: Any) -> Any:
        """Run `function` in the desk's thread and wait for it. Not from the desk's thread, nor from the event loop."""
        return self._desk_thread.submit(function, *args).result()

    async def acall(self, function: Callable, *args: Any) -> Any:
        """Run `function` in the desk's thread; from the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._desk_thread, function, *args)

    def close(self) -> None:
        """Wait for running requests, then end the threads."""
        self._door_threads.shutdown()
        self._desk_thread.shutdown()

    # -- requests ------------------------------------------------------------------------------------------------------
    async def serve(self, name: str, authorization: str, raw: bytes) -> dict:
        """Return the answer to a request for the address `name`, or raise `Refusal`."""
        annotator = ""
        self.running += 1
        try:
            if name == "enter":
                return await self._enter(parse(raw))
            visitor, annotator, fresh = self._identify(authorization)
            if annotator and not self.rate.takes(annotator):
                raise TOO_MANY
            if not fresh:
                raise OLD_TOKEN
            if not visitor.worker and name != "session":
                raise PREVIEW
            body = parse(raw) if ROUTES[name] == "POST" else {}
            method = getattr(self.desk, METHODS.get(name, name))
            return await self._queue(annotator, self._desk_thread, method, visitor, body)
        except Exception as error:
            reason = as_refusal(error)
            if reason is not error:
                self.log_error(name, error)
            LOG.info("refused /api/%s %d %s annotator=%s", name, reason.status, reason.code, annotator or "-")
            raise reason from None
        finally:
            self.running -= 1

    async def _queue(self, annotator: str, threads: ThreadPoolExecutor, function: Callable, *args: Any) -> Any:
        """Run `function` in one of the threads, unless too many requests wait: of the annotator, or in all."""
        full = self._waiting[annotator] >= (MOST_WAITING if annotator else MOST_AT_THE_DOOR)
        if full or self._waiting.total() >= MOST_WAITING_IN_ALL:
            raise BUSY
        self._waiting[annotator] += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(threads, function, *args)
        finally:
            self._waiting[annotator] -= 1
            if not self._waiting[annotator]:
                del self._waiting[annotator]

    async def _enter(self, body: dict) -> dict:
        query = body.get("query")
        if not isinstance(query, dict) or not all(isinstance(value, str) for value in query.values()):
            raise refusal(400)
        door = self.door
        visitor = await self._queue("", self._door_threads, door.enter, query) if door.waits else door.enter(query)
        payload = {"door": door.name, "worker": visitor.worker, "registration": visitor.registration}
        return {"token": tokens.sign_session(self.secret, {**payload, "data": visitor.provider_data}, time.time())}

    def _identify(self, authorization: str) -> tuple[Visitor, str, bool]:
        """Return the visitor, their pseudonym ("" in a preview), and whether the token is still valid."""
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise NO_TOKEN
        fresh = True
        try:
            payload = tokens.read_session(self.secret, token, time.time())
        except tokens.ExpiredToken as expired:
            payload = expired.payload
            fresh = False
        except tokens.BadToken:
            raise FORGED from None
        if payload["door"] != self.door.name:
            raise NO_TOKEN
        visitor = Visitor(payload["worker"], payload["registration"], payload["data"])
        return visitor, tokens.pseudonym(self.secret, visitor.worker) if visitor.worker else "", fresh

    def log_error(self, where: str, error: BaseException) -> None:
        """Log the kind and place of an error, never a body or a token."""
        frames = traceback.extract_tb(error.__traceback__)[-6:]
        trail = " < ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in reversed(frames))
        LOG.error("error in %s: %s; %s", where, type(error).__name__, trail)
