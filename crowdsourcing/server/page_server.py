"""The web server of the operator: tornado in a thread of the operator's own process, so there is nothing to orphan and
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
from tornado.http1connection import HTTP1Connection, HTTP1ServerConnection
from tornado.httpserver import HTTPServer
from tornado.iostream import IOStream
from tornado.web import Application

from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.crowdsourcing.platforms.sign_in import Door
from parlai_spotbot.crowdsourcing.server import handlers
from parlai_spotbot.crowdsourcing.server.request_queue import LOG, Intake
from parlai_spotbot.errors import UserError

IDLE_SECONDS = 75.0
"""A connection without a request is closed after this long, and a request whose headers take longer."""

BODY_SECONDS = 30.0
"""A body must have come within this time."""

UNREAD_SECONDS = 60
"""A connection whose client doesn't read what it is sent is closed after this long."""

MOST_CONNECTIONS = 8000

GRACE_SECONDS = 5.0

LOG_BYTES = 10_000_000
LOG_FILES = 5

CHATTY = ("tornado.access", "tornado.application", "tornado.general")


class BoundedHTTPServer(HTTPServer):
    """An HTTP server that, when `most` connections are open, closes the one that has had nothing answered for longest,
    rather than turn newcomers away: whoever opens connections and leaves them idle can't lock others out."""

    most = MOST_CONNECTIONS

    def initialize(self, *args: Any, **kwargs: Any) -> None:
        super().initialize(*args, **kwargs)
        self.resting: dict[IOStream, None] = {}
        """Open connections, the one that was answered longest ago first."""

    def handle_stream(self, stream: IOStream, address: tuple) -> None:
        with contextlib.suppress(OSError):
            stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            stream.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNREAD_SECONDS * 1000)
        self._rest(stream)
        while len(self.resting) > self.most:
            oldest = next(iter(self.resting))
            del self.resting[oldest]
            oldest.close()
        super().handle_stream(stream, address)

    def _rest(self, stream: IOStream) -> None:
        self.resting.pop(stream, None)
        self.resting[stream] = None

    def answered(self, connection: HTTP1Connection) -> None:
        """An answer went out on this connection."""
        if connection.stream is not None and not connection.stream.closed():
            self._rest(connection.stream)

    def on_close(self, server_conn: HTTP1ServerConnection) -> None:
        self.resting.pop(server_conn.stream, None)
        super().on_close(server_conn)


@dataclass(frozen=True)
class ServerFiles:
    """The folder of the built page, the file that keeps refused submissions, and the server's log, if there is one."""

    page: Path
    refused: Path
    log: Path | None = None


@dataclass(frozen=True)
class ListenAddress:
    """Address to listen at; `port` 0 takes a free one, `prefer` first if that is free: open pages ask there."""

    host: str = "127.0.0.1"
    port: int = 0
    prefer: int = 0


class PageServer:
    """Serves the page and the desk until it is stopped.

    Parameters
    ----------
    desk : Desk, or callable () -> Desk
        All its calls are made in one thread; a callable is called in that thread, by `start`.
    door : Door
        The way in.
    secret : bytes
        Signs the session tokens.
    """

    expire_every = 5.0
    """Seconds between two calls of `desk.expire`."""

    def __init__(
        self, desk: Any, door: Door, files: ServerFiles, secret: bytes, address: ListenAddress = ListenAddress()
    ):
        self._desk = desk
        self.door = door
        self.files, self.secret, self.address = files, secret, address
        self.port = address.port
        self.url = ""
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        self._nothing_left = False
        self._cleanup = contextlib.ExitStack()

    def start(self) -> str:
        """Listen; returns the address. `UserError` where that can't be, with nothing left behind."""
        with contextlib.ExitStack() as stack:
            page = handlers.read_page(self.files.page)
            sockets = listen(self.address.host, self.port, self.address.prefer)
            for one in sockets:
                stack.callback(one.close)
            stack.enter_context(_quiet_logs(self.files.log))
            self.intake = Intake(self._desk, self.door, self.secret, self.files.refused)
            stack.callback(self.intake.close)
            raise_file_limit()
            self._start_thread(page, sockets)
            self._cleanup = stack.pop_all()
        self.port = sockets[0].getsockname()[1]
        self.url = f"http://{_shown(self.address.host)}:{self.port}"
        return self.url

    @property
    def desk(self) -> Any:
        """The desk, once started."""
        return self.intake.desk

    def call(self, function: Callable, *args: Any) -> Any:
        """Run `function` in the desk's thread, wait, and return its result."""
        return self.intake.call(function, *args)

    def finished(self) -> bool:
        """Return whether every unit is done, as of some seconds ago: who handed in the last one has had the answer."""
        return self._nothing_left

    def failed(self) -> BaseException | None:
        """Return what ended the server's thread, where it was not `stop`."""
        return self._error

    def stop(self) -> None:
        """Answer what was asked already, then stop listening and end the threads. Calling it again does no harm."""
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
    def _start_thread(self, page: dict[str, handlers.PageFile], sockets: list[socket.socket]) -> None:
        ready = threading.Event()

        def run() -> None:
            try:
                asyncio.run(self._serve(page, sockets, ready))
            except BaseException as error:  # whoever waits for the server asks `failed`
                self._error = error
            finally:
                ready.set()

        self._thread = threading.Thread(target=run, name="server", daemon=True)
        self._thread.start()
        ready.wait()
        if self._error is not None:
            raise self._error

    async def _serve(self, page: dict[str, handlers.PageFile], sockets: list[socket.socket], ready: threading.Event):
        self._loop = asyncio.get_running_loop()
        self._stopping = asyncio.Event()
        http = BoundedHTTPServer(
            application(self.intake, page, lambda connection: http.answered(connection)),
            max_body_size=handlers.PATIENCE,
            max_header_size=32 * 1024,
            idle_connection_timeout=IDLE_SECONDS,
            body_timeout=BODY_SECONDS,
        )
        http.add_sockets(sockets)
        clockwork = asyncio.create_task(self._expire())
        ready.set()
        await self._stopping.wait()
        http.stop()
        until = self._loop.time() + GRACE_SECONDS
        while self.intake.running and self._loop.time() < until:
            await asyncio.sleep(0.02)
        clockwork.cancel()
        await asyncio.sleep(0.05)  # what was answered last still goes out
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(http.close_all_connections(), GRACE_SECONDS)

    async def _expire(self) -> None:
        while True:
            await asyncio.sleep(self.expire_every)
            await self.intake.expire()
            self._nothing_left = await self.intake.nothing_left()


def application(
    intake: Intake, page: dict[str, handlers.PageFile], at_rest: Callable[[HTTP1Connection], None]
) -> Application:
    """Return the addresses; `at_rest` is called with each connection on which an answer went out."""
    everybody = {"intake": intake}
    return Application(
        [(r"/api/(.*)", handlers.ApiHandler, everybody), (r".*", handlers.PageHandler, everybody)],
        page=page,
        at_rest=at_rest,
        security=handlers.security_headers(intake.door.framed_by),
        log_function=lambda handler: None,  # tornado's would print addresses, and links are secret
    )


# -- where to listen ---------------------------------------------------------------------------------------------------
def listen(host: str, port: int, prefer: int = 0) -> list[socket.socket]:
    """Listening sockets; `port` 0 takes `prefer` if that is free, else any free one. `UserError` where it can't be."""
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
    """The address to open in a browser on this machine."""
    if host in ("", "0.0.0.0"):
        return "127.0.0.1"
    return f"[{'::1' if host == '::' else host}]" if ":" in host else host


def raise_file_limit() -> None:
    """Let this process hold as many connections as the system allows it to, at most some thousands."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = MOST_CONNECTIONS + 1000
    limit = limit if hard == resource.RLIM_INFINITY else min(hard, limit)
    if soft != resource.RLIM_INFINITY and soft < limit:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
            soft = limit
    if soft != resource.RLIM_INFINITY:
        BoundedHTTPServer.most = min(MOST_CONNECTIONS, max(64, soft - 256))


# -- logs --------------------------------------------------------------------------------------------------------------
class _Redact(logging.Filter):
    """Takes tokens out of what tornado logs about malformed requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = tokens.redact(record.getMessage()), ()
        return True


@contextlib.contextmanager
def _quiet_logs(path: Path | None):
    """The server's log goes to a file of its own that can't fill the disk; what tornado prints holds no token."""
    redact = _Redact()
    for name in CHATTY:
        logging.getLogger(name).addFilter(redact)
    handler: logging.Handler = logging.NullHandler()
    if path is not None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        handler = logging.handlers.RotatingFileHandler(
            path, maxBytes=LOG_BYTES, backupCount=LOG_FILES - 1, encoding="utf-8", delay=True
        )
        form = logging.Formatter("%(asctime)s.%(msecs)03dZ %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S")
        form.converter = time.gmtime
        handler.setFormatter(form)
    before = LOG.level, LOG.propagate
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    try:
        yield
    finally:
        LOG.removeHandler(handler)
        handler.close()
        LOG.level, LOG.propagate = before
        for name in CHATTY:
            logging.getLogger(name).removeFilter(redact)
