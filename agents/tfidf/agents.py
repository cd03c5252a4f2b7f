"""Retrieval by TF-IDF as a ParlAI agent: it answers like the person who heard much the same words."""

from __future__ import annotations

import importlib.metadata
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from parlai_spotbot.agents.retrieval import RetrievalAgent, TurnIndex
from parlai_spotbot.models.cache import cached_folder

if TYPE_CHECKING:  # a second, which who only looks at a pool need not wait for
    from sklearn.feature_extraction.text import TfidfVectorizer

# Short words ("you", "I") matter in chat, so tokens of one letter count and no stop words are left out.
OPTIONS = {"ngram_range": (1, 2), "sublinear_tf": True, "token_pattern": r"(?u)\b\w+\b|\?"}
FILE = "vectors.pickle"
FORMAT = 3
"""Changes with the options and with what is kept, so that an older entry of the cache isn't taken for this one."""


class TfidfAgent(RetrievalAgent):
    """Cosine similarity of TF-IDF vectors of words and pairs of words (Salton and Buckley, 1988).

    The vectors of the index are kept in the cache.
    """

    NAME = "tfidf"

    def prepare(self, index: TurnIndex) -> tuple[TfidfVectorizer, sparse.csr_matrix]:
        def build(folder: Path) -> None:
            from sklearn.feature_extraction.text import TfidfVectorizer

            vectorizer = TfidfVectorizer(**OPTIONS)
            matrix = vectorizer.fit_transform(index.texts).T.tocsr()
            (folder / FILE).write_bytes(pickle.dumps((vectorizer, matrix)))

        version = importlib.metadata.version("scikit-learn")
        folder = cached_folder(f"tfidf-{FORMAT}-{version}-{index.checksum()}", build)
        return pickle.loads((folder / FILE).read_bytes())  # noqa: S301, we have written it

    def similarity(self, texts: Sequence[str]) -> np.ndarray:
        return (self.vectors(texts) @ self.prepared[1]).toarray()

    def vectors(self, texts: Sequence[str], quickly: bool = False) -> sparse.csr_matrix:
        return self.prepared[0].transform(texts)
