"""Between HTTP and the desk: who asks (door, session token), one queue to the desk, what is refused is kept and logged.

All calls of the desk run in one thread, in the order in which they came. What an annotator sent and did not get
accepted is kept in `refused.jsonl`, durable before the answer goes out, so that a person can look at it later.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from parlai_spotbot.crowdsourcing import tokens
from parlai_spotbot.crowdsourcing.api_requests import ROUTES, as_refusal, parse, refusal
from parlai_spotbot.crowdsourcing.contract import Refusal, Visitor
from parlai_spotbot.crowdsourcing.doors import NO_LINK, Door, refused
from parlai_spotbot.errors import UserError
from parlai_spotbot.files import Journal

KEPT = ("submit", "decide", "onboarding", "return", "say", "rate", "leave")
"""Addresses whose refused bodies are kept."""

MOST_KEPT = 200
"""Refused bodies that are kept of one annotator while the server runs; further ones are only logged."""

MOST_WAITING = 16
"""Requests of one annotator that may wait for the desk at once."""

MOST_WAITING_IN_ALL = 4000

LOG = logging.getLogger("parlai_spotbot.crowdsourcing.server")

NO_TOKEN = Refusal(401, "token", "Please open the page again by the link that you were given.")
OLD_TOKEN = Refusal(401, "expired", "This page was open for very long. Please reload it.")
FORGED = Refusal(403, "forged", "This page was not opened by a valid link.")
PREVIEW = Refusal(403, "preview", "Please accept the task first.")
BUSY = Refusal(503, "busy", "Many people are working at the moment. Please wait: the page tries again by itself.")


class RefusalJournal:
    """`refused.jsonl`: time, status, code, the annotator's pseudonym and the body. One row for identical retries."""

    def __init__(self, path: Path):
        self._journal = Journal(path)
        self._rows: Counter[str] = Counter()
        self._seen: set[bytes] = set()

    def keep(self, annotator: str, address: str, reason: Refusal, raw: bytes) -> bool:
        """Whether the body is on the disk now."""
        mark = hashlib.sha256(b"\0".join((annotator.encode(), address.encode(), reason.code.encode(), raw))).digest()
        if mark in self._seen:
            return True
        if self._rows[annotator] >= MOST_KEPT:
            return False
        row = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "request": address,
            "status": reason.status,
            "code": reason.code,
            "annotator": annotator,
            "body": tokens.redact(raw.decode("utf-8", "replace")),
        }
        try:
            self._journal.append(row)
        except UserError:
            return False
        self._seen.add(mark)
        self._rows[annotator] += 1
        return True

    def close(self) -> None:
        self._journal.close()


class Intake:
    """Takes requests from the handlers to the desk, and answers back.

    Parameters
    ----------
    desk : Desk, or callable () -> Desk
        A callable is called in the desk's thread, for desks whose databases belong to a thread.
    doors : sequence of Door
    secret : bytes
        Signs the session tokens.
    refused_path : Path
    clock : callable () -> float
        Unix time.
    """

    def __init__(
        self, desk: Any, doors: Sequence[Door], secret: bytes, refused_path: Path, clock: Callable = time.time
    ):
        self.doors = {door.name: door for door in doors}
        self.secret = secret
        self.clock = clock
        self.running = 0
        self._waiting: Counter[str] = Counter()
        self._refused = RefusalJournal(refused_path)
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
        return await asyncio.get_running_loop().run_in_executor(self._desk_thread, function, *args)

    async def expire(self) -> None:
        """Let the desk end what has run out of time."""
        try:
            await self.acall(self.desk.expire)
        except Exception as error:
            self.log_error("expire", error)

    async def nothing_left(self) -> bool:
        """Whether every unit is done."""
        try:
            counts = await self.acall(self.desk.counts)
        except Exception as error:
            self.log_error("counts", error)
            return False
        return counts["done"] == counts["units"]

    def close(self) -> None:
        """Wait for what was begun, then let go of the threads and the journal."""
        self._desk_thread.shutdown()
        self._keeper.shutdown()
        self._refused.close()

    # -- requests ------------------------------------------------------------------------------------------------------
    async def serve(self, name: str, authorization: str, raw: bytes) -> dict:
        """The answer to a request that the address `name` takes; `Refusal` where it is not granted."""
        annotator = ""
        self.running += 1
        try:
            if name == "enter":
                return await self._enter(parse(raw))
            visitor, annotator, fresh = self._identify(authorization)
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
            if annotator and name in KEPT:
                loop = asyncio.get_running_loop()
                await loop.run_in_executor(self._keeper, self._refused.keep, annotator, name, reason, raw)
            self.log_refusal(ROUTES[name], name, reason, annotator, len(raw))
            raise reason from None
        finally:
            self.running -= 1

    async def _queue(self, annotator: str, function: Callable, *args: Any) -> Any:
        """In the desk's thread; who has many requests there already, or all together too many, is told to wait."""
        full = annotator and self._waiting[annotator] >= MOST_WAITING
        if full or self._waiting.total() >= MOST_WAITING_IN_ALL:
            raise BUSY
        self._waiting[annotator] += 1
        try:
            return await self.acall(function, *args)
        finally:
            self._waiting[annotator] -= 1
            if not self._waiting[annotator]:
                del self._waiting[annotator]

    async def _enter(self, body: dict) -> dict:
        query = body.get("query")
        if not isinstance(query, dict) or not all(isinstance(value, str) for value in query.values()):
            raise refusal(400)
        door = next((door for door in self.doors.values() if door.knows(query)), None)
        if door is None:
            raise refused(NO_LINK)
        visitor = await self._queue("", door.enter, query) if door.writes else door.enter(query)
        payload = {"door": door.name, "worker": visitor.worker, "registration": visitor.registration}
        return {"token": tokens.sign_session(self.secret, {**payload, "data": visitor.provider_data}, self.clock())}

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
        if payload["door"] not in self.doors:
            raise NO_TOKEN
        visitor = Visitor(payload["worker"], payload["registration"], payload["data"])
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
        """What went wrong inside: kind, place and (short) message, never a body or a token."""
        frames = traceback.extract_tb(error.__traceback__)[-6:]
        trail = " < ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in reversed(frames))
        message = str(error)
        message = tokens.redact(message) if len(message) <= 200 else "…"
        LOG.error("error in %s: %s: %s; %s", where, type(error).__name__, " ".join(message.split()), trail)
