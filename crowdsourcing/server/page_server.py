"""The web server of a collection: tornado in a thread of the operator's own process, so there is nothing to orphan and
no packet to lose between them. It listens on the loopback address unless told otherwise.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import logging.handlers
import resource
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tornado import netutil
from tornado.httpserver import HTTPServer
from tornado.web import Application

from parlai_spotbot.crowdsourcing.desk.contract import LOG
from parlai_spotbot.crowdsourcing.platforms.sign_in import Door
from parlai_spotbot.crowdsourcing.server import handlers
from parlai_spotbot.crowdsourcing.server.request_queue import Intake
from parlai_spotbot.errors import UserError

BODY_LIMIT = 512 * 1024
"""Bytes that a request's body may have: more than any page sends."""

IDLE_SECONDS = 75.0
"""A connection without a request is closed after this long, and a request whose headers take longer."""

BODY_SECONDS = 30.0
"""A body must have come within this time."""

BACKUP_SECONDS = 300.0
"""Seconds between two backups while answers come in."""

WAITING = 20.0
"""Seconds that serving goes on after a page got the state "waiting": such pages ask every 15 seconds."""

GRACE_SECONDS = 5.0
MOST_FILES = 9000
LOG_BYTES = 10_000_000
LOG_FILES = 5
CHATTY = ("tornado.access", "tornado.application", "tornado.general")


@dataclass(frozen=True)
class PageServerOptions:
    """Options of a server: the built page, the log, the address, and what is called while it runs.

    `port` 0 takes a free one, `prefer` first if that is free: open pages ask there. Serving goes on for `linger`
    seconds when all is done. `show` gets the desk's counts when they change, `back_up` is called from time to time.
    `operator_page` makes the operator's page of the desk's counts, its pairs, its annotators and a nonce.
    """

    page: Path
    log: Path | None = None
    host: str = "127.0.0.1"
    port: int = 0
    prefer: int = 0
    linger: float = 0.0
    show: Callable[[dict], None] = lambda counts: None
    back_up: Callable[[], None] = lambda: None
    operator_page: Callable[[dict, list[dict], list[dict], str], str] = lambda counts, pairs, people, nonce: ""


class PageServer:
    """Serves the page and the desk until it is stopped.

    Parameters
    ----------
    make_desk : callable () -> Desk
        Called in the one thread in which all calls of the desk are made.
    door : Door
        The way in.
    secret : bytes
        Signs the session tokens.
    """

    tick_seconds = 1.0
    """Seconds between two calls of `desk.expire`."""

    def __init__(self, make_desk: Callable[[], Any], door: Door, secret: bytes, options: PageServerOptions):
        self._make_desk = make_desk
        self.door = door
        self.secret = secret
        self.options = options
        self.port = options.port
        self.url = ""
        self.counts: dict[str, Any] = {}
        self._done_since: float | None = None
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        self._cleanup = contextlib.ExitStack()

    def start(self) -> str:
        """Listen; return the address. `UserError` where that can't be, with nothing left behind."""
        options = self.options
        with contextlib.ExitStack() as stack:
            page = handlers.read_page(options.page)
            sockets = listen(options.host, options.port, options.prefer)
            for one in sockets:
                stack.callback(one.close)
            stack.enter_context(_log_to(options.log))
            self.intake = Intake(self._make_desk, self.door, self.secret)
            stack.callback(self.intake.close)
            _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
            with contextlib.suppress(ValueError, OSError):  # where the system allows fewer connections
                resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_FILES if hard < 0 else min(hard, MOST_FILES), hard))
            self._start_thread(page, sockets)
            self._cleanup = stack.pop_all()
        self.port = sockets[0].getsockname()[1]
        self.url = f"http://{_shown(options.host)}:{self.port}"
        return self.url

    @property
    def desk(self) -> Any:
        """The desk, once started."""
        return self.intake.desk

    def finished(self) -> bool:
        """Return whether all units have been done for a while, and waiting pages have learnt it."""
        if self._done_since is None or time.monotonic() - self._done_since < self.options.linger:
            return False
        return self.desk.clock() - self.desk.waited_at >= WAITING

    def failed(self) -> BaseException | None:
        """Return the error that ended the server's thread, if any."""
        return self._error

    def stop(self) -> None:
        """Answer running requests, then stop listening and end the threads. Calling it again does no harm."""
        thread, self._thread = self._thread, None
        if thread is not None:
            with contextlib.suppress(RuntimeError):  # the thread has failed, its loop is closed
                self._loop.call_soon_threadsafe(self._stopping.set)
            thread.join()
            self._cleanup.close()

    def __enter__(self) -> PageServer:
        self.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.stop()

    # -- in the thread -------------------------------------------------------------------------------------------------
    def _start_thread(self, page: handlers.Page, sockets: list[socket.socket]) -> None:
        ready = threading.Event()

        def run() -> None:
            try:
                asyncio.run(self._serve(page, sockets, ready))
            except BaseException as error:  # the operator asks `failed`
                self._error = error
            finally:
                ready.set()

        self._thread = threading.Thread(target=run, name="server", daemon=True)
        self._thread.start()
        ready.wait()
        if self._error is not None:
            raise self._error

    async def _serve(self, page: handlers.Page, sockets: list[socket.socket], ready: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        http = HTTPServer(
            application(self.intake, page, self.options.operator_page),
            max_body_size=BODY_LIMIT,
            max_header_size=32 * 1024,
            idle_connection_timeout=IDLE_SECONDS,
            body_timeout=BODY_SECONDS,
        )
        http.add_sockets(sockets)
        await self._tick()
        tasks = [
            asyncio.create_task(self._every(self.tick_seconds, self._tick)),
            asyncio.create_task(self._every(BACKUP_SECONDS, self._back_up)),
        ]
        ready.set()
        await self._stopping.wait()
        http.stop()
        until = self._loop.time() + GRACE_SECONDS
        while self.intake.running and self._loop.time() < until:
            await asyncio.sleep(0.02)
        for task in tasks:
            task.cancel()
        await asyncio.sleep(0.05)  # the latest answers still go out
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(http.close_all_connections(), GRACE_SECONDS)
        await self._tick()
        await self._back_up()

    async def _every(self, seconds: float, call: Callable) -> None:
        while True:
            await call()
            await asyncio.sleep(seconds)

    async def _back_up(self) -> None:
        await self._loop.run_in_executor(None, self.options.back_up)

    async def _tick(self) -> None:
        """End hand-outs that have run out of time, and look how far the collection is."""
        try:
            await self.intake.acall(self.desk.expire)
            counts = await self.intake.acall(self.desk.counts)
        except Exception as error:  # a full disk or a locked file: the next time
            self.intake.log_error("expire", error)
            return
        if counts != self.counts:
            self.counts = counts
            self.options.show(counts)
        if counts["done"] < counts["units"]:
            self._done_since = None
        elif self._done_since is None:
            self._done_since = time.monotonic()


def application(intake: Intake, page: handlers.Page, operator_page: Callable) -> Application:
    """Return the application with its addresses."""
    return Application(
        [(r"/api/(.*)", handlers.ApiHandler), (r"/operator", handlers.OperatorHandler), (r".*", handlers.PageHandler)],
        intake=intake,
        page=page,
        operator_page=operator_page,
        security=handlers.security_headers(intake.door.framed_by),
        log_function=lambda handler: None,  # tornado's would print addresses, and links are secret
    )


# -- where to listen ---------------------------------------------------------------------------------------------------
def listen(host: str, port: int, prefer: int = 0) -> list[socket.socket]:
    """Return listening sockets; `port` 0 takes `prefer` if that is free, else any free one."""
    if not 0 <= port <= 65535:
        raise UserError(f"--port {port}: expected a number from 0 to 65535.", "Correct it, or leave it out.")
    if not port and prefer:
        with contextlib.suppress(OSError, OverflowError):
            return netutil.bind_sockets(prefer, host, backlog=1024)
    try:
        return netutil.bind_sockets(port, host, backlog=1024)
    except OSError as error:
        remedy = "Leave --port out: a free one is found. Name an address of this machine with --host."
        taken = "taken by another program" if error.errno == errno.EADDRINUSE else error.strerror
        raise UserError(f"--host {host}, --port {port}: {taken}.", remedy) from None


def _shown(host: str) -> str:
    """Return the address to open in a browser on this machine."""
    if host in ("", "0.0.0.0"):
        return "127.0.0.1"
    return f"[{'::1' if host == '::' else host}]" if ":" in host else host


@contextlib.contextmanager
def _log_to(path: Path | None):
    """Write the server's log to a file that can't fill the disk; tornado, whose log may hold tokens, is silent."""
    for name in CHATTY:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    handler: logging.Handler = logging.NullHandler()
    if path is not None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(
            path, maxBytes=LOG_BYTES, backupCount=LOG_FILES - 1, encoding="utf-8", delay=True
        )
        form = logging.Formatter("%(asctime)s.%(msecs)03dZ %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S")
        form.converter = time.gmtime
        handler.setFormatter(form)
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        handler.close()
        LOG.propagate = True
