"""New names for annotators and for what their answers hang on, by a key that is drawn for one copy and then forgotten.

They can't be linked to the platform's ids, to the pseudonyms in the study, nor to those of another copy; and they come
in no order.
"""

import hashlib
import hmac
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from parlai_spotbot.records import HUMAN, Item, Judgement
from parlai_spotbot.report.export.scrub import text


@dataclass(frozen=True)
class Pseudonyms:
    """`key` is at least 16 random bytes; `workers` are the ids that must not be in any other id."""

    key: bytes
    workers: tuple[str, ...] = ()
    known: dict[tuple[str, str], str] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self):
        if len(self.key) < 16:
            raise ValueError(f"key: {len(self.key)} bytes, expected 16 or more")

    def new(self, kind: str, value: str, size: int = 16) -> str:
        """Return the new name of a value of some kind, as "unit"."""
        return hmac.new(self.key, f"{kind}\n{value}".encode("utf-8", "replace"), hashlib.sha256).hexdigest()[:size]

    def annotator(self, worker: str) -> str:
        if not worker:
            return ""
        return f"annotator-{self.new('annotator', worker, 12)}"

    def kept(self, kind: str, value: str) -> str:
        """Items and conversations keep their ids, which follow from what was said, unless something shows in them."""
        if (kind, value) not in self.known:
            self.known[kind, value] = value
            if self._worker_in(value) or text(value) != value:
                self.known[kind, value] = self.new(kind, value)
        return self.known[kind, value]

    def conversations(self, row: Item | Judgement) -> tuple[str, ...]:
        return tuple(self.kept("conversation", name) for name in row.conversation_ids)

    def _worker_in(self, value: str) -> bool:
        return any(worker in value for worker in self.workers if len(worker) > 3)

    def number_annotations(self, rows: Iterable[Judgement]) -> None:
        """Number the annotations of a survey in the order of their old ids, by which analyses sort them, so that draws
        come out the same.

        Where an annotator's id is in them, that order would tell something of it: then they come in a new order.
        """
        names: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            names[row.source].add(row.annotation_id)
        for place, source in enumerate(sorted(names)):
            ordered = sorted(names[source])
            if source == HUMAN and any(map(self._worker_in, ordered)):
                ordered.sort(key=lambda name: self.new("annotation", name, 64))
            for number, name in enumerate(ordered):
                self.known["annotation", f"{source}\n{name}"] = f"annotation-{place}-{number:07d}"

    def judgement(self, row: Judgement) -> Judgement:
        """A row under new names; times of day are gone, durations are whole seconds. A judge keeps its name."""
        worker = text(row.worker_id)
        if row.source == HUMAN:
            worker = self.annotator(row.worker_id)
        return replace(
            row,
            judgement_id=self.new("judgement", f"{row.source}\n{row.judgement_id}", 24),
            annotation_id=self.known["annotation", f"{row.source}\n{row.annotation_id}"],
            unit_id=self.new("unit", row.unit_id),
            item_id=self.kept("item", row.item_id),
            conversation_ids=self.conversations(row),
            worker_id=worker,
            started_at="",
            submitted_at="",
            seconds=_whole(row.seconds),
            answer_seconds=_whole(row.answer_seconds),
        )


def _whole(seconds: float | None) -> float | None:
    if seconds is None:
        return None
    return float(round(seconds))
