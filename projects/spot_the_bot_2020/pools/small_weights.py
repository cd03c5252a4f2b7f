"""Small stand-ins for pretrained weights: the same files in the same formats, with random weights and few of them.

Their words are learned from the domain's own texts. So every recipe runs to the end where nothing can be fetched; what
comes out of it says nothing about the paper's bots.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

SEED = 2020


def make_gpt2(folder: Path, texts: Sequence[str]) -> None:
    """A GPT-2 of two layers of 64 with byte pairs learned from `texts`, as transformers stores it."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import GPT2Config, GPT2Model

    words = ByteLevelBPETokenizer()
    end = "<|endoftext|>"
    words.train_from_iterator(texts, vocab_size=1000, min_frequency=2, show_progress=False, special_tokens=[end])
    words.save_model(str(folder))
    size = words.get_vocab_size()
    marks = dict.fromkeys(("bos_token_id", "eos_token_id"), words.token_to_id(end))
    config = GPT2Config(vocab_size=size, n_positions=256, n_embd=64, n_layer=2, n_head=2, **marks)
    torch.manual_seed(SEED)
    GPT2Model(config).save_pretrained(folder)


def make_bert(folder: Path, texts: Sequence[str]) -> None:
    """A BERT of six layers of 64 with the words of `texts` as pieces, as pytorch-pretrained-bert stores it."""
    import torch
    from pytorch_pretrained_bert.modeling import BertConfig, BertModel

    pieces = word_pieces(texts)
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n", encoding="utf-8")
    config = BertConfig(
        len(pieces),
        hidden_size=64,
        num_hidden_layers=6,
        num_attention_heads=2,
        intermediate_size=128,
        max_position_embeddings=256,
    )
    (folder / "config.json").write_text(config.to_json_string(), encoding="utf-8")
    torch.manual_seed(SEED)
    torch.save(BertModel(config).state_dict(), folder / "pytorch_model.bin")


def word_pieces(texts: Sequence[str], size: int = 1000) -> list[str]:
    """BERT's marks, every character at the begin and inside of words, and the most frequent words of `texts`.

    Learned word pieces would be others each time, for their trainer goes through its words in no fixed order.
    """
    counts = Counter(word for text in texts for word in re.findall(r"\w+|[^\w\s]", text.lower()))
    characters = sorted({character for word in counts for character in word if character.isascii()})
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters, *(f"##{c}" for c in characters)]
    frequent = (word for word, _ in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
    return list(dict.fromkeys([*pieces, *frequent]))[:size]


def make_vectors(folder: Path, texts: Sequence[str], size: int = 32) -> None:
    """Random vectors of the 1,000 most frequent words of `texts`, in fastText's format."""
    import numpy as np

    counts = Counter(word for text in texts for word in text.lower().split())
    words = [word for word, _ in counts.most_common(1000)]
    vectors = np.random.default_rng(SEED).normal(scale=0.1, size=(len(words), size))
    lines = [f"{len(words)} {size}"]
    lines += [" ".join([word, *(f"{value:.4f}" for value in row)]) for word, row in zip(words, vectors, strict=True)]
    (folder / "crawl-300d-2M.vec").write_text("\n".join(lines) + "\n", encoding="utf-8")
