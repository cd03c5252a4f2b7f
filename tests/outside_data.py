"""What others released, which this repository may not carry, and our own reference numbers, which it does."""

import os
from pathlib import Path

import pytest

REFERENCE = Path(__file__).parent / "reference"
SPOT_THE_BOT = "data/spot_the_bot_2020/MongoDump.zip"
"""The annotations of Deriu et al. (2020)."""
ABC_EVAL = "data/abc_eval"
"""The labels and tables of Finch et al. (2023)."""
FOUND: list[Path] = []
"""What `released_data` has returned, for the account of a run."""


def released_data(name: str) -> Path:
    """Released data under $SPOTBOT_SHARED; who needs them skips where they are missing."""
    path = Path(os.environ.get("SPOTBOT_SHARED", "/nowhere"), name)
    if not path.exists():
        pytest.skip(f"needs the released data: $SPOTBOT_SHARED/{name}")
    FOUND.append(path)
    return path
