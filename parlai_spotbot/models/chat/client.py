"""Asks an OpenAI-compatible chat server: many requests at once, with time-outs, retries, limits and an account of all.

Requests run in an event loop in a thread of its own, so whoever asks may be in any thread. Each has one deadline for
everything, from the connection to the last byte; what comes back is checked before it is believed.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import os
import random
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2

from parlai_spotbot.models.chat.keys import Key
from parlai_spotbot.models.chat.pace import Pace, backoff, retry_after
from parlai_spotbot.reading import parse_json

MOST_BYTES = 2**20
"""A longer answer to one request is none: a chat turn takes a few hundred bytes."""

MOST_WAIT = 300.0
"""A server that asks for a longer pause (a day's allowance is used up) isn't waited for."""

CONNECT = 10.0
AGAIN = (408, 409, 429)
UNPAID = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
TOO_LONG = ("context_length_exceeded", "context window", "context length", "prompt is too long", "too many tokens")
FINGERPRINTS = 100
"""So many different fingerprints of a model are listed; a server may make up one for each reply."""


class ChatError(RuntimeError):
    """No usable answer. `kind` says why, for the remedy; the message bears no key.

    Kinds: unreachable, timeout, busy (429 or 5xx to the end), unpaid, key (401, 403), unknown (404), rejected (other
    4xx), too_long (for the model's context), redirected, malformed, endless, empty, filtered.
    """

    def __init__(self, kind: str, message: str, again: bool = False, after: float | None = None):
        self.kind, self.again, self.after = kind, again, after
        super().__init__(message)


@dataclass(frozen=True)
class Endpoint:
    """Where and how to ask: seconds, attempts beyond the first, and limits (0: none)."""

    url: str
    model: str
    key: Key = field(default_factory=Key)
    header: str = "Authorization"
    timeout: float = 60.0
    retries: int = 5
    concurrency: int = 8
    requests_per_minute: float = 0
    tokens_per_minute: float = 0


@dataclass(frozen=True)
class ChatRequest:
    """One request's body; `chance` seeds its jitter, `tokens` is about what it will take."""

    body: dict
    chance: int = 0
    tokens: int = 0


@dataclass
class ChatAccount:
    """What was asked and what it took; only what a server counted is exact."""

    requests: int = 0
    retries: int = 0
    replies: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    uncounted_replies: int = 0
    troubles: Counter = field(default_factory=Counter)
    served: dict[str, dict] = field(default_factory=dict)

    def note(self, data: dict, date: str) -> int:
        """Count the answer `data`; returns the tokens it took, 0 where the server doesn't say."""
        self.replies += 1
        usage = data.get("usage") if isinstance(data.get("usage"), dict) else {}
        counts = [usage.get("prompt_tokens"), usage.get("completion_tokens")]
        known = all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in counts)
        self._note_model(data, date)
        if not known:
            self.uncounted_replies += 1
            return 0
        self.prompt_tokens += counts[0]
        self.completion_tokens += counts[1]
        return sum(counts)

    def _note_model(self, data: dict, date: str) -> None:
        created = data.get("created")
        if isinstance(created, (int, float)) and 0 < created < 2**33:
            date = datetime.fromtimestamp(int(created), UTC).isoformat()
        name = str(data.get("model") or "not named")[:200]
        model = self.served.setdefault(
            name, {"replies": 0, "system_fingerprints": [], "first_reply": date, "last_reply": date}
        )
        model["replies"] += 1
        model["first_reply"] = min(model["first_reply"], date)
        model["last_reply"] = max(model["last_reply"], date)
        fingerprint = data.get("system_fingerprint")
        known = model["system_fingerprints"]
        if fingerprint and str(fingerprint)[:200] not in known and len(known) < FINGERPRINTS:
            known.append(str(fingerprint)[:200])


class ChatClient:
    """The connection to one server, for all conversations of a contestant, or all questions to a judge."""

    def __init__(self, endpoint: Endpoint):
        self.endpoint = endpoint
        self.account = ChatAccount()
        self._url = httpx2.URL(endpoint.url)
        self._down = False
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True, name="openai_chat")
        self._thread.start()
        self._run(self._open())

    def _run(self, work: Any) -> Any:
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()  # Ctrl-C: what is under way is broken off
            raise

    async def _open(self) -> None:
        end = self.endpoint
        own = is_local(self._url.host)
        self._pace = Pace(end.requests_per_minute, end.tokens_per_minute)
        self._slots = asyncio.Semaphore(end.concurrency)
        self._http = httpx2.AsyncClient(
            headers={"Accept": "application/json", **end.key.headers(end.header)},
            timeout=httpx2.Timeout(end.timeout, connect=min(CONNECT, end.timeout), pool=None),
            limits=httpx2.Limits(max_connections=end.concurrency, max_keepalive_connections=end.concurrency),
            follow_redirects=False,  # a key isn't carried elsewhere
            trust_env=not own,  # a proxy is no way to one's own machine
            verify=not own or self._url.scheme == "https",  # nothing is encrypted: all certificates needn't be read
        )

    def close(self) -> None:
        """End all connections and the thread; safe to call twice."""
        if self._loop.is_running():
            with contextlib.suppress(Exception):
                self._run(self._http.aclose())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout=5)

    # -- asking ------------------------------------------------------------------------------------------------------
    def ask(
        self, requests: Sequence[ChatRequest], came: Callable[[int, dict | ChatError], None] | None = None
    ) -> list[dict | ChatError]:
        """The server's answer to each of `requests` in their order: the completion as JSON, or why there is none.

        `came` is told of each as it comes, with its place in `requests`, in the client's thread; what it raises ends
        all.
        """
        return self._run(self._ask_all(requests, came))

    def models(self) -> list[dict]:
        """What the server lists as its models; empty where it doesn't."""
        return self._run(self._models())

    def out_of_reach(self) -> ChatError | None:
        """Why nobody answers there; None where somebody does, whatever the answer."""
        return self._run(self._out_of_reach())

    async def _ask_all(self, requests: Sequence[ChatRequest], came: Callable | None) -> list[dict | ChatError]:
        async def one(place: int, request: ChatRequest) -> dict | ChatError:
            answer = await self._ask(request)
            if came:
                came(place, answer)
            return answer

        tasks = [asyncio.create_task(one(place, request)) for place, request in enumerate(requests)]
        try:
            return list(await asyncio.gather(*tasks))
        finally:
            for task in tasks:
                task.cancel()

    async def _ask(self, request: ChatRequest) -> dict | ChatError:
        async with self._slots:
            rng = random.Random(request.chance)
            # A server that stayed away through all attempts of a request isn't waited for again by each of the others.
            last = 0 if self._down else self.endpoint.retries
            for attempt in range(last + 1):
                try:
                    answer = await self._attempt(request)
                except ChatError as err:
                    if not err.again or attempt == last or (err.after or 0) > MOST_WAIT:
                        self._down = err.again and not str(err).startswith("HTTP 429")
                        return _final(err, attempt)
                    self.account.retries += 1
                    delay = max(backoff(attempt, rng), err.after or 0)
                    if err.after:
                        self._pace.hold(err.after)
                    await self._pace.sleep(delay)
                else:
                    self._down = False
                    return answer
        raise AssertionError("unreachable: every attempt returns, or is followed by another")

    async def _attempt(self, request: ChatRequest) -> dict:
        spent = await self._pace.go(request.tokens)
        self.account.requests += 1
        try:
            status, headers, raw = await self._exchange("POST", "chat/completions", request.body)
            data = completion(status, headers, raw, self.endpoint.key)
        except ChatError as err:
            self.account.troubles[err.kind if err.kind != "busy" else str(err)[:8]] += 1
            raise
        spent[1] = self.account.note(data, _date(headers)) or request.tokens
        return data

    async def _models(self) -> list[dict]:
        with contextlib.suppress(ChatError, ValueError):
            status, _, raw = await self._exchange("GET", "models")
            said = parse_json(raw) if status == 200 else {}
            rows = said.get("data") if isinstance(said, dict) else None
            rows = rows if isinstance(rows, list) else []
            return [self.endpoint.key.hidden(row) for row in rows if isinstance(row, dict) and row.get("id")]
        return []

    async def _out_of_reach(self) -> ChatError | None:
        try:
            await self._exchange("GET", "models")
        except ChatError as err:
            return err if err.kind in ("unreachable", "timeout") else None
        return None

    async def _exchange(self, method: str, path: str, body: dict | None = None) -> tuple[int, Any, bytes]:
        """Status, headers and body of one request. What goes wrong is a `ChatError` without anything of the request."""
        url = self._url.copy_with(path=f"{self._url.path.rstrip('/')}/{path}")
        raw = bytearray()
        try:
            async with asyncio.timeout(self.endpoint.timeout), self._http.stream(method, url, json=body) as response:
                async for part in response.aiter_bytes():
                    raw += part
                    if len(raw) > MOST_BYTES:
                        raise ChatError("endless", f"the answer didn't end within {MOST_BYTES >> 10} KiB")
                return response.status_code, response.headers, bytes(raw)
        except ChatError:
            raise
        except (TimeoutError, httpx2.TimeoutException) as err:
            kind = "unreachable" if isinstance(err, httpx2.ConnectTimeout) else "timeout"
            seconds = min(CONNECT, self.endpoint.timeout) if kind == "unreachable" else self.endpoint.timeout
            what = "no connection" if kind == "unreachable" else "no whole answer"
            raise ChatError(kind, f"{what} within {seconds:g} seconds", again=True) from None
        except httpx2.DecodingError:
            raise ChatError("malformed", "the answer is compressed in a way that can't be read", again=True) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as err:
            raise unreachable(err, self.endpoint.key) from None


def _final(err: ChatError, attempt: int) -> ChatError:
    tries = f" ({attempt + 1} attempts)" if attempt else ""
    wait = f"; it asks to wait {err.after:.0f} seconds" if (err.after or 0) > MOST_WAIT else ""
    return ChatError(err.kind, f"{err}{tries}{wait}")


def _date(headers: Any) -> str:
    try:
        return parsedate_to_datetime(headers.get("date", "")).astimezone(UTC).isoformat()
    except (TypeError, ValueError):
        return datetime.now(UTC).replace(microsecond=0).isoformat()


def is_local(host: str) -> bool:
    """Whether `host` is this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def unreachable(err: BaseException, key: Key) -> ChatError:
    """Why there was no connection, or why it broke, in the operating system's words where it has some."""
    cause: BaseException | None = err
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return ChatError("unreachable", f"its certificate isn't trusted: {key.hidden(cause.verify_message)}")
        if isinstance(cause, OSError) and cause.strerror:
            said = os.strerror(cause.errno) if (cause.errno or 0) > 0 else cause.strerror
            return ChatError("unreachable", key.hidden(said.lower()), again=True)
        cause = cause.__cause__ or cause.__context__
    if isinstance(err, (httpx2.InvalidURL, httpx2.UnsupportedProtocol, httpx2.LocalProtocolError)):
        return ChatError("unreachable", "the request can't be sent: check URL, header and proxy")
    broken = isinstance(err, (httpx2.RemoteProtocolError, httpx2.ReadError, httpx2.WriteError))
    said = "the connection broke off" if broken else type(err).__name__
    return ChatError("unreachable", said, again=True)


# -- what a server answers -------------------------------------------------------------------------------------------
def completion(status: int, headers: Any, raw: bytes, key: Key) -> dict:
    """The chat completion in an answer, without the key should the server quote it; anything else is a `ChatError`."""
    try:
        data = key.hidden(writable(json.loads(raw)))
    except (ValueError, RecursionError):
        data = None
    error = data.get("error") if isinstance(data, dict) else None
    if status == 200 and error:  # some servers pass on another's failure so
        code = error.get("code") if isinstance(error, dict) else None
        status = code if isinstance(code, int) and 400 <= code < 600 else 500
    if 300 <= status < 400:
        to = key.hidden(str(headers.get("location", "elsewhere")))[:200]
        raise ChatError("redirected", f"HTTP {status}: the server sends on to {to}")
    if status != 200:
        raise refusal(status, headers, data)
    choices = data.get("choices") if isinstance(data, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict) or not isinstance(first.get("message"), dict):
        kind = str(headers.get("content-type", "no content type")).split(";")[0][:60]
        what = "JSON, but no chat completion" if data is not None else f"no valid JSON ({kind}, {len(raw)} bytes)"
        raise ChatError("malformed", f"the answer is {what}", again=True)
    return data


def writable(data: Any) -> Any:
    """JSON with a mark for each half of a character: those can be escaped in JSON, but not written to a file."""
    if isinstance(data, str):
        return data.encode("utf-8", "replace").decode("utf-8")
    if isinstance(data, dict):
        return {writable(name): writable(value) for name, value in data.items()}
    return [writable(item) for item in data] if isinstance(data, list) else data


def refusal(status: int, headers: Any, data: Any) -> ChatError:
    """The error that an HTTP status means, with the server's own words where they can be had."""
    words, code = error_words(data)
    text = f"HTTP {status}" + (f": {words}" if words else "")
    if status in (401, 403):
        # What servers say about a wrong key shows parts of it.
        return ChatError("key", f"HTTP {status}" + (f" ({code})" if code else ""))
    if code in UNPAID:
        return ChatError("unpaid", text)
    if status in AGAIN or status >= 500:
        return ChatError("busy", text, again=True, after=retry_after(headers))
    if any(sign in f"{code} {words}".lower() for sign in TOO_LONG):
        return ChatError("too_long", text)
    if code in ("content_filter", "content_policy_violation"):
        return ChatError("filtered", text)
    unknown = status == 404 or code == "model_not_found"
    return ChatError("unknown" if unknown else "rejected", text)


def error_words(data: Any) -> tuple[str, str]:
    """A server's message, in one line of at most 300 characters, and its code."""
    error = data.get("error", data) if isinstance(data, dict) else {}
    if isinstance(error, str):
        return " ".join(error.split())[:300], ""
    if not isinstance(error, dict):
        return "", ""
    words = error.get("message") or error.get("detail") or ""
    words = words if isinstance(words, str) else json.dumps(words)
    return " ".join(words.split())[:300], str(error.get("code") or error.get("type") or "")[:60]
