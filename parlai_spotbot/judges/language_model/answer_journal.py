"""Journal of a language model's answers, order by order; it is also the cache.

Each answer is on disk before the judge goes on, so that none is asked, or paid for, twice: not after a crash, not in a
later run, not where two units show the same item. A bad answer is kept too, with its reason and its tokens.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from parlai_spotbot import checksums
from parlai_spotbot.outside import MOST_OF_A_NUMBER
from parlai_spotbot.user_files import read_row

ATTEMPTS = 3
"""Attempts at an answer until it counts as missing."""

AGAIN = ("unreachable", "timeout", "busy", "malformed", "endless")
"""Kinds of failures that are not the model's; the next run asks again."""

ASKED_AGAIN = ("bad", "empty", "cut", "refused")
"""Kinds of unusable answers that may be better at the next attempt."""


Count = Annotated[int, Field(ge=0, le=MOST_OF_A_NUMBER)]


@dataclass(frozen=True)
class RawAnswer:
    """One answer, or the lack of one (`problem` is the reason, `kind` its short name).

    `chances` are the options' in the survey's order: 1 for what was named.
    `ranking` holds the values of a ranking, `text` a free text, `said` what the server said, shortened. Tokens are
    counted by the server, or `estimated`. `asked` is "2 of 5" for the second answer to a request with five questions,
    whose tokens stand in the first one's row; "" where each question is asked alone.
    """

    key: str
    item_id: str
    question: str
    target: str
    order: Literal["first", "second"]
    attempt: Count = 0
    chances: tuple[float, ...] = ()
    ranking: tuple[str, ...] = ()
    text: str = ""
    prompt_tokens: Count = 0
    completion_tokens: Count = 0
    estimated: bool = False
    said: str = ""
    model: str = ""
    fingerprint: str = ""
    date: str = ""
    answer_format: str = ""
    asked: str = ""
    kind: str = ""
    problem: str = ""

    @property
    def begins(self) -> bool:
        """Return True for the first, or only, row of a reply."""
        return self.model != "" and self.asked[:2] in ("", "1 ")

    @property
    def good(self) -> bool:
        return not self.problem

    def to_json(self) -> dict:
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name)) != f.default}

    @classmethod
    def from_json(cls, row: dict, where: str) -> RawAnswer:
        return read_row(cls, row, where)


@dataclass
class AnswerJournal:
    """The journal at `path`: good answers, bad ones, and all rows.

    Bad answers of earlier runs count as attempts only if the judge has given a good one, too: a judge that never
    worked may have been corrected since.
    """

    path: Path
    good: dict[str, RawAnswer] = field(default_factory=dict)
    bad: dict[str, list[RawAnswer]] = field(default_factory=dict)
    rows: list[RawAnswer] = field(default_factory=list)

    def __post_init__(self):
        self._read = 0
        self._written = 0
        for row in checksums.read_journal(self.path, RawAnswer.from_json):
            self._note(row)
        if not self.good:
            self.bad.clear()
        self._journal: checksums.RecordedJournal | None = None

    def _note(self, row: RawAnswer) -> None:
        self.rows.append(row)
        self._read += row.prompt_tokens
        self._written += row.completion_tokens
        if row.good:
            self.good.setdefault(row.key, row)
        else:
            self.bad.setdefault(row.key, []).append(row)

    def add(self, *rows: RawAnswer) -> None:
        """Keep `rows`, all or none, and wait until the disk has them."""
        self._journal = self._journal or checksums.RecordedJournal(self.path)
        self._journal.append(*rows)
        for row in rows:
            self._note(row)

    def close(self) -> None:
        if self._journal:
            self._journal.close()
            self._journal = None

    def tried(self, key: str) -> int:
        """Number of bad answers to this that were the model's."""
        return sum(row.kind not in AGAIN for row in self.bad.get(key, ()))

    def is_settled(self, key: str) -> bool:
        """Return True if this has a good answer or is missing for good: too many bad answers, or one that will not get
        better.
        """
        kinds = [row.kind for row in self.bad.get(key, ()) if row.kind not in AGAIN]
        return key in self.good or len(kinds) >= ATTEMPTS or not set(kinds).issubset(ASKED_AGAIN)

    def spent(self) -> tuple[int, int]:
        """Tokens read and written, in all."""
        return self._read, self._written
