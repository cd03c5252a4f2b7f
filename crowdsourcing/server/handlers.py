"""The HTTP side of the server: requests to the desk, answered as JSON, and the page's files.

The token in the header alone identifies the annotator. There are no cookies and an address opens nothing but the
operator's page, so a foreign page gains nothing by sending requests here, under whatever name it reaches this server.
No handler prints a URL, a body or a token.
"""

import gzip
import json
import mimetypes
import re
import secrets
from pathlib import Path
from typing import Any

from tornado.web import HTTPError, RequestHandler

from parlai_spotbot.crowdsourcing.desk.contract import Refusal
from parlai_spotbot.crowdsourcing.platforms import tokens
from parlai_spotbot.crowdsourcing.server.api_requests import ROUTES, refusal
from parlai_spotbot.crowdsourcing.server.request_queue import Intake
from parlai_spotbot.errors import UserError

HASHED = re.compile(r"[.-][0-9A-Za-z_-]{8,}\.[a-z0-9]+$")
"""A file whose name changes with its content."""

Page = dict[str, tuple[dict[str, str], bytes, bytes]]
"""Headers, content and compressed content of each file of the page, by its path."""


def security_headers(framed_by: tuple[str, ...]) -> dict[str, str]:
    """Return the headers of every response. `framed_by`: sites that may show the page in a frame, and take its form."""
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

    @property
    def intake(self) -> Intake:
        return self.settings["intake"]

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
        self.write(json.dumps(value, separators=(",", ":"), allow_nan=False))

    def refuse(self, reason: Refusal) -> None:
        """Send why the request is not granted."""
        self.reply(reason.status, {"error": {"code": reason.code, "text": reason.text}})

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        """Send an error that a handler did not catch, or a method that tornado refuses."""
        self.refuse(refusal(status_code))
        self.finish()

    def log_exception(self, kind: Any, value: Any, trace: Any) -> None:
        if not isinstance(value, HTTPError):
            self.intake.log_error("a handler", value)


class ApiHandler(BaseHandler):
    """One address below /api/."""

    async def answer(self, name: str) -> None:
        """Answer a request, whatever its method."""
        if self.request.method != ROUTES.get(name):
            self.refuse(refusal(405 if name in ROUTES else 404))
            return
        authorization = self.request.headers.get("Authorization", "")
        try:
            self.reply(200, await self.intake.serve(name, authorization, self.request.body))
        except Refusal as reason:
            if reason.status == 401:
                self.set_header("WWW-Authenticate", "Bearer")
            self.refuse(reason)

    get = post = answer


# -- the page ----------------------------------------------------------------------------------------------------------
def read_page(folder: Path) -> Page:
    """Return every file of the built page by its path; nothing else can be asked for, whatever is in a URL."""
    if not (folder / "index.html").is_file():
        raise UserError(f"{folder / 'index.html'}: the annotation page is not built.", "Run: spotbot setup")
    page = {}
    for path in folder.rglob("*"):
        if path.is_file():
            headers = {
                "Content-Type": f"{mimetypes.guess_type(path.name)[0] or 'text/plain'}; charset=utf-8",
                "Vary": "Accept-Encoding",
            }
            if HASHED.search(path.name):
                headers["Cache-Control"] = "public, max-age=31536000, immutable"
            content = path.read_bytes()
            page["/" + path.relative_to(folder).as_posix()] = headers, content, gzip.compress(content, mtime=0)
    page["/"] = page.pop("/index.html")
    return page


class PageHandler(BaseHandler):
    """The page's files, from memory."""

    def get(self) -> None:
        page: Page = self.settings["page"]
        if self.request.path not in page:
            self.refuse(refusal(404))
            return
        headers, content, packed = page[self.request.path]
        for name, value in headers.items():
            self.set_header(name, value)
        if "gzip" in self.request.headers.get("Accept-Encoding", ""):
            self.set_header("Content-Encoding", "gzip")
            content = packed
        self.write(content)

    head = get


class OperatorHandler(PageHandler):
    """The operator's page, which shows and changes nothing; without its token there is nothing at its address."""

    async def get(self) -> None:
        try:
            tokens.read(self.intake.secret, tokens.OPERATOR, self.get_query_argument("t", ""))
        except tokens.BadToken:
            super().get()
            return
        nonce = secrets.token_urlsafe()
        source = f"'nonce-{nonce}'"
        policy = f"default-src 'none'; style-src {source}; script-src {source}; img-src data:; connect-src 'self'"
        self.set_header("Content-Security-Policy", f"{policy}; base-uri 'none'; frame-ancestors 'none'")
        self.write(self.settings["operator_page"](*await self.intake.acall(self.intake.desk.standing), nonce))
