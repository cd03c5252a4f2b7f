"""Environment of a contestant's process: what programs need to run, and the variables that its entry names.

A contestant of Python sees no key of another one. That guards against accidents, not against attacks: a contestant runs
under the same user as the study.
"""

import os
import re
from collections.abc import Mapping

from parlai_spotbot.records import Contestant
from parlai_spotbot.secrecy import is_named_secret

NEEDED = re.compile(
    r"\A(?:(?:PATH|HOME|PWD|USER|USERNAME|LOGNAME|SHELL|TERM|TZ|LANG|LANGUAGE|TMPDIR|TEMP|TMP|SYSTEMROOT|COMSPEC|PATHEXT|"
    r"VIRTUAL_ENV|MPLCONFIGDIR|NLTK_DATA|(?:HTTPS?|ALL|NO)_PROXY|\w+_CA_BUNDLE)\Z|"
    r"(?:LC|LD|DYLD|PYTHON|XDG|SSL_CERT|CONDA|OMP|KMP|MKL|OPENBLAS|NUMEXPR|NUMBA|TORCH|PYTORCH|CUDA|NVIDIA|NCCL|HIP|ROCR|"
    r"HF|HUGGINGFACE|TRANSFORMERS|TOKENIZERS|PARLAI|SPOTBOT|RAY)(?:_|[A-Z]+\Z))",
    re.IGNORECASE,
)
"""Variables that every contestant gets, unless they are called like a secret."""

OF_AGENT = {"spotbot:openai_chat": ("OPENAI_API_KEY",), "spotbot:causal_lm": ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")}
"""Variables that agents of ours read by their names."""


def environment_of(contestant: Contestant, variables: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables that a contestant gets: needed ones, those it names, and those its options name."""
    named = {*contestant.environment.split(), *OF_AGENT.get(contestant.model, ())}
    named |= {str(value) for option, value in contestant.opt.items() if str(option).endswith("_variable")}
    return {
        name: value
        for name, value in variables.items()
        if name in named or (NEEDED.match(name) and not is_named_secret(name, value, sure=True))
    }
