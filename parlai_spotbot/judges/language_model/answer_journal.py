"""What a language model answered, order by order and sample by sample: a journal that is also the cache.

An answer is on disk before the next is thought of, so that none is asked, or paid for, twice: not after a crash, not in
a later run, not where two units show the same item. A bad answer is kept too, with its reason and what it took.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges.language_model.prompts import ORDERS, PromptedQuestion

AGAIN = ("unreachable", "timeout", "busy", "malformed", "endless")
"""Why there was no answer, where it isn't the model's fault: the next run asks again."""

ASKED_AGAIN = ("bad", "empty", "cut", "refused")
"""Kinds of unusable answers that may be better at the next attempt."""


@dataclass(frozen=True)
class RawAnswer:
    """One answer, or the lack of one (`problem` says why, `kind` in one word).

    `chances` are the options' in the survey's order: probabilities where they were scored, else 1 for what was named.
    `first_listed` and `last_listed` are the values at the ends of the list that was shown.
    Of a ranking, `ranking` holds all values, of a free text, `text` the text; `said` is what a server said, cut.
    `special_tokens` were said in what it is about, and stood as escapes in the prompt.
    `mass` is the probability of all labels together. Tokens are as counted by model or server; `estimated` where it
    doesn't count.
    """

    key: str
    item_id: str
    question: str
    target: str
    order: str
    sample: int
    attempt: int = 0
    chances: tuple[float, ...] = ()
    ranking: tuple[str, ...] = ()
    text: str = ""
    first_listed: str = ""
    last_listed: str = ""
    mass: float | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    said: str = ""
    model: str = ""
    fingerprint: str = ""
    date: str = ""
    answer_format: str = ""
    special_tokens: tuple[str, ...] = ()
    kind: str = ""
    problem: str = ""

    @classmethod
    def of(cls, ask: PromptedQuestion, key: str, **values: object) -> RawAnswer:
        ends = {"first_listed": ask.values[0], "last_listed": ask.values[-1]} if ask.values else {}
        order = ORDERS[ask.order]
        values = {"special_tokens": ask.special_tokens, **values}
        return cls(key, ask.item_id, ask.question, ask.target, order, ask.sample, **ends, **values)

    @property
    def good(self) -> bool:
        return not self.problem

    def to_json(self) -> dict:
        plain = asdict(RawAnswer("", "", "", "", "", -1))
        return {name: value for name, value in asdict(self).items() if value != plain[name]}

    @classmethod
    def from_json(cls, row: dict, where: str) -> RawAnswer:
        text = {name: files.field(row, name, str, where) for name in ("key", "item_id", "question", "target", "order")}
        if text["order"] not in ORDERS:
            raise UserError(f"{where}: field 'order' is {text['order']!r}.", f"Expected {' or '.join(ORDERS)}.")
        row = {**row, "sample": files.field(row, "sample", int, where)}
        for name in ("chances", "ranking", "special_tokens"):
            row[name] = tuple(files.field(row, name, list, where, []))
        known = cls.__dataclass_fields__
        return cls(**{name: value for name, value in row.items() if name in known})


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
        if self.path.exists():
            for row in files.read_jsonl(self.path, RawAnswer.from_json, "file of a judge's answers", torn_tail=True):
                self._note(row)
            if not self.good:
                self.bad.clear()
        self._journal: files.Journal | None = None

    def _note(self, row: RawAnswer) -> None:
        self.rows.append(row)
        if row.good:
            self.good.setdefault(row.key, row)
        else:
            self.bad.setdefault(row.key, []).append(row)

    def add(self, *rows: RawAnswer) -> None:
        """Keep `rows`, all or none, and wait until the disk has them."""
        self._journal = self._journal or files.Journal(self.path)
        self._journal.append(*(row.to_json() for row in rows))
        for row in rows:
            self._note(row)

    def close(self) -> None:
        if self._journal:
            self._journal.close()
            self._journal = None

    def tried(self, key: str) -> int:
        """How many answers to this were the model's, and bad."""
        return sum(row.kind not in AGAIN for row in self.bad.get(key, ()))

    def given_up(self, key: str, attempts: int) -> bool:
        """Whether this is missing for good: bad answers to the end, or one that would be no better another time."""
        rows = [row for row in self.bad.get(key, ()) if row.kind not in AGAIN]
        return len(rows) >= attempts or any(row.kind not in ASKED_AGAIN for row in rows)

    def spent(self) -> tuple[int, int]:
        """Tokens read and written, in all."""
        return sum(row.prompt_tokens for row in self.rows), sum(row.completion_tokens for row in self.rows)


def served(rows: Iterable[RawAnswer]) -> dict[str, dict]:
    """What a server said of the models that answered: replies, fingerprints, and the dates of the first and last."""
    found: dict[str, dict] = {}
    for row in rows:
        if not row.model:
            continue
        model = found.setdefault(
            row.model, {"replies": 0, "system_fingerprints": [], "first_reply": row.date, "last_reply": row.date}
        )
        model["replies"] += 1
        model["first_reply"] = min(model["first_reply"], row.date)
        model["last_reply"] = max(model["last_reply"], row.date)
        if row.fingerprint and row.fingerprint not in model["system_fingerprints"]:
            model["system_fingerprints"].append(row.fingerprint)
    return dict(sorted(found.items()))
