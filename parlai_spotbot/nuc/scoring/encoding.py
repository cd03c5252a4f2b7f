"""Candidates encoded once, whatever the number of questions, and compared with contexts in bounded memory.

Texts are encoded in one fixed order and fixed pieces, so a score depends neither on the order of candidates nor on
where an interrupted run was taken up. What is encoded lies in a temporary file, of which a piece at a time is in use.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from parlai_spotbot import files
from parlai_spotbot.analysis.nuc import Ranks, StreamedRanks
from parlai_spotbot.models.cache import cache_dir
from parlai_spotbot.surveys.nuc_questions import NucQuestion

PIECE = 512
"""So many texts are encoded at once."""

BLOCK_BYTES = 64 << 20
"""What a block of encoded candidates, or of their scores, takes at most."""

KEPT_BYTES = 256 << 20
"""Larger encodings are not cached."""


class SeparateEncoder(ABC):
    """A contestant that encodes contexts and candidates apart, and compares what came of it.

    `kept_as` names the encoder, weights and all, under which its encodings are cached; "" for none.
    """

    kept_as = ""

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> np.ndarray | sparse.csr_matrix:
        """Candidates as numbers: float32 (len(texts), d), or more axes; or sparse."""

    @abstractmethod
    def contexts(self, questions: Sequence[NucQuestion]) -> Any:
        """Return what `compare` needs of the contexts of some questions."""

    @abstractmethod
    def compare(self, contexts: Any, encoded: np.ndarray | sparse.csr_matrix) -> np.ndarray:
        """Scores, float32 (questions, m), of candidates (m, d)."""


class EncodedTexts:
    """Distinct `texts`, encoded in `fill`: `rows` of them, on disk unless sparse; `place` finds a text's row."""

    def __init__(self, texts: Sequence[str], agent: SeparateEncoder):
        self.texts = sorted(set(texts), key=lambda text: (len(text), text))  # like lengths together: less padding
        self.place = {text: place for place, text in enumerate(self.texts)}
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        self._agent = agent
        self._rows: np.ndarray | sparse.csr_matrix | None = None

    def fill(self) -> Iterator[int]:
        """Encode all texts; yields how many are done."""
        kept = self._kept()
        if kept is not None and kept.is_file():
            self._rows = np.load(kept, mmap_mode="r")
            yield len(self.texts)
            return
        thin = []
        for start in range(0, len(self.texts), PIECE):
            encoded = self._agent.encode(self.texts[start : start + PIECE])
            if sparse.issparse(encoded):
                thin.append(encoded)
            else:
                if not start:
                    shape = (len(self.texts), *encoded.shape[1:])
                    self._rows = np.memmap(self._file, np.float32, "w+", shape=shape)
                self._rows[start : start + PIECE] = encoded
            yield min(start + PIECE, len(self.texts))
        if thin:
            self._rows = sparse.vstack(thin).tocsr()
        elif kept is not None and self._rows.nbytes <= KEPT_BYTES:
            data = io.BytesIO()
            np.save(data, self._rows)
            with contextlib.suppress(OSError):  # a cache that cannot be written costs time only
                files.write_bytes(kept, data.getvalue())

    def _kept(self) -> Path | None:
        """The file of the cache that has, or is to have, what the encoder makes of these texts."""
        if not self._agent.kept_as:
            return None
        digest = hashlib.sha256("\n".join(self.texts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return cache_dir() / f"nuc-{self._agent.kept_as}-{digest}.npy"

    def rows(self, which: slice | np.ndarray) -> np.ndarray | sparse.csr_matrix:
        """Some rows, in memory."""
        rows = self._rows[which]
        return rows if sparse.issparse(rows) else np.array(rows)

    def blocks(self, questions: int) -> Iterator[slice]:
        """Blocks of rows, none of which takes more than `BLOCK_BYTES`, nor its scores for so many questions."""
        row_size = 1 if sparse.issparse(self._rows) else int(np.prod(self._rows.shape[1:]))
        width = 4 * max(row_size, questions, 1)
        size = max(1, BLOCK_BYTES // width)
        for start in range(0, len(self.texts), size):
            yield slice(start, min(start + size, len(self.texts)))


def scores_of(
    agent: SeparateEncoder, encoded: EncodedTexts, questions: Sequence[NucQuestion], contexts: Any
) -> list[np.ndarray]:
    """For each question, whose `contexts` are read already, the scores of its candidates, in their order."""
    places = [np.array([encoded.place[text] for text in question.candidates]) for question in questions]
    needed, where = np.unique(np.concatenate(places), return_inverse=True)
    scores = agent.compare(contexts, encoded.rows(needed))
    ends = np.cumsum([len(place) for place in places])[:-1]
    return [np.asarray(row[columns]) for row, columns in zip(scores, np.split(where.ravel(), ends), strict=True)]


def corpus_ranks(
    agent: SeparateEncoder,
    encoded: EncodedTexts,
    questions: Sequence[NucQuestion],
    contexts: Any,
    excluded: Sequence[Sequence[str]],
) -> Ranks:
    """The ranks of the true next turns among all texts encoded, but for those that are `excluded` for each question.

    Memory is that of a block of candidates (`BLOCK_BYTES`), however many there are.
    """
    true = np.array([encoded.place[question.answer] for question in questions])
    barred = [
        np.array(sorted({encoded.place[t] for t in excluded_texts if t in encoded.place} | {place}))
        for excluded_texts, place in zip(excluded, true, strict=True)
    ]
    blocks = list(encoded.blocks(len(questions)))
    kept = None if len(blocks) > 1 else agent.compare(contexts, encoded.rows(slice(None)))

    def scores(block: slice) -> np.ndarray:
        return agent.compare(contexts, encoded.rows(block)) if kept is None else kept

    # The true turns' scores come from the blocks in which all are: another shape may differ in the last bit.
    empty = np.empty(len(true), dtype=np.float32)
    for block in blocks:
        in_block = np.flatnonzero((true >= block.start) & (true < block.stop))
        if len(in_block):
            empty[in_block] = scores(block)[in_block, true[in_block] - block.start]
    streamed = StreamedRanks(empty)
    for block in blocks:
        in_block = scores(block)
        counted = np.ones(in_block.shape, dtype=bool)
        for row, places in enumerate(barred):
            inside = places[(places >= block.start) & (places < block.stop)]
            counted[row, inside - block.start] = False
        streamed.add(in_block, counted)
    return streamed.ranks()
