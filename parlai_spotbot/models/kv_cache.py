"""Keys and values of a transformer, as batches need them and as conversations keep them between their turns.

A batch writes into one block of memory that is used again for the next batch. What a conversation leaves behind is a
`CacheEntry`: the tokens that were read and their keys and values. Entries are found by the conversation's key, but
trusted only as far as their tokens agree with those asked for: the cache changes how long an answer takes, not the
answer.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from transformers.cache_utils import Cache, DynamicLayer


@dataclass(frozen=True)
class CacheShape:
    """Shape of a token in the cache: layers, and of keys and of values the heads and the size of each."""

    layers: int
    heads: tuple[tuple[int, int], tuple[int, int]]

    @property
    def numbers(self) -> int:
        """Number of numbers that a token takes."""
        return self.layers * sum(heads * size for heads, size in self.heads)


class CacheLayer(DynamicLayer):
    """One layer's part of a batch: writes what is new behind the `length` columns that are filled."""

    def __init__(self, keys: torch.Tensor, values: torch.Tensor, length: int):
        super().__init__()
        self._keys = keys
        self._values = values
        self.length = length
        self.dtype = keys.dtype
        self.device = keys.device
        self.is_initialized = True

    def update(self, key_states: torch.Tensor, value_states: torch.Tensor, *args: object, **kwargs: object) -> tuple:
        start = self.length
        self.length = self.length + key_states.shape[-2]
        self._keys[:, :, start : self.length] = key_states
        self._values[:, :, start : self.length] = value_states
        return self._keys[:, :, : self.length], self._values[:, :, : self.length]

    def get_seq_length(self) -> int:
        return self.length

    def get_mask_sizes(self, query_length: int | torch.Tensor) -> tuple[int, int]:
        new = query_length if isinstance(query_length, int) else query_length.shape[0]
        return self.length + new, 0


class CacheBatch:
    """`blocks` of keys, of shape (layers, rows, heads, columns, size), and of values. Rows end at the same column."""

    def __init__(self, blocks: Sequence[torch.Tensor]):
        self.blocks = blocks

    def cache(self, first: int, last: int, length: int) -> Cache:
        """Rows `first` to `last` as transformers knows a cache, of which `length` columns are filled."""
        layers = zip(*(block[:, first:last] for block in self.blocks), strict=True)
        return Cache(layers=[CacheLayer(keys, values, length) for keys, values in layers])

    def put(self, row: int, start: int, entry: CacheEntry | None, tokens: int) -> None:
        """Lay the first `tokens` of `entry` into a row from column `start` on; what is before is padding, and zero."""
        for place, block in enumerate(self.blocks):
            # Masked columns count nothing, but nothing times a NaN left there would be a NaN.
            block[:, row, :, :start] = 0
            if entry is not None and tokens:
                block[:, row, :, start : start + tokens] = entry.blocks[place][:, :, :tokens]

    def take(self, row: int, start: int, tokens: np.ndarray) -> CacheEntry:
        """A copy of a row's `tokens`, which begin at column `start`."""
        columns = slice(start, start + len(tokens))
        return CacheEntry(tokens, [block[:, row, :, columns].clone() for block in self.blocks])

    def move(self, source: int, target: int, columns: int) -> None:
        """Let row `target` be what row `source` is, as far as `columns` are filled."""
        for block in self.blocks:
            block[:, target, :, :columns] = block[:, source, :, :columns]


class Workspace:
    """The block of memory that batches share, one after the other; it grows to the largest."""

    def __init__(self, shape: CacheShape, device: torch.device, dtype: torch.dtype):
        self.shape = shape
        self.device = device
        self.dtype = dtype
        self._block = torch.zeros(0, dtype=dtype, device=device)

    @property
    def bytes_per_token(self) -> int:
        return self.shape.numbers * self._block.element_size()

    def open(self, rows: int, columns: int) -> CacheBatch:
        """A batch of this size, with whatever the memory holds."""
        shapes = [(self.shape.layers, rows, heads, columns, size) for heads, size in self.shape.heads]
        sizes = [math.prod(shape) for shape in shapes]
        if self._block.numel() < sum(sizes):
            self.free()
            self._block = torch.zeros(sum(sizes), dtype=self.dtype, device=self.device)
        parts = self._block[: sum(sizes)].split(sizes)
        return CacheBatch([part.view(shape) for part, shape in zip(parts, shapes, strict=True)])

    def free(self) -> None:
        """Give the memory back."""
        self._block = self._block[:0].clone()


@dataclass(frozen=True)
class CacheEntry:
    """Tokens that were read, with the `blocks` of their keys (layers, heads, tokens, size) and of their values."""

    tokens: np.ndarray
    blocks: Sequence[torch.Tensor]

    @property
    def nbytes(self) -> int:
        return sum(block.nbytes for block in self.blocks)


class CacheStore:
    """The entries of conversations, at most `limit` bytes; those not used for longest go first."""

    def __init__(self, limit: int):
        self.limit = limit
        self.used = 0
        self._entries: OrderedDict[str, CacheEntry] = OrderedDict()

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: str) -> CacheEntry | None:
        entry = self._entries.get(key)
        if entry is not None:
            self._entries.move_to_end(key)
        return entry

    def put(self, key: str, entry: CacheEntry) -> None:
        """Keep `entry` in place of the key's earlier one; one that is larger than the limit isn't kept."""
        self.drop(key)
        if entry.nbytes > self.limit:
            return
        self._entries[key] = entry
        self.used += entry.nbytes
        while self.used > self.limit:
            self.drop(next(iter(self._entries)))

    def drop(self, key: str) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self.used -= entry.nbytes

    def clear(self) -> None:
        self._entries.clear()
        self.used = 0


def common(a: Sequence[int] | np.ndarray, b: Sequence[int] | np.ndarray) -> int:
    """Number of tokens that two sequences have in common from their beginning."""
    n = min(len(a), len(b))
    differ = np.flatnonzero(np.asarray(a[:n]) != np.asarray(b[:n]))
    if len(differ):
        return int(differ[0])
    return n
