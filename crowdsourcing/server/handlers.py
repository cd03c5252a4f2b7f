"""The HTTP side of the server: requests are checked here, answered by the desk and sent back as JSON; the page's
files.

Who asks is known from the token in the header alone. There are no cookies and an address opens nothing, so a foreign
page gains nothing by sending requests here, under whatever name it reaches this server. No handler prints a URL, a body
or a token.
"""

from __future__ import annotations

import gzip
import json
import mimetypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tornado.web import HTTPError, RequestHandler, stream_request_body

from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.crowdsourcing.server.api_requests import ROUTES, TEXTS, refusal
from parlai_spotbot.crowdsourcing.server.request_queue import Intake
from parlai_spotbot.crowdsourcing.server.request_rates import client_address
from parlai_spotbot.errors import UserError

BODY_LIMIT = 256 * 1024
"""Bytes of a request's body that are looked at."""

PATIENCE = 4 * BODY_LIMIT
"""Bytes of a longer body that are read and thrown away, so that its sender gets to read why it is refused."""

HASHED = re.compile(r"[.-][0-9A-Za-z_-]{8,}\.[a-z0-9]+$")
"""A file whose name changes with its content."""


# -- what every answer has in common -----------------------------------------------------------------------------------
def security_headers(framed_by: tuple[str, ...]) -> dict[str, str]:
    """Headers of every response. `framed_by`: the sites that may show the page in a frame, and take its form."""
    frames = " ".join(framed_by) or "'none'"
    forms = " ".join(("'self'", *framed_by))
    headers = {
        "Content-Security-Policy": (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
            f"form-action {forms}; frame-ancestors {frames}; base-uri 'none'"
        ),
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cache-Control": "no-store",
    }
    return headers if framed_by else {**headers, "X-Frame-Options": "DENY"}


class BaseHandler(RequestHandler):
    """Headers, errors as JSON, and a log without addresses."""

    intake: Intake

    def initialize(self, intake: Intake) -> None:
        self.intake = intake

    def set_default_headers(self) -> None:
        self.clear_header("Server")
        for name, value in self.settings["security"].items():
            self.set_header(name, value)

    def compute_etag(self) -> None:
        return None

    def reply(self, status: int, value: dict) -> None:
        """Send `value` as JSON."""
        self.set_status(status)
        self.set_header("Content-Type", "application/json; charset=utf-8")
        if status in (429, 503):
            self.set_header("Retry-After", "2")
        content = json.dumps(value, separators=(",", ":"), allow_nan=False)  # ASCII, so bytes are characters
        self.set_header("Content-Length", str(len(content)))
        self.write(content)

    def refuse(self, reason: Refusal) -> None:
        """Send why the request is not granted."""
        self.reply(reason.status, {"error": {"code": reason.code, "text": reason.text}})

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """For what this module did not foresee, and methods that tornado itself refuses."""
        self.refuse(refusal(status_code if status_code in TEXTS else 400 if status_code < 500 else 500))
        self.finish()

    def log_exception(self, kind: Any, value: Any, trace: Any) -> None:
        if not isinstance(value, HTTPError):
            self.intake.log_error("a handler", value)

    def on_finish(self) -> None:
        self.settings["at_rest"](self.request.connection)

    def allowed(self, *methods: str) -> None:
        """Answer OPTIONS, or refuse another method."""
        self.set_header("Allow", ", ".join((*methods, "OPTIONS")))
        if self.request.method == "OPTIONS":
            self.set_status(204)
            self.clear_header("Content-Type")
        else:
            self.refuse(refusal(405))


@stream_request_body
class ApiHandler(BaseHandler):
    """One address below /api/. A body beyond the limit is refused as soon as that is known, and never held."""

    def initialize(self, intake: Intake) -> None:
        super().initialize(intake)
        self.body = bytearray()
        self.too_large = False

    async def prepare(self) -> None:
        try:
            length = int(self.request.headers.get("Content-Length", "0"))
        except ValueError:
            length = 0  # tornado refuses it when it reads the body
        if length > BODY_LIMIT:
            self._refuse_size()
            if length > PATIENCE:
                self.finish()  # and the connection is closed
                return
            await self.flush()

    def data_received(self, chunk: bytes) -> None:
        if self.too_large:
            return
        if len(self.body) + len(chunk) > BODY_LIMIT:
            self._refuse_size()
            self.flush()
            return
        self.body += chunk

    def _refuse_size(self) -> None:
        self.too_large = True
        self.body.clear()
        self.set_header("Connection", "close")
        reason = refusal(413)
        self.refuse(reason)
        self.intake.log_refusal(self.request.method, self._name(), reason, "", BODY_LIMIT)

    def _name(self) -> str:
        name = self.path_args[0] if self.path_args else ""
        return name if name in ROUTES else "?"

    async def answer(self, name: str) -> None:
        """Whatever the method: tornado calls one function for each."""
        if self.too_large:
            self.finish()
            return
        method = ROUTES.get(name)
        if method is None:
            self.refuse(refusal(404))
        elif self.request.method != method:
            self.allowed(method)
        else:
            try:
                authorization = self.request.headers.get("Authorization", "")
                forwarded = self.request.headers.get("X-Forwarded-For", "")
                client = client_address(self.request.remote_ip or "", forwarded)
                self.reply(200, await self.intake.serve(name, authorization, bytes(self.body), client))
            except Refusal as reason:
                if reason.status == 401:
                    self.set_header("WWW-Authenticate", "Bearer")
                self.refuse(reason)

    get = post = put = patch = delete = head = options = answer


# -- the page ----------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class PageFile:
    """A file of the page: its bytes, plain and (where that is shorter) compressed."""

    content: bytes
    packed: bytes | None
    kind: str
    hashed: bool


def read_page(folder: Path) -> dict[str, PageFile]:
    """Every file of the built page by its path; nothing else can be asked for, whatever is in a URL."""
    folder = Path(folder)
    if not (folder / "index.html").is_file():
        raise UserError(f"{folder / 'index.html'}: the annotation page is not built.", "Run: spotbot setup")
    page = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            page["/" + path.relative_to(folder).as_posix()] = _file(path)
    page["/"] = page.pop("/index.html")
    return page


def _file(path: Path) -> PageFile:
    content = path.read_bytes()
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if kind.startswith("text/") or kind in ("application/javascript", "application/json", "image/svg+xml"):
        kind += "; charset=utf-8"
    packed = gzip.compress(content, 9, mtime=0)
    return PageFile(content, packed if len(packed) < 0.9 * len(content) else None, kind, bool(HASHED.search(path.name)))


class PageHandler(BaseHandler):
    """The page's files, from memory."""

    def get(self) -> None:
        """The file; names that change with the content are kept by the browser, others never."""
        page: Mapping[str, PageFile] = self.settings["page"]
        file = page.get(self.request.path)
        if file is None:
            self.refuse(refusal(404))
            return
        self.set_header("Content-Type", file.kind)
        if file.hashed:
            self.set_header("Cache-Control", "public, max-age=31536000, immutable")
        if file.packed is not None:
            self.set_header("Vary", "Accept-Encoding")
        if file.packed is not None and "gzip" in self.request.headers.get("Accept-Encoding", ""):
            self.set_header("Content-Encoding", "gzip")
            self.write(file.packed)
        else:
            self.write(file.content)

    head = get

    def other(self) -> None:
        """Any other method."""
        if self.request.path in self.settings["page"]:
            self.allowed("GET", "HEAD")
        else:
            self.refuse(refusal(404))

    post = put = patch = delete = options = other
