"""In which precision a model runs on a processor: bf16 is faster only where the processor has instructions for it.

Where it has none, torch computes bf16 several times as slowly as fp32, so "bf16" is a wish: `of_processor` says what
it comes to on this machine. Some ten years of processors have none (AVX-512 with BF16, AMX, Arm's BF16).
"""

import functools


@functools.cache
def has_bf16() -> bool:
    """Return True if this machine's processor has instructions for bf16."""
    import torch

    if not torch.backends.mkldnn.is_available():
        return False
    supported = getattr(torch.ops.mkldnn, "_is_mkldnn_bf16_supported", None)
    return bool(supported and supported())


def of_processor(wish: str) -> str:
    """The precision to use here: "bf16" if that is wished and faster, else "fp32"."""
    if wish == "bf16" and has_bf16():
        return "bf16"
    return "fp32"
