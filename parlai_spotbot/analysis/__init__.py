"""The statistics: arrays and frames in, results out. Its rooms are read when they are first asked for."""

import importlib
import importlib.util
from typing import Any


def __getattr__(name: str) -> Any:
    if not name.startswith("_") and importlib.util.find_spec(f"{__name__}.{name}"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
