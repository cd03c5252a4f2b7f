"""The options by which a judge is certified, with their defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from parlai_spotbot.options import described


@dataclass(frozen=True, kw_only=True)
@described
class CertifyRequest:
    """Options of a certificate; `certify` is a file, "" for the study, None where none is asked for."""

    certify: str | None = None
    recheck: int | None = None
    repeats: int = 0
    columns: str | Mapping[str, str] | None = None
    scale: str = ""
    answers: str | Mapping[str, str] | None = None
    encoding: str = ""
    question: str | None = None
    out: str | None = None
