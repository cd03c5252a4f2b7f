"""Seeded generators by name, quotients, orders, and values as JSON can hold them."""

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

ArrayPair = tuple[np.ndarray, np.ndarray]
ArrayTriple = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Two or three arrays; who returns them says which."""

Interval = tuple[float, float]
"""The low and the high end."""

ROUNDING = 1e-7
"""Numbers are equal but for rounding, or for what a solver leaves, if they differ by less, absolutely or relatively."""

Item = TypeVar("Item")


def generator(seed: int, *names: str) -> np.random.Generator:
    """A generator of its own for each source and statistic, so that one doesn't shift the numbers of another."""
    return np.random.default_rng([seed, *(zlib.crc32(name.encode("utf-8")) for name in names)])


def ratio(above: ArrayLike, below: ArrayLike, otherwise: float = np.nan) -> np.ndarray:
    """Return `above` over `below`, and `otherwise` where `below` isn't above 0."""
    above, below = np.broadcast_arrays(np.asarray(above, dtype=float), np.asarray(below, dtype=float))
    return np.divide(above, below, out=np.full(above.shape, otherwise), where=below > 0)


def best_first(items: Sequence[Item], scores: Iterable[float | None]) -> list[Item]:
    """Return the items with the highest scores first.

    Scores that are equal but for rounding, which differs between processors, leave items in the order in which they
    stand, as a name is listed. Where a score is NaN or None the item comes last.
    """
    values = np.array(list(scores), dtype=float)
    values[np.isnan(values)] = -np.inf
    order = np.argsort(-values, kind="stable")
    ranked = values[order]
    equal = np.isclose(ranked[1:], ranked[:-1], rtol=ROUNDING, atol=ROUNDING)
    level = np.append(0, np.cumsum(~equal))[: len(order)]
    return [items[place] for _, place in sorted(zip(level, order, strict=True))]


def with_ends(record: Mapping[str, Any], name: str, ci: str = "ci") -> dict[str, Any]:
    """Return a record with the ends of its interval `ci` in place of it, as NAME_low and NAME_high."""
    row = dict(record)
    row[f"{name}_low"], row[f"{name}_high"] = row.pop(ci)
    return row


def plain(value: Any) -> Any:
    """`value` as JSON can hold it: no NumPy types, and None for NaN and infinity."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) if math.isfinite(value) else None
    return value
