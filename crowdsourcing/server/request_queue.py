"""Between HTTP and the desk: who asks (door, session token), one queue to the desk, what is refused is kept and logged.

All calls of the desk run in one thread, in the order in which they came. What an annotator sent and did not get
accepted is kept in `refused.jsonl`, durable before the answer goes out, so that a person can look at it later. Who asks
too much is told to wait, without the desk.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import time
import traceback
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from parlai_spotbot.crowdsourcing.desk.contract import Refusal, Visitor
from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.crowdsourcing.platforms.sign_in import REVOKED_LINK, Door
from parlai_spotbot.crowdsourcing.server.api_requests import ROUTES, as_refusal, parse, refusal
from parlai_spotbot.crowdsourcing.server.refused_bodies import RefusedBodies
from parlai_spotbot.crowdsourcing.server.request_rates import Rate

KEPT = ("submit", "decide", "onboarding", "return", "say", "rate", "leave")
"""Addresses whose refused bodies are kept."""

MOST_WAITING = 16
"""Requests of one annotator that may wait for the desk at once."""

MOST_AT_THE_DOOR = 1000
"""Requests that may wait at once of all who have no name yet: where the platform is slow, the others go on working."""

MOST_WAITING_IN_ALL = 4000

LOG = logging.getLogger("parlai_spotbot.crowdsourcing.server.page_server")

NO_TOKEN = Refusal(401, "token", "Please open the page again by the link that you were given.")
OLD_TOKEN = Refusal(401, "expired", "This page was open for very long. Please reload it.")
FORGED = Refusal(403, "forged", "This page was not opened by a valid link.")
REVOKED = Refusal(403, "link", REVOKED_LINK)
PREVIEW = Refusal(403, "preview", "Please accept the task first.")
TOO_MANY = Refusal(429, "too_many", "Too much was asked at once. Please wait: the page tries again by itself.")
BUSY = Refusal(503, "busy", "Many people are working at the moment. Please wait: the page tries again by itself.")


class Intake:
    """Takes requests from the handlers to the desk, and answers back.

    Parameters
    ----------
    desk : Desk, or callable () -> Desk
        A callable is called in the desk's thread, for desks whose databases belong to a thread.
    door : Door
    secret : bytes
        Signs the session tokens.
    refused_path : Path
    clock : callable () -> float
        Unix time.
    """

    def __init__(self, desk: Any, door: Door, secret: bytes, refused_path: Path, clock: Callable = time.time):
        self.door = door
        self.secret = secret
        self.clock = clock
        self.running = 0
        self._waiting: Counter[str] = Counter()
        self._refused = RefusedBodies(refused_path)
        self.rate = Rate()
        self._door_threads = ThreadPoolExecutor(4, thread_name_prefix="door")
        self._keeper = ThreadPoolExecutor(1, thread_name_prefix="refused")
        self._desk_thread = ThreadPoolExecutor(1, thread_name_prefix="desk")
        self.desk = desk
        if not hasattr(desk, "session"):
            try:
                self.desk = self.call(desk)
            except BaseException:
                self.close()
                raise

    # -- the desk's thread ---------------------------------------------------------------------------------------------
    def call(self, function: Callable, *args: Any) -> Any:
        """Run `function` in the desk's thread and wait for it. Not from the desk's thread, nor from the event loop."""
        return self._desk_thread.submit(function, *args).result()

    async def acall(self, function: Callable, *args: Any) -> Any:
        """The same from the event loop."""
        return await _in(self._desk_thread, function, *args)

    async def expire(self) -> None:
        """Let the desk end what has run out of time."""
        try:
            await self.acall(self.desk.expire)
        except Exception as error:
            self.log_error("expire", error)

    async def nothing_left(self) -> bool:
        """Return whether every unit is done."""
        try:
            counts = await self.acall(self.desk.counts)
        except Exception as error:
            self.log_error("counts", error)
            return False
        return counts["done"] == counts["units"]

    def close(self) -> None:
        """Wait for what was begun, then let go of the threads and the journal."""
        self._door_threads.shutdown()
        self._desk_thread.shutdown()
        self._keeper.shutdown()
        self._refused.close()

    # -- requests ------------------------------------------------------------------------------------------------------
    async def serve(self, name: str, authorization: str, raw: bytes, client: str = "") -> dict:
        """The answer to a request that the address `name` takes; `Refusal` where it is not granted.

        `client` is the address from which it comes, "" where that may be many people's.
        """
        annotator = ""
        self.running += 1
        try:
            if name == "enter":
                return await self._enter(parse(raw), client)
            visitor, annotator, fresh = self._known(authorization, client)
            if annotator and not self.rate.takes(f"annotator {annotator}"):
                raise TOO_MANY
            if not fresh:
                raise OLD_TOKEN
            if not visitor.worker and name != "session":
                raise PREVIEW
            body = parse(raw) if ROUTES[name] == "POST" else {}
            return await self._queue(annotator, self._ask, name, visitor, body)
        except Exception as error:
            reason = as_refusal(error)
            if reason is not error:
                self.log_error(name, error)
            if annotator and name in KEPT and reason is not TOO_MANY:
                await _in(self._keeper, self._refused.keep, annotator, name, reason, raw)
            self.log_refusal(ROUTES[name], name, reason, annotator, len(raw))
            raise reason from None
        finally:
            self.running -= 1

    async def _queue(self, annotator: str, function: Callable, *args: Any, threads: ThreadPoolExecutor | None = None):
        """In the desk's thread, or in other `threads`; who has many requests waiting already, or all together too many,
        is told to wait."""
        full = self._waiting[annotator] >= (MOST_WAITING if annotator else MOST_AT_THE_DOOR)
        if full or self._waiting.total() >= MOST_WAITING_IN_ALL:
            raise BUSY
        self._waiting[annotator] += 1
        try:
            return await _in(threads or self._desk_thread, function, *args)
        finally:
            self._waiting[annotator] -= 1
            if not self._waiting[annotator]:
                del self._waiting[annotator]

    async def _enter(self, body: dict, client: str) -> dict:
        self._stranger(client)
        query = body.get("query")
        if not isinstance(query, dict) or not all(isinstance(value, str) for value in query.values()):
            raise refusal(400)
        door = self.door
        link = hashlib.sha256(json.dumps(query, sort_keys=True).encode()).hexdigest()
        if not self.rate.takes(f"link {link}"):
            raise TOO_MANY
        if door.waits:
            visitor = await self._queue("", door.enter, query, threads=self._door_threads)
        else:
            visitor = door.enter(query)
        payload = {"door": door.name, "worker": visitor.worker, "registration": visitor.registration}
        return {"token": tokens.sign_session(self.secret, {**payload, "data": visitor.provider_data}, self.clock())}

    def _stranger(self, client: str) -> None:
        """Count a request that comes without a good token to the address from which it comes."""
        if client and not self.rate.takes(f"address {client}"):
            raise TOO_MANY

    def _known(self, authorization: str, client: str) -> tuple[Visitor, str, bool]:
        try:
            return self._identify(authorization)
        except Refusal:
            self._stranger(client)
            raise

    def _identify(self, authorization: str) -> tuple[Visitor, str, bool]:
        """The visitor, their pseudonym ("" in a preview), and whether the token's time is not over."""
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer" or not token:
            raise NO_TOKEN
        fresh = True
        try:
            payload = tokens.read_session(self.secret, token, self.clock())
        except tokens.ExpiredToken as expired:
            payload, fresh = expired.payload, False
        except tokens.BadToken:
            raise FORGED from None
        if payload["door"] != self.door.name:
            raise NO_TOKEN
        visitor = Visitor(payload["worker"], payload["registration"], payload["data"])
        if not self.door.still_open(visitor):
            raise REVOKED
        annotator = tokens.pseudonym(self.secret, visitor.worker) if visitor.worker else ""
        return visitor, annotator, fresh

    def _ask(self, name: str, visitor: Visitor, body: dict) -> dict:
        """In the desk's thread."""
        desk = self.desk
        if name == "consent":
            if body.get("agree") is not True:
                raise refusal(400)
            return desk.consent(visitor)
        if name in ("session", "unit"):
            return desk.session(visitor) if name == "session" else desk.next_unit(visitor)
        if name in ("open", "decide"):
            return {"item": (desk.open_exchange if name == "open" else desk.decide)(visitor, body)}
        return getattr(desk, {"return": "give_back"}.get(name, name))(visitor, body)

    # -- the log -------------------------------------------------------------------------------------------------------
    def log_refusal(self, method: str, name: str, reason: Refusal, annotator: str, size: int) -> None:
        """One line a refusal."""
        who = annotator or "-"
        LOG.info("refused %s /api/%s %d %s annotator=%s %d bytes", method, name, reason.status, reason.code, who, size)

    def log_error(self, where: str, error: BaseException) -> None:
        """Log the kind, place and (short) message of an error, never a body or a token."""
        frames = traceback.extract_tb(error.__traceback__)[-6:]
        trail = " < ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in reversed(frames))
        message = str(error)
        message = tokens.redact(message) if len(message) <= 200 else "…"
        LOG.error("error in %s: %s: %s; %s", where, type(error).__name__, " ".join(message.split()), trail)


async def _in(threads: ThreadPoolExecutor, function: Callable, *args: Any) -> Any:
    """Run `function` in one of the threads; from the event loop."""
    return await asyncio.get_running_loop().run_in_executor(threads, function, *args)
