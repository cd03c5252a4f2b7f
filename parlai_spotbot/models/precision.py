"""In which precision a model runs on a processor: bf16 is faster only where the processor has instructions for it.

Where it has none, torch computes bf16 several times as slowly as fp32, so "bf16" is a wish: `of_processor` says what
it comes to on this machine. Some ten years of processors have none (AVX-512 with BF16, AMX, Arm's BF16).
"""

from __future__ import annotations

import functools


@functools.cache
def has_bf16() -> bool:
    """Whether this machine's processor multiplies bf16 by instructions of its own."""
    import torch

    if not torch.backends.mkldnn.is_available():
        return False
    known = getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", None)
    return bool(known and known())


def of_processor(wish: str) -> str:
    """What "fp32" or "bf16" comes to here: "fp32", or "bf16" where that is wished and the faster."""
    return "bf16" if wish == "bf16" and has_bf16() else "fp32"
