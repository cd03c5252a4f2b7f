"""The options of packing, with their defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from parlai_spotbot.options import described


@dataclass(frozen=True, kw_only=True)
@described
class PackRequest:
    """The options of packing; None, or empty, for the survey's default or what the first packing had.

    See `parlai_spotbot.texts.hygiene` for the faults in `leave_out`, `packing.whole_items.SOURCES` for `sources` and
    `nuc_groups` for `groups`. `people` is whether people are a contestant.
    """

    unit_size: int | None = None
    annotators_per_segment: int | None = None
    leave_out: tuple[str, ...] = ()
    seed: int | None = None
    segments: Sequence[int] | None = None
    humans_per_unit: int = 5
    sources: tuple[str, ...] | None = None
    ask: tuple[str, ...] | None = None
    comparisons: int | None = None
    pairs: str | None = None
    same: bool | None = None
    people: bool | None = None
    repeated: float | None = None
    nuc_questions: str | None = None
    versions: int | None = None
    groups: str | None = None
