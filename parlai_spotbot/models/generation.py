"""Writes the next turn of many conversations at once with a causal language model, reading only what is new of each.

Rows are padded on the left. Of a conversation that was read before, the keys and values are laid into the batch and
only the tokens behind them are read, conversations with about as much to read together; a row that has ended leaves the
batch at once. Models whose memory is no plain cache of keys and values read the whole conversation for every token.

What is kept of a conversation, and what of it is read again, follows from the requests alone and not from what else
passed through the model: rounding in bf16 depends on it, so otherwise an interrupted run would go on differently.
"""

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from transformers import PreTrainedModel

from parlai_spotbot.models.choosing import DraftTurn, Vocabulary, WritingRules, choose
from parlai_spotbot.models.kv_cache import CacheBatch, CacheEntry, CacheStore, Workspace, common
from parlai_spotbot.models.linear import pack, unpack
from parlai_spotbot.models.probe import differs, plain_shape, reference

MIN_PREFIX = 16
"""A beginning that several new conversations share is read once if it has this many tokens."""

SIDE_BY_SIDE = 2
"""Groups of conversations whose turns come in turn, each of which may keep so large a part of the limit."""


@dataclass(frozen=True)
class GenerationRequest:
    """A conversation that waits for its next turn.

    `tokens` are all that stands before it; `key` finds what was kept of the conversation ("" for nothing); `seed` is
    that of the turn's chances; `said` are the turns so far, for `WritingRules.echo`.
    """

    tokens: Sequence[int]
    key: str = ""
    seed: int = 0
    said: Sequence[Sequence[int]] = ()


@dataclass(frozen=True)
class GeneratedTurn:
    """A turn: its tokens and text, and whether it was finished or broken off."""

    tokens: tuple[int, ...]
    text: str
    finished: bool


@dataclass
class BatchRow:
    """A row of a batch: its request, what is written, what was kept of its tokens, its columns of padding, and whether
    it is kept for its next turn."""

    request: GenerationRequest
    row: DraftTurn | None = None
    kept: CacheEntry | None = None
    known: int = 0
    pad: int = 0
    keep: bool = False
    tokens: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.tokens = np.array(self.request.tokens, dtype=np.int64)

    @property
    def need(self) -> int:
        return len(self.tokens) - self.known


BATCH_BYTES = 2 << 30


@dataclass(frozen=True)
class BatchLimits:
    """Sizes of batches: rows, bytes of keys and values (of a batch, and again of what is kept), tokens read at once.

    With 0 bytes nothing is kept; a batch then has up to `BATCH_BYTES`.

    Rows are read together until they have `enough` tokens; further ones join while none has to read much more.
    """

    rows: int = 64
    cache_bytes: int = 2 << 30
    enough: int = 256
    most: int = 8192


class TurnWriter:
    """A model that answers requests. ``plain`` says why it can't be batched, "" where it can."""

    def __init__(self, model: PreTrainedModel, vocabulary: Vocabulary, limits: BatchLimits | None = None):
        self.model = model
        self.vocabulary = vocabulary
        self.limits = limits or BatchLimits()
        self.device = model.device
        self.dtype = model.dtype
        self.read = 0  # tokens since the start
        self.store = CacheStore(self.limits.cache_bytes)
        accepted = inspect.signature(model.forward).parameters
        self._positions = "position_ids" in accepted
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in accepted else {}
        self.plain = ""
        self._prepare()

    # -- what the model can do ---------------------------------------------------------------------------------------
    @torch.inference_mode()
    def _prepare(self) -> None:
        """Find out whether batches with kept keys and values give what the model alone gives; pack its layers if so."""
        shape, self.plain = plain_shape(self.model)
        if shape is None:
            return
        self.workspace = Workspace(shape, self.device, self.dtype)
        tokens, expected = reference(self.model, self.vocabulary.size)
        replaced = pack(self.model)
        self.plain = differs(self._probe, tokens, expected)
        if self.plain and replaced:
            unpack(replaced)
            self.plain = differs(self._probe, tokens, expected)
        self.read = 0

    def _probe(self, tokens: list[int]) -> torch.Tensor:
        """The last scores of `tokens`, computed in every way that a batch uses: padded, with kept ones, one by one."""
        slots = [BatchRow(GenerationRequest(tokens[:-1])), BatchRow(GenerationRequest(tokens[:2]))]
        slots[0].kept = self._read_prefix(tokens[:3])
        slots[0].known = 3
        batch, columns, _ = self._read(slots, len(tokens))
        return self._step(batch, slots, columns, [tokens[-1], tokens[2]])[0]

    # -- answering ---------------------------------------------------------------------------------------------------
    @torch.inference_mode()
    def write(self, requests: Sequence[GenerationRequest], rules: WritingRules) -> list[GeneratedTurn]:
        """Write the next turn of every request, in their order."""
        slots = [BatchRow(request) for request in requests]
        self._choose_kept(slots, rules.max_new_tokens)
        for part in self._parts(slots, rules.max_new_tokens):
            self._answer(part, rules)
        return [GeneratedTurn(tuple(slot.row.written), slot.row.text, slot.row.finished) for slot in slots]

    def _choose_kept(self, slots: list[BatchRow], new: int) -> None:
        """Keep the first conversations, as many as certainly fit; forget what was kept of the others."""
        room = self.store.limit // SIDE_BY_SIDE
        if self.plain:
            room = 0
        for slot in slots:
            size = 0
            if room:
                size = (len(slot.tokens) + new) * self.workspace.bytes_per_token
            slot.keep = bool(slot.request.key) and size < room
            room -= size if slot.keep else 0
            if not slot.keep:
                self.store.drop(slot.request.key)

    def _parts(self, slots: list[BatchRow], new: int) -> Iterator[list[BatchRow]]:
        """Cut `slots` into batches that the limits of rows and of bytes allow."""
        if self.plain:
            yield from ([slot] for slot in slots)
            return
        part: list[BatchRow] = []
        longest = 0
        for slot in slots:
            longest = max(longest, len(slot.tokens) + new)
            size = (len(part) + 1) * longest * self.workspace.bytes_per_token
            if part and (len(part) == self.limits.rows or size > (self.limits.cache_bytes or BATCH_BYTES)):
                yield part
                part = []
                longest = len(slot.tokens) + new
            part.append(slot)
        if part:
            yield part

    def _answer(self, slots: list[BatchRow], rules: WritingRules) -> None:
        for slot in slots:
            request = slot.request
            slot.row = DraftTurn(rules, self.vocabulary, request.seed, request.said)
            slot.kept = None
            slot.known = 0
        if self.plain:
            self._generate(slots[0])
            return
        try:
            self._write(slots, rules)
        except torch.OutOfMemoryError:
            if len(slots) == 1:
                raise
        else:
            return
        # What was kept costs memory that two smaller batches might need. All their turns are begun again.
        self.store.clear()
        self.workspace.free()
        self._answer(slots[: len(slots) // 2], rules)
        self._answer(slots[len(slots) // 2 :], rules)

    def _write(self, slots: list[BatchRow], rules: WritingRules) -> None:
        self._recall(slots)
        slots = sorted(slots, key=lambda slot: slot.need)
        longest = max(len(slot.tokens) for slot in slots)
        batch, columns, logits = self._read(slots, longest + rules.max_new_tokens)
        while True:
            chosen = choose([slot.row for slot in slots], logits)
            for slot, token in zip(slots, chosen, strict=True):
                slot.row.add(token)
            chosen = self._leave(batch, slots, chosen, columns)
            if not slots:
                return
            logits = self._step(batch, slots, columns, chosen)
            columns += 1

    def _leave(self, batch: CacheBatch, slots: list[BatchRow], chosen: list[int], columns: int) -> list[int]:
        """Keep the rows that have ended for their next turn, and let the last rows take their places."""
        for place in reversed(range(len(slots))):
            slot = slots[place]
            if not slot.row.ended:
                continue
            if slot.keep:
                read = np.concatenate([slot.tokens, np.array(slot.row.written, dtype=np.int64)])
                self.store.put(slot.request.key, batch.take(place, slot.pad, read[: columns - slot.pad]))
            if place < len(slots) - 1:
                batch.move(len(slots) - 1, place, columns)
                slots[place], chosen[place] = slots[-1], chosen[-1]
            slots.pop()
            chosen.pop()
        return chosen

    # -- reading -----------------------------------------------------------------------------------------------------
    def _recall(self, slots: list[BatchRow]) -> None:
        """Find what was kept of each conversation; read what new ones have in common at their beginning once."""
        for slot in slots:
            self._use(slot, self.store.get(slot.request.key) if slot.request.key else None)
        new = [slot for slot in slots if slot.known < MIN_PREFIX]
        if len(new) < 2 or not self.store.limit:
            return
        length = min(common(new[0].tokens, slot.tokens) for slot in new[1:])
        if length >= MIN_PREFIX:
            shared = self._read_prefix(new[0].tokens[:length])
            for slot in new:
                self._use(slot, shared)

    @staticmethod
    def _use(slot: BatchRow, entry: CacheEntry | None) -> None:
        # The last token is always read: its scores are those of the next one.
        shared = 0
        if entry:
            shared = min(common(slot.tokens, entry.tokens), len(slot.tokens) - 1)
        if shared > slot.known:
            slot.kept = entry
            slot.known = shared

    def _read_prefix(self, tokens: Sequence[int]) -> CacheEntry:
        slot = BatchRow(GenerationRequest(tokens))
        batch, _, _ = self._read([slot], len(tokens))
        return batch.take(0, 0, slot.tokens)

    def _read(self, slots: list[BatchRow], columns: int) -> tuple[CacheBatch, int, torch.Tensor]:
        """Read all prompts, which then end at the same column; returns the batch, that column and the last scores."""
        batch = self.workspace.open(len(slots), columns)
        end = max(len(slot.tokens) for slot in slots)
        logits = []
        first = 0
        for chunk in self._chunks(slots):
            width = max(slot.need for slot in chunk)
            ids = np.zeros((len(chunk), width), dtype=np.int64)
            for row, slot in enumerate(chunk):
                slot.pad = end - len(slot.tokens)
                # Rows with less to read than others read some of what was kept again, where padding would be.
                slot.known = max(0, len(slot.tokens) - width)
                batch.put(first + row, slot.pad, slot.kept, slot.known)
                new = slot.tokens[slot.known :]
                ids[row, width - len(new) :] = new
            self.read += ids.size
            pads = np.array([slot.pad for slot in chunk])
            logits.append(self._forward(ids, pads, batch.cache(first, first + len(chunk), end - width), end))
            first += len(chunk)
        for slot in slots:
            slot.kept = None
        return batch, end, torch.cat(logits)

    def _chunks(self, slots: list[BatchRow]) -> Iterator[list[BatchRow]]:
        """Cut `slots`, in ascending order of what they need, so that few read much more than they need."""
        chunk: list[BatchRow] = []
        for slot in slots:
            size = slot.need * (len(chunk) + 1)
            wasteful = chunk and slot.need > 1.25 * chunk[0].need and chunk[-1].need * len(chunk) >= self.limits.enough
            if chunk and (wasteful or size > self.limits.most):
                yield chunk
                chunk = []
            chunk.append(slot)
        yield chunk

    def _step(self, batch: CacheBatch, slots: list[BatchRow], columns: int, tokens: list[int]) -> torch.Tensor:
        """The scores after one more token of every row."""
        pads = np.array([slot.pad for slot in slots])
        ids = np.array(tokens, dtype=np.int64)[:, None]
        return self._forward(ids, pads, batch.cache(0, len(slots), columns), columns + 1)

    def _forward(self, ids: np.ndarray, pads: np.ndarray, cache: object, end: int) -> torch.Tensor:
        """The scores (rows, vocabulary) of what follows `ids`, whose last column is the batch's column `end` - 1."""
        columns = np.arange(end)
        words = {"input_ids": ids, "attention_mask": (columns >= pads[:, None]).astype(np.int64)}
        if self._positions:
            words["position_ids"] = np.maximum(columns[end - ids.shape[1] :] - pads[:, None], 0)
        tensors = {name: torch.from_numpy(array).to(self.device) for name, array in words.items()}
        return self.model(**tensors, past_key_values=cache, use_cache=True, **self._last_only).logits[:, -1]

    # -- models without a plain cache --------------------------------------------------------------------------------
    def _generate(self, slot: BatchRow) -> None:
        """Write one turn, reading the whole conversation again for every token."""
        ids = torch.tensor(slot.tokens[None], device=self.device)
        while not slot.row.ended:
            scores = self.model(input_ids=ids, use_cache=False, **self._last_only).logits[:, -1]
            (token,) = choose([slot.row], scores)
            slot.row.add(token)
            ids = torch.cat([ids, ids.new_tensor([[token]])], dim=1)
        self.read += len(slot.tokens)
