"""Small random language models of several families, with a tokenizer, as folders that transformers can load."""

import json
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    AutoModelForCausalLM,
    BloomConfig,
    Gemma2Config,
    GPT2Config,
    GPT2Model,
    GPTNeoXConfig,
    LlamaConfig,
    MambaConfig,
    MistralConfig,
    PreTrainedTokenizerFast,
)
from transformers.convert_slow_tokenizer import bytes_to_unicode

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIAL = ["<|end|>", "<|im_start|>", "<|im_end|>", "<|pad|>"]
TEXT = [
    "hello there, how are you doing today? I am fine, thank you. What do you like to do in the evening?",
    "I like music and films, and my dog. Do you cook? Yes! Pasta, soup and rice. No, never. That is great.",
]
SIZES = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4}
SMALL = {"max_position_embeddings": 512, "initializer_range": 0.4, "bos_token_id": 0, "eos_token_id": 0}
FAMILIES = {
    "llama": lambda v: LlamaConfig(vocab_size=v, intermediate_size=48, num_key_value_heads=2, **SIZES, **SMALL),
    "mistral": lambda v: MistralConfig(
        vocab_size=v, intermediate_size=48, num_key_value_heads=2, sliding_window=24, **SIZES, **SMALL
    ),
    "gemma2": lambda v: Gemma2Config(
        vocab_size=v, intermediate_size=48, num_key_value_heads=2, head_dim=8, sliding_window=24, **SIZES, **SMALL
    ),
    "neox": lambda v: GPTNeoXConfig(vocab_size=v, intermediate_size=48, **SIZES, **SMALL),
    "gpt2": lambda v: GPT2Config(
        vocab_size=v, n_embd=32, n_layer=3, n_head=4, n_positions=512, initializer_range=0.4, eos_token_id=0
    ),
    "bloom": lambda v: BloomConfig(vocab_size=v, hidden_size=32, n_layer=3, n_head=4, initializer_range=0.4),
    "mamba": lambda v: MambaConfig(vocab_size=v, hidden_size=32, num_hidden_layers=2, state_size=8),
}


def tokenizer(template: str = "") -> PreTrainedTokenizerFast:
    """A byte-level BPE of a few hundred tokens."""
    bpe = Tokenizer(models.BPE())
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=360, special_tokens=SPECIAL, initial_alphabet=alphabet, show_progress=False
    )
    bpe.train_from_iterator(TEXT, trainer)
    made = PreTrainedTokenizerFast(tokenizer_object=bpe, eos_token="<|end|>", bos_token="<|end|>", pad_token="<|pad|>")
    made.add_special_tokens({"additional_special_tokens": SPECIAL[1:3]})
    if template:
        made.chat_template = template
    return made


def save(folder: Path, family: str = "llama", template: str = CHATML, seed: int = 0) -> Path:
    """A folder with a random model of `family` and its tokenizer."""
    words = tokenizer(template)
    torch.manual_seed(seed)
    model = AutoModelForCausalLM.from_config(FAMILIES[family](len(words)))
    model.save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def parlais_gpt2(folder: Path) -> Path:
    """A folder from which ParlAI's ``hugging_face/gpt2`` loads a random model that knows single letters."""
    vocabulary = {letter: i for i, letter in enumerate([*bytes_to_unicode().values(), "<|endoftext|>"])}
    (folder / "vocab.json").write_text(json.dumps(vocabulary))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    torch.manual_seed(0)
    GPT2Model(GPT2Config(vocab_size=257, n_positions=128, n_embd=16, n_layer=2, n_head=2)).save_pretrained(folder)
    return folder
