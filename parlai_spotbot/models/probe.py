"""Finds out, with a few tokens, whether a model's keys and values can be kept, padded and batched without harm."""

from collections.abc import Callable

import torch
from transformers import DynamicCache, PreTrainedModel
from transformers.cache_utils import DynamicLayer

from parlai_spotbot.models.kv_cache import CacheShape

TOKENS = 7


def plain_shape(model: PreTrainedModel) -> tuple[CacheShape | None, str]:
    """The shape of the model's keys and values; without one (recurrent, hybrid or uneven layers) the reason why."""
    cache = DynamicCache()
    tokens = torch.zeros((1, 3), dtype=torch.long, device=model.device)
    try:
        model(input_ids=tokens, past_key_values=cache, use_cache=True)
    except (TypeError, ValueError, AttributeError, RuntimeError, IndexError, KeyError):
        return None, "it has no plain cache of keys and values"
    kinds = {type(layer) for layer in cache.layers}
    if kinds != {DynamicLayer} or any(not layer.get_seq_length() for layer in cache.layers):
        return None, "it has no plain cache of keys and values"
    shapes = {(tuple(layer.keys.shape), tuple(layer.values.shape)) for layer in cache.layers}
    dtypes = {tensor.dtype for layer in cache.layers for tensor in (layer.keys, layer.values)}
    ((keys, values), *others) = shapes
    if others or dtypes != {model.dtype} or keys[0] != 1 or keys[2] != 3 or values[2] != 3:
        return None, "its layers keep keys and values of different shapes"
    return CacheShape(len(cache.layers), ((keys[1], keys[3]), (values[1], values[3]))), ""


def reference(model: PreTrainedModel, vocabulary: int) -> tuple[list[int], torch.Tensor]:
    """Some tokens, and the scores of what follows them, read at once and without a cache."""
    tokens = torch.randint(vocabulary, (1, TOKENS), generator=torch.Generator().manual_seed(0))
    logits = model(input_ids=tokens.to(model.device), use_cache=False).logits[0, -1]
    return tokens[0].tolist(), logits.float()


def differs(compute: Callable[[list[int]], torch.Tensor], tokens: list[int], expected: torch.Tensor) -> str:
    """Reason why ``compute(tokens)`` fails to give the `expected` scores; "" if it gives them but for rounding."""
    try:
        logits = compute(tokens)
    except (TypeError, ValueError, AttributeError, RuntimeError, IndexError) as err:
        return f"kept keys and values can't be used ({type(err).__name__}: {' '.join(str(err).split())[:200]})"
    slack = 0.1
    if logits.dtype == torch.float32:
        slack = 1e-3
    if (logits.float() - expected).abs().max() <= slack * expected.std():
        return ""
    return "its answers change with padding or kept keys and values"
