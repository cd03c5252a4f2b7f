"""Retrieval by TF-IDF as a ParlAI agent: it answers like the person who was told much the same words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from parlai_spotbot.agents.retrieval import Index, RetrievalAgent


class TfidfAgent(RetrievalAgent):
    """Cosine similarity of TF-IDF vectors of words and pairs of words (Salton and Buckley, 1988)."""

    NAME = "tfidf"

    def prepare(self, index: Index) -> tuple:
        # Short words ("you", "I") matter in chat, so tokens of one letter count and no stop words are left out.
        vectorizer = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"(?u)\b\w+\b|\?")
        return vectorizer, vectorizer.fit_transform(index.texts).T.tocsr()

    def similarity(self, texts: Sequence[str]) -> np.ndarray:
        vectorizer, matrix = self.prepared
        return (vectorizer.transform(texts) @ matrix).toarray()
