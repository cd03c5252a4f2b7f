"""The state of a course, kept in a file, so that a restart need not count and draw again all that was before.

It holds only for what it was made of, which `Mark` digests: the plan, conversations, items and units, the answers and
losses by which these were drawn, and the versions that computed it. Of a file that is missing, torn or of anything else
nothing is taken: all units are then counted again.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import scipy

import parlai_spotbot
from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Conversation, Item, Unit
from parlai_spotbot.sequential.evidence import Bets, Evidence

EVERY = 250
"""Units from one writing of the state to the next."""

LARGEST = 1 << 26
"""Bytes of a state; a larger one isn't kept, as writing it would hold up whoever waits for a unit."""

DIGEST = 32

Happened = Sequence[tuple[int, Mapping[str, float] | None]]
"""What happened before a unit was drawn, see `Unit.since`, with the points that came; None: it was lost."""


class Mark:
    """Digest of what a course has been through; `plan` is its registration's digest."""

    def __init__(self, plan: str, pool: Iterable[Item], conversations: Mapping[str, Conversation]) -> None:
        versions = (parlai_spotbot.__version__, np.__version__, scipy.__version__)
        self._digest = hashlib.sha256(repr((versions, plan)).encode())
        for name, talk in conversations.items():
            self._digest.update(repr((name, talk.entities, talk.seed_id)).encode())
        for item in pool:
            self._digest.update(repr((item.item_id, item.conversation_ids)).encode())

    def add(self, unit: Unit, pairs: Sequence[tuple], happened: Happened) -> None:
        """Take in a unit that was drawn, its comparisons, and what happened since the one before."""
        items = [(item.item_id, item.conversation_ids, item.control) for item in unit.items]
        drawn = (unit.unit_id, unit.rotation, unit.replicate, items, pairs)
        events = [(event, None if points is None else [*points.items()]) for event, points in happened]
        self._digest.update(repr((drawn, events)).encode())

    def copy(self) -> Mark:
        """Return another one that has taken in the same."""
        other = object.__new__(Mark)
        other._digest = self._digest.copy()
        return other

    @property
    def digest(self) -> str:
        """Return the digest of all that it has taken in."""
        return self._digest.hexdigest()


@dataclass(frozen=True)
class State:
    """The state of a course just after a unit was drawn.

    Attributes
    ----------
    mark : str
        See `Mark`.
    units, last, foreign : int
        Units drawn, the place of the last one that is back, and units that the plan draws otherwise.
    evidence : Evidence
    proven : array (2, ...)
        The least wealth, better and below.
    path : array (n, 2)
    chances : array
        Of all comparisons of all units.
    bets : mapping
        By the place of each unit that isn't back.
    bounds : mapping
        By place, arrays (2, K, K).
    """

    mark: str
    units: int
    last: int
    foreign: int
    evidence: Evidence
    proven: np.ndarray
    path: np.ndarray
    chances: np.ndarray
    bets: Mapping[int, Bets]
    bounds: Mapping[int, np.ndarray]

    def arrays(self) -> dict[str, np.ndarray]:
        """Return it as arrays by name."""
        arrays = {name: getattr(self, name) for name in ("proven", "path", "chances")}
        arrays["numbers"] = np.array([self.units, self.last, self.foreign])
        arrays["mark"] = np.array(self.mark)
        arrays |= {f"evidence.{name}": value for name, value in vars(self.evidence).items()}
        for name, by_place in (("bets", self.bets), ("bounds", self.bounds)):
            arrays[f"{name}.places"] = np.array([*by_place], dtype=int)
        for field in fields(Bets):
            arrays[f"bets.{field.name}"] = np.array([getattr(bets, field.name) for bets in self.bets.values()])
        arrays["bounds"] = np.array([*self.bounds.values()])
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray]) -> State:
        """Return the state that was written as these arrays."""
        units, last, foreign = arrays["numbers"].tolist()
        of_bets = [arrays[f"bets.{field.name}"] for field in fields(Bets)]
        places = arrays["bets.places"].tolist()
        return cls(
            mark=str(arrays["mark"]),
            units=units,
            last=last,
            foreign=foreign,
            evidence=Evidence(*(arrays[f"evidence.{field.name}"] for field in fields(Evidence))),
            proven=arrays["proven"],
            path=arrays["path"],
            chances=arrays["chances"],
            bets={place: Bets(*(values[row] for values in of_bets)) for row, place in enumerate(places)},
            bounds=dict(zip(arrays["bounds.places"].tolist(), arrays["bounds"], strict=True)),
        )


class Keeper:
    """Keeps the state of one course in a file.

    Attributes
    ----------
    units : int
        Units of the state that was kept last.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.units = 0

    def read(self) -> State | None:
        """Return what is kept; None where there is nothing, or not all of what was written."""
        try:
            data = files.bytes_of(self.path) or b""
        except UserError:
            return None
        if hashlib.sha256(data[DIGEST:]).digest() != data[:DIGEST]:
            return None
        with contextlib.suppress(KeyError, ValueError, TypeError), np.load(io.BytesIO(data[DIGEST:])) as arrays:
            return State.from_arrays(arrays)
        return None

    def write(self, state: State) -> None:
        """Keep a state; where the disk is full, none."""
        self.units = state.units
        arrays: dict[str, Any] = state.arrays()
        if sum(array.nbytes for array in arrays.values()) > LARGEST:
            return
        written = io.BytesIO()
        np.savez(written, **arrays)
        data = written.getvalue()
        with contextlib.suppress(UserError, OSError):
            files.write_bytes(self.path, hashlib.sha256(data).digest() + data)
