"""Candidates encoded once, whatever the number of questions that show them.

Texts are encoded in one fixed order and fixed pieces, so a score depends neither on the order of candidates nor on
where an interrupted run was taken up.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from parlai_spotbot.surveys.nuc_questions import NucQuestion

PIECE = 512
"""Number of texts that are encoded at once."""


class SeparateEncoder(ABC):
    """A contestant that encodes contexts and candidates apart, and compares the two encodings."""

    @abstractmethod
    def encode(self, texts: Sequence[str]) -> np.ndarray | sparse.csr_matrix:
        """Return candidates as numbers: float32 (len(texts), d), or more axes; or sparse."""

    @abstractmethod
    def contexts(self, questions: Sequence[NucQuestion]) -> Any:
        """Return what `compare` needs of the contexts of some questions."""

    @abstractmethod
    def compare(self, contexts: Any, encoded: np.ndarray | sparse.csr_matrix) -> np.ndarray:
        """Return scores, float32 (questions, m), of candidates (m, d)."""


class EncodedTexts:
    """Distinct `texts`, encoded by `fill`."""

    def __init__(self, texts: Sequence[str], agent: SeparateEncoder):
        self.texts = sorted(set(texts), key=lambda text: (len(text), text))  # like lengths together: less padding
        self.place = {text: place for place, text in enumerate(self.texts)}
        self._agent = agent
        self._rows: Any = None

    def fill(self) -> Iterator[int]:
        """Encode all texts, and yield how many are done."""
        pieces = []
        for start in range(0, len(self.texts), PIECE):
            pieces.append(self._agent.encode(self.texts[start : start + PIECE]))
            yield min(start + PIECE, len(self.texts))
        if sparse.issparse(pieces[0]):
            self._rows = sparse.vstack(pieces).tocsr()
        else:
            self._rows = np.concatenate(pieces)

    def scores(self, questions: Sequence[NucQuestion]) -> list[np.ndarray]:
        """Return for each question the scores of its candidates, in their order."""
        places = [list(map(self.place.__getitem__, question.candidates)) for question in questions]
        needed, where = np.unique(np.concatenate(places), return_inverse=True)
        scores = self._agent.compare(self._agent.contexts(questions), self._rows[needed])
        ends = np.cumsum([len(place) for place in places])[:-1]
        return [np.asarray(row[columns]) for row, columns in zip(scores, np.split(where.ravel(), ends), strict=True)]
