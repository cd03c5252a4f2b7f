"""Features of examples as a frame; those that every study of a domain learns from are computed once and kept.

The package carries those of chitchat's people, of their corrupted turns and of the stand-ins, for seed 0 and the
domain's segments; any others are kept in the cache.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from parlai_spotbot import files
from parlai_spotbot.judges import identifier
from parlai_spotbot.judges.spotter.examples import EntityExample
from parlai_spotbot.judges.spotter.features import EmbeddedTurns, coherence
from parlai_spotbot.judges.spotter.surprises import ConversationSurprises, cache_folder
from parlai_spotbot.models.cache import cached_folder

FORMAT = 1
"""Raised whenever features would come out differently."""

ROWS = "rows.npy"
MIDDLE = "middle.npy"


class FeatureRows:
    """Computes frames of features, a row an example, nan where one is unknown.

    People are the first to be `kept`: from the mean direction of their turns it is measured how unusual a subject is.
    `progress` shows bars.
    """

    def __init__(self, progress: bool = False):
        from parlai_spotbot.models.minilm import MiniLM

        self._embedding = ""
        self._reading = ""
        if progress:
            self._embedding = "embedding"
            self._reading = "reading"
        self._encoder = MiniLM()
        self._middle = np.zeros(0)  # until people are kept
        self._made_of = f"{FORMAT} {self._encoder.name} {cache_folder().name}"

    def kept(self, examples: Sequence[EntityExample]) -> pd.DataFrame:
        """Return the features of examples; they are computed where neither package nor cache has them."""

        def build(folder: Path) -> None:
            np.save(folder / ROWS, self.of(examples).to_records(index=False))
            np.save(folder / MIDDLE, self._middle)

        made_of = files.dumps([self._made_of, [[example.texts, example.entity] for example in examples]])
        self._made_of = f"spotter-{identifier(made_of)}"
        folder = cached_folder(self._made_of, build)
        self._middle = np.load(folder / MIDDLE)
        return pd.DataFrame(np.load(folder / ROWS))

    def of(self, examples: Sequence[EntityExample]) -> pd.DataFrame:
        """Compute the features of examples, in single precision."""
        texts = sorted({text for example in examples for text in example.texts})
        vectors = self._encoder.embed(texts, progress=self._embedding)
        if not self._middle.size:
            self._middle = vectors.mean(axis=0)
            self._middle /= np.linalg.norm(self._middle)
        embedded = EmbeddedTurns(
            dict(zip(texts, vectors, strict=True)), dict(zip(texts, self._encoder.pieces(texts), strict=True))
        )
        surprises = ConversationSurprises((example.texts for example in examples), progress=self._reading)
        return pd.DataFrame(
            [coherence(e, embedded, self._middle, surprises.turns(e.texts)) for e in examples], dtype=np.float32
        )
