"""Signed links and session tokens: they say who an annotator is, and only the study's secret can make one.

A token is ``spotbot1.PAYLOAD.SIGNATURE``: JSON in URL-safe base64, signed by itsdangerous (HMAC-SHA256). Its purpose is
the salt, so a link's token opens no session and the other way round. The bearer can read the payload, which holds
nothing but what came from them.
"""

import hashlib
import hmac
import json
import re
import secrets
import zlib
from pathlib import Path
from urllib.parse import urlencode

from itsdangerous import Signer
from itsdangerous.encoding import base64_decode, base64_encode

from parlai_spotbot import files
from parlai_spotbot.errors import UserError

VERSION = "spotbot1"
MOST = 4096
"""Length of the longest token that is read."""


LINK = "link of an annotator"
STUDY = "link of a study"
SESSION = "session"
OPERATOR = "operator's page"

SESSION_SECONDS = 7 * 24 * 3600.0


class BadToken(Exception):
    """Not a token that this study signed for this purpose."""


class ExpiredToken(BadToken):
    """Signed by this study, but too long ago. `payload` is what it says."""

    def __init__(self, payload: dict):
        super().__init__("expired")
        self.payload = payload


def read_secret(path: Path, make: bool = False) -> bytes:
    """Return the study's secret; with `make` a missing one is made (32 random bytes in hex, mode 600)."""
    remedy = "Put it back: spotbot_check --restore takes the copy in the folder backups."
    if not path.exists():
        if not make:
            raise UserError(f"{path}: the secret is missing that signs links and makes pseudonyms.", remedy)
        digits = secrets.token_hex(32)
        files.write_text(path, f"{digits} {zlib.crc32(digits.encode()):08x}\n")
        path.chmod(0o600)
    digits, _, checksum = path.read_text(encoding="utf-8", errors="replace").strip().partition(" ")
    if not re.fullmatch("[0-9a-f]{64}", digits) or checksum not in ("", f"{zlib.crc32(digits.encode()):08x}"):
        raise UserError(f"{path}: expected 64 hexadecimal digits and their checksum, found something else.", remedy)
    return bytes.fromhex(digits)


def _signer(secret: bytes, purpose: str) -> Signer:
    return Signer(secret, f"{VERSION} {purpose}", key_derivation="hmac", digest_method=hashlib.sha256)


def sign(secret: bytes, purpose: str, payload: dict) -> str:
    """Return a token for `payload` (JSON values, lone surrogates too) that is good for `purpose` only."""
    text = json.dumps(payload, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return _signer(secret, purpose).sign(f"{VERSION}.{base64_encode(text).decode()}").decode()


def read(secret: bytes, purpose: str, token: str) -> dict:
    """Return the payload of a token that was signed for `purpose`; `BadToken` for anything else.

    The token is made again and compared as a whole, in constant time, before anything in it is looked at: base64
    ignores some bits, which must not be changed either.
    """
    if not isinstance(token, str) or len(token) > MOST or not token.isascii():
        raise BadToken("not a token")
    body = token.rpartition(".")[0]
    if not hmac.compare_digest(_signer(secret, purpose).sign(body).decode(), token):
        raise BadToken("not signed by this study")
    return json.loads(base64_decode(body.partition(".")[2]))


def sign_session(secret: bytes, payload: dict, now: float, seconds: float = SESSION_SECONDS) -> str:
    """Return a session's token, good until `now` + `seconds` (Unix time)."""
    return sign(secret, SESSION, {**payload, "until": int(now + seconds)})


def read_session(secret: bytes, token: str, now: float) -> dict:
    """Return the payload of a session's token; `ExpiredToken` where its time is over, `BadToken` where it is none."""
    payload = read(secret, SESSION, token)
    if now >= payload["until"]:
        raise ExpiredToken(payload)
    return payload


def _link(base: str, page: str, name: str, token: str) -> str:
    return f"{base.rstrip('/')}/{page}?{urlencode({name: token})}"


def in_house_link(base: str, secret: bytes, worker: str) -> str:
    """Return the personal link of `worker`, any name; `base` is the server's address."""
    return _link(base, "", "t", sign(secret, LINK, {"worker": worker}))


def operator_link(base: str, secret: bytes) -> str:
    """Return the address of the operator's page."""
    return _link(base, "operator", "t", sign(secret, OPERATOR, {}))


def study_link(base: str, secret: bytes, study: str) -> str:
    """Return the link to give to Prolific, which fills in who comes (its place holders are in the link as they are)."""
    holders = "&PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
    return _link(base, "", "study", sign(secret, STUDY, {"study": study})) + holders


def pseudonym(secret: bytes, worker: str) -> str:
    """16 hexadecimal digits that stand for `worker` in exports and logs; the secret alone leads back."""
    key = _signer(secret, "pseudonym").derive_key()
    return hmac.new(key, worker.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:16]
