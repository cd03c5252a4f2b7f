"""Retrieval by sentence embeddings as a ParlAI agent: it answers like a person who heard something similar."""

from collections.abc import Sequence

import numpy as np

from parlai_spotbot.agents.retrieval import RetrievalAgent, TurnIndex
from parlai_spotbot.models.minilm import MiniLM

DTYPE = "bf16"
"""Of the index, which is large; what is looked up is embedded in fp32."""


class MinilmAgent(RetrievalAgent):
    """Cosine similarity of MiniLM's embeddings; those of the index come with the package."""

    NAME = "minilm"

    def prepare(self, index: TurnIndex) -> tuple[MiniLM, np.ndarray]:
        model = MiniLM()
        key = f"{model.name}-4-{index.checksum()}"
        return model, model.embedded_once(key, index.texts, "Embedding people's turns (once)", DTYPE)

    def similarity(self, texts: Sequence[str]) -> np.ndarray:
        return self.vectors(texts) @ self.prepared[1].T

    def vectors(self, texts: Sequence[str], quickly: bool = False) -> np.ndarray:
        return self.prepared[0].embed(texts, dtype=DTYPE if quickly else "fp32")
