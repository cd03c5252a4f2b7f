"""Retrieval by TF-IDF as a ParlAI agent: it answers like the person who heard much the same words."""

from __future__ import annotations

import importlib.metadata
import json
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
FORMAT = 1
"""Changes with the options and with what is kept, so that an older entry of the cache isn't taken for this one."""


class TfidfAgent(RetrievalAgent):
    """Cosine similarity of TF-IDF vectors of words and pairs of words (Salton and Buckley, 1988).

    The vectors of the index are kept in the cache.
    """

    NAME = "tfidf"

    def prepare(self, index: TurnIndex) -> tuple[TfidfVectorizer, sparse.csr_matrix]:
        version = importlib.metadata.version("scikit-learn")
        return _load(
            cached_folder(f"tfidf-{FORMAT}-{version}-{index.checksum()}", lambda folder: _build(index, folder))
        )

    def similarity(self, texts: Sequence[str]) -> np.ndarray:
        return (self.vectors(texts) @ self.prepared[1]).toarray()

    def vectors(self, texts: Sequence[str], quickly: bool = False) -> sparse.csr_matrix:
        return self.prepared[0].transform(texts)


def _vectorizer(**more: dict[str, int]) -> TfidfVectorizer:
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer(**OPTIONS, **more)


def _build(index: TurnIndex, folder: Path) -> None:
    vectorizer = _vectorizer()
    matrix = vectorizer.fit_transform(index.texts).T.tocsr()
    sparse.save_npz(folder / "matrix.npz", matrix, compressed=False)
    np.save(folder / "idf.npy", vectorizer.idf_)
    (folder / "terms.json").write_text(json.dumps(vectorizer.get_feature_names_out().tolist()), encoding="utf-8")


def _load(folder: Path) -> tuple[TfidfVectorizer, sparse.csr_matrix]:
    terms = json.loads((folder / "terms.json").read_text(encoding="utf-8"))
    vectorizer = _vectorizer(vocabulary={term: place for place, term in enumerate(terms)})
    vectorizer.idf_ = np.load(folder / "idf.npy")
    return vectorizer, sparse.load_npz(folder / "matrix.npz")
