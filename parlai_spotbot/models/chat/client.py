"""Client of an OpenAI-compatible chat server, on the `openai` package: many requests at once, from any thread.

`openai` retries time-outs, broken connections, replies that are no chat completion, and HTTP 408, 409, 429 and 5xx;
it waits as ``Retry-After`` says, up to two minutes. Its event loop runs in a thread of its own.
"""

import asyncio
import contextlib
import ipaddress
import os
import threading
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import httpx2
import openai

from parlai_spotbot.models.chat.completion import ChatAccount, ChatError, Completion, Reply, completion, failure, parsed
from parlai_spotbot.models.chat.keys import Key
from parlai_spotbot.models.chat.request_changes import TOLD_BY_USER, changed, next_change
from parlai_spotbot.models.chat.server_options import ServerOptions

MOST_BYTES = 2**20
"""Size limit of a reply: a chat turn takes a few hundred bytes."""

CONNECT = 10.0
PATIENCE = 8.0
"""Seconds without a first answer after which a message says that it is awaited."""
HEADERS = {"host", "accept", "accept-encoding", "connection", "user-agent", "content-type", "content-length"}
"""Headers that are sent, beside the key's; others of `openai` come from the environment and are for OpenAI alone."""


class NoCompletion(httpx2.TransportError):
    """A reply with status 200 that is no chat completion; retried like a broken connection."""


class _Http(httpx2.AsyncClient):
    """HTTP client that bounds each attempt in time and size, and checks that a reply is a chat completion."""

    def __init__(self, server: ServerOptions, key: Key, account: ChatAccount):
        self._slots = asyncio.Semaphore(server.concurrency)
        local = is_local(httpx2.URL(server.url).host)
        super().__init__(
            timeout=httpx2.Timeout(server.timeout, connect=min(CONNECT, server.timeout), pool=None),
            limits=httpx2.Limits(max_connections=server.concurrency, max_keepalive_connections=server.concurrency),
            follow_redirects=False,  # a key is not carried elsewhere
            trust_env=not local,  # no proxy to one's own machine
        )
        self.server = server
        self.key = key
        self.account = account
        self.met = False
        """Whether the server has answered a request: one that has not is not waited for a second time."""

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        for name in set(request.headers) - HEADERS:
            del request.headers[name]
        request.headers.update(self.key.headers(self.server.key_header))
        asks = request.method == "POST"
        self.account.counts["requests"] += asks
        try:
            # An attempt takes a place at the server; who waits to try again leaves it to others.
            async with self._slots, asyncio.timeout(self.server.timeout):
                status, headers, raw = await self._read(request, **options)
        except (TimeoutError, httpx2.TimeoutException) as err:
            late = err if isinstance(err, httpx2.TimeoutException) else httpx2.ReadTimeout("", request=request)
            raise (late if self.met else unreachable(late, self.server.timeout, self.key)) from None
        self.met = self.met or asks
        read = {}
        if asks and 200 <= status < 300:
            try:
                read = {"completion": completion(parsed(raw, self.key), headers, len(raw))}
            except ChatError as err:
                raise NoCompletion(str(err), request=request) from None
        return httpx2.Response(status, headers=headers, content=raw, request=request, extensions=read)

    async def _read(self, request: httpx2.Request, **options: Any) -> tuple[int, dict[str, str], bytes]:
        raw = bytearray()
        async with contextlib.aclosing(await super().send(request, **{**options, "stream": True})) as response:
            async for part in response.aiter_bytes():
                raw += part
                if len(raw) > MOST_BYTES:
                    raise ChatError("endless", f"the answer didn't end within {MOST_BYTES >> 10} KiB")
        kept = ("content-type", "date", "location", "retry-after", "retry-after-ms")
        return response.status_code, {n: v for n, v in response.headers.items() if n in kept}, bytes(raw)


class ChatClient:
    """Connection to one server, for all conversations of a contestant or all questions to a judge.

    `begun` is how many requests are begun at once, those that wait to be tried again among them; by default as many as
    may be at the server.
    """

    def __init__(self, server: ServerOptions, key: Key, begun: int = 0):
        self.server = server
        self.key = key
        self.account = ChatAccount()
        self._down = self._answered = False
        self.changes = [TOLD_BY_USER] if server.system_role == "user" else []
        self._http = _Http(server, key, self.account)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="openai_chat")
        self._thread.start()
        url = httpx2.URL(server.url)
        self._begun = asyncio.Semaphore(begun or server.concurrency)
        self._client = openai.AsyncOpenAI(
            api_key="sent by _Http",
            base_url=url.copy_with(query=None),
            default_query=dict(url.params),
            timeout=server.timeout,
            max_retries=server.retries,
            http_client=self._http,
        )

    @property
    def about(self) -> dict:
        """The model, its server, and what that refused of requests."""
        about: dict[str, Any] = {
            "model": self.server.model,
            "server": self.server.url,
            "key_variable": self.key.variable,
        }
        if self.changes:
            about["asked"] = self.changes
        return about

    def _run(self, work: Coroutine) -> Any:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            if not self._http.met:
                with contextlib.suppress(TimeoutError):
                    return future.result(PATIENCE)
            if not self._http.met:
                print(f"{self.server.url}: no answer yet, waiting {self.server.timeout:g} s at most", flush=True)
            return future.result()
        except BaseException:
            future.cancel()  # Ctrl-C: cancel the requests under way
            raise

    def close(self) -> None:
        """End all connections and the thread; safe to call twice."""
        if self._loop.is_running():
            with contextlib.suppress(Exception):
                self._run(self._client.close())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=5)

    def ask(self, bodies: Sequence[dict], came: Callable[[int, Reply], None] = lambda *answer: None) -> list[Reply]:
        """Return the completion or the error of each request body, in their order.

        `came` is called as in `flow` with each one's place and outcome.
        """
        replies: dict[int, Reply] = {}
        waiting = iter(enumerate(bodies))

        def keep(place: int, reply: Reply) -> None:
            replies[place] = reply
            came(place, reply)

        self.flow(lambda: next(waiting, None), keep)
        return [replies[place] for place in range(len(bodies))]

    def flow(self, supply: Callable[[], tuple[Any, dict] | None], came: Callable[[Any, Reply], None]) -> None:
        """Ask what `supply` gives, a name and a request body each, until it gives None while nothing is under way.

        `came` is called with the name and the outcome of each as it comes, then `supply` again, both in the client's
        thread; what they raise ends all.
        """
        self._run(self._flow(supply, came))

    def sent(self, body: dict) -> dict:
        """Return a request's body as it is sent, with what the server refused left out or changed."""
        return changed(body, self.changes)

    def unreachable(self) -> ChatError | None:
        """Return the error if nobody answers at the address."""
        return self._run(self._unreachable())

    async def _flow(self, supply: Callable, came: Callable) -> None:
        async def one(name: Any, body: dict) -> None:
            came(name, await self._ask(body))

        running: set[asyncio.Task] = set()
        try:
            while True:
                while (request := supply()) is not None:
                    running.add(asyncio.create_task(one(*request)))
                if not running:
                    return
                done, running = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
        finally:
            for task in running:
                task.cancel()

    async def _ask(self, body: dict) -> Reply:
        """Ask, and ask again with what the server refused left out or changed; changes that help are kept."""
        async with self._begun:
            changes_made = list(self.changes)
            answer = await self._post(changed(body, changes_made))
            while isinstance(answer, ChatError) and (
                name := next_change(body, answer, changes_made, met=self._answered)
            ):
                changes_made.append(name)
                answer = await self._post(changed(body, changes_made))
        if isinstance(answer, Completion):
            self._answered = True
            for name in (name for name in changes_made if name not in self.changes):
                self.changes.append(name)
                print(f"{self.server.url} refuses a request; {self.server.model} is now asked {name}", flush=True)
        return answer

    async def _post(self, body: dict) -> Reply:
        # After a request failed in all its attempts, the next ones do not wait for the server again.
        client = self._client
        if self._down:
            client = self._client.with_options(max_retries=0)
        try:
            response = await client.post("/chat/completions", cast_to=httpx2.Response, body=body)
        except (openai.OpenAIError, ChatError) as err:
            error = self._error(err)
            self._down = error.kind in ("unreachable", "timeout", "malformed") or str(error).startswith("HTTP 5")
            return error
        self._down = False
        self.account.add(response.extensions["completion"])
        return response.extensions["completion"]

    def _error(self, err: Exception) -> ChatError:
        if isinstance(err, openai.APIStatusError):
            response = err.response
            return failure(response.status_code, response.headers, parsed(response.content, self.key), self.key)
        if isinstance(err, ChatError):
            return err
        return unreachable(err.__cause__ or err, self.server.timeout, self.key)

    async def _unreachable(self) -> ChatError | None:
        try:
            await self._client.with_options(max_retries=0).get("/models", cast_to=httpx2.Response)
        except (openai.OpenAIError, ChatError) as err:
            error = self._error(err)
            if error.kind in ("unreachable", "timeout"):
                return error
            return None
        return None


def is_local(host: str) -> bool:
    """Return True if `host` is this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def unreachable(err: BaseException, timeout: float, key: Key) -> ChatError:
    """The reason why there was no connection or why it broke, in the operating system's words if it has some."""
    if isinstance(err, NoCompletion):
        return ChatError("malformed", str(err))
    if isinstance(err, httpx2.ConnectTimeout):
        return ChatError("unreachable", f"no connection within {min(CONNECT, timeout):g} s")
    if isinstance(err, httpx2.TimeoutException):
        return ChatError("timeout", f"no whole answer within {timeout:g} s")
    cause: BaseException | None = err
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            reason = cause.strerror
            if (cause.errno or 0) > 1:
                reason = os.strerror(cause.errno)
            return ChatError("unreachable", key.hidden(reason.lower()))
        cause = cause.__cause__ or cause.__context__
    return ChatError("unreachable", f"the connection broke off ({type(err).__name__})")
